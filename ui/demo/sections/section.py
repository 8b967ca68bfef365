"""What the sections of the Demo page share."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import gradio as gr
from fastapi import Request

from annotation.records.allowed_values import Stage
from backends.errors import DailiesError, UsageError
from ui.demo.clips.demo_clips import DemoClip, DemoClips

Values = dict[Any, Any]
"""New values by component, as handlers return them."""
QUIET: Mapping[str, Any] = {"show_progress": "hidden", "queue": False, "api_visibility": "private"}
"""Options of events that only read stored results."""
RULES = "rules, no model"
_SIGNS = {ord(sign): f"&#{ord(sign)};" for sign in "&<>\"'\\`*_[]{}~$#|!"}
"""Signs with a meaning in HTML or Markdown, as character references."""


@dataclass(frozen=True, slots=True)
class Desk:
    """What the handlers of all sections use."""

    clips: DemoClips
    who: Callable[[Request], str]
    """Returns the name of the person, or raises a DailiesError if they may not use the page."""
    key: gr.State
    """Key of the clip that the page shows; it stays on the server."""
    player: gr.HTML

    @contextmanager
    def clip(self, key: str | None, request: gr.Request) -> Iterator[DemoClip]:
        """The clip of a page. Errors become messages of the page."""
        with messages():
            self.who(request.request)
            with self.clips.used(key) as clip:
                yield clip


def own_file(label: str, types: Sequence[str], elem_id: str) -> gr.File:
    """A file that the visitor uploads. A handler receives its path, as the browser sends it.

    Gradio's own `preprocess` leaves an empty file for each.
    """
    made = gr.File(label=label, file_types=list(types), height=120, elem_id=elem_id)
    made.preprocess = lambda payload: str(payload.path) if payload else None
    return made


class Section(Protocol):
    """One section of the page."""

    stages: frozenset[Stage]
    """Stages after which it is shown again."""

    @property
    def outputs(self) -> Sequence[gr.blocks.Block]: ...

    def show(self, clip: DemoClip) -> Values: ...

    def empty(self) -> Values: ...


@contextmanager
def messages() -> Iterator[None]:
    """Show the errors of a handler as messages of the page."""
    try:
        yield
    except DailiesError as error:
        raise page_error(str(error)) from None


def page_error(words: str) -> gr.Error:
    return gr.Error(html.escape(words), print_exception=False)


def plain(words: str) -> str:
    """Escape text for Markdown."""
    return words.translate(_SIGNS)


def table(label: str, headers: Sequence[str], widths: Sequence[str], **options: Any) -> gr.Dataframe:
    """A table that cannot be edited."""
    given = {"max_height": 320, "wrap": True, **options}
    return gr.Dataframe(
        label=label,
        headers=list(headers),
        datatype="str",
        column_widths=list(widths),
        interactive=False,
        buttons=[],
        **given,
    )


def pictures(label: str, columns: int) -> gr.Gallery:
    """Pictures in a grid; selecting one does not enlarge it."""
    return gr.Gallery(
        label=label,
        columns=columns,
        fit_columns=False,  # otherwise a single picture fills the whole width
        height="auto",
        object_fit="contain",
        buttons=[],
        interactive=False,
        allow_preview=False,
    )


def row_of(event: gr.SelectData) -> int:
    """Index of the selected row, or of the selected picture, from 0 on. Raises UsageError."""
    index = event.index
    index = index[0] if isinstance(index, list | tuple) and index else index
    if type(index) is not int or index < 0:  # a client may send anything
        raise UsageError("select a row of the table, or a picture")
    return index
