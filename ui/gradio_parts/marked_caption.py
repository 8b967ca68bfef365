"""A Gradio component for a text with marked words, which can be edited."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import gradio as gr

from .scripts import message, script, style

SCRIPT = script("elements.js", "text_edits.js", "marked_caption.js")
STYLE = style("marked_caption.css")
TEMPLATE = '<div class="caption"></div>'
"""Constant: Gradio runs a template as code, so no value may be in it. The script makes the rest."""


@dataclass(frozen=True, slots=True)
class Span:
    """Marked characters of a text."""

    start: int
    end: int
    """[start, end) in Python's characters (code points)."""
    kind: str = ""
    """Spans of the same kind have the same colour and line."""
    note: str = ""
    """Shown for the span that the pointer or the caret is in, and read by screen readers."""


@dataclass(frozen=True, slots=True)
class Caption:
    """A text with its marks."""

    text: str
    spans: Sequence[Span] = ()


Marked = str | Caption | Sequence[Span] | None


class MarkedCaption(gr.HTML):  # type: ignore[misc]  # Gradio has no types here
    """A text with marked words.

    As the output of a handler: a string or a `Caption` replaces the text, a list of `Span` only the marks,
    None empties it. As an input it gives a `Caption`: the present text, and where its marks are now. Events:
    `input` (typed), `select` (a span was clicked), `submit` (Ctrl+Enter) and `change`.
    """

    def __init__(
        self,
        value: str | Caption | Callable[..., Marked] | None = None,
        *,
        label: str | None = None,
        editable: bool = False,
        kinds: Mapping[str, str] | None = None,
        lines: int = 6,
        max_lines: int = 20,
        placeholder: str = "",
        elem_id: str | None = None,
        elem_classes: list[str] | str | None = None,
        visible: bool | str = True,
        scale: int | None = None,
        min_width: int | None = None,
        render: bool = True,
        key: int | str | tuple[int | str, ...] | None = None,
        every: Any = None,
        inputs: Any = None,
    ) -> None:
        """`kinds`: name of a kind -> its words in the legend. `lines`, `max_lines`: least and most height."""
        self.editable, self.kinds, self.placeholder = editable, dict(kinds or {}), placeholder
        self.lines, self.max_lines = lines, max_lines
        super().__init__(
            value,
            label=label,
            html_template=TEMPLATE,
            css_template=STYLE,
            js_on_load=SCRIPT,
            apply_default_css=False,
            container=True,
            padding=False,  # the front end pads gr.HTML by itself
            elem_id=elem_id,
            elem_classes=elem_classes,
            visible=visible,
            scale=scale,
            min_width=min_width,
            render=render,
            key=key,
            every=every,
            inputs=inputs,
            editable=editable,
            kinds=self.kinds,
            lines=lines,
            max_lines=max_lines,
            placeholder=placeholder,
        )

    def preprocess(self, payload: Any) -> Caption:
        """What the browser sends. Raises gr.Error if a client sends something else."""
        if payload is None or isinstance(payload, str):
            return Caption(payload or "")
        try:
            text = payload.get("text", "")
            spans = tuple(Span(**one) for one in payload.get("spans", ()))
            if not isinstance(text, str):
                raise TypeError
            _check(spans, text)
        except (AttributeError, TypeError):
            raise gr.Error("A caption is a text with spans of start, end, kind and note.") from None
        return Caption(text, spans)

    def postprocess(self, value: Any) -> dict[str, Any] | None:
        """What the script receives. Raises gr.Error for spans that are not in the text."""
        if value is None or isinstance(value, dict):
            return value  # a dict is an answer of this method: an example that Gradio has kept
        if isinstance(value, str):
            value = Caption(value)
        if isinstance(value, Caption):
            _check(value.spans, value.text)
            return {"text": value.text, "spans": [asdict(span) for span in value.spans]}
        if isinstance(value, Sequence) and all(isinstance(one, Span) for one in value):
            _check(value)
            return message("marks", [asdict(span) for span in value], self.props)
        raise gr.Error(f"A caption is a string, a Caption or a list of Span, not {type(value).__name__}.")

    def read_from_flag(self, payload: Any) -> Any:
        """What `flag` has written: for examples with kept results."""
        return json.loads(payload)

    def process_example(self, value: Any) -> str:
        """The text, for the table of examples."""
        return html.escape(value.text if isinstance(value, Caption) else str(value or ""))

    def api_info(self) -> dict[str, Any]:
        """The schema of input and output; marks alone are sent as an update of `marks`."""
        span = {
            "start": {"type": "integer", "description": "first character (code point)"},
            "end": {"type": "integer", "description": "character after the last one"},
            "kind": {"type": "string"},
            "note": {"type": "string"},
        }
        spans = {"type": "array", "items": {"type": "object", "properties": span}}
        return {
            "type": "object",
            "description": "A text with marked words",
            "properties": {"text": {"type": "string"}, "spans": spans},
        }

    def example_payload(self) -> Any:
        """What a client may send."""
        return {"text": "A red boat.", "spans": [{"start": 2, "end": 5, "kind": "colour", "note": ""}]}

    def example_value(self) -> Any:
        """What a handler may return."""
        return "A red boat."


def _check(spans: Sequence[Span], text: str | None = None) -> None:
    for span in spans:
        numbers, words = (span.start, span.end), (span.kind, span.note)
        if any(type(n) is not int for n in numbers) or not all(isinstance(word, str) for word in words):
            raise gr.Error("A span has integers for start and end, and strings for kind and note.")
        if not 0 <= span.start < span.end or (text is not None and span.end > len(text)):
            where = "" if text is None else f" of a text with {len(text)} characters"
            raise gr.Error(f"A span marks at least one character{where}, not {span.start} to {span.end}.")
