"""A Gradio component that shows a film frame by frame, and says which frame is on the screen."""

from __future__ import annotations

import html
import json
import math
import operator
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr
from gradio.data_classes import FileData

from .film_times import frame_times
from .scripts import message, script, style

SCRIPT = script("elements.js", "icons.js", "film_frames.js", "range_lane.js", "frame_player.js")
STYLE = style("frame_player.css")
TEMPLATE = '<div class="player"></div>'
"""Constant: Gradio runs a template as code, so no value may be in it. The script makes the rest."""


@dataclass(frozen=True, slots=True)
class Range:
    """A marked stretch of a film."""

    start: int
    """First frame."""
    end: int
    """Frame after the last one."""
    label: str = ""
    kind: str = ""
    """Ranges of the same kind have the same colour."""


@dataclass(frozen=True, slots=True)
class Film:
    """A film to show."""

    path: str | Path
    frame: int = 0
    """Frame to show first."""
    ranges: Sequence[Range] = ()
    times: Sequence[float] | None = None
    """Seconds of each frame in presentation order, the first is 0; None: they are read from the file."""


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """The frame that the player shows: what a handler receives with the player as its input."""

    frame: int
    time_s: float
    """Seconds from the first frame."""
    confirmed: bool
    """Whether the browser has reported that this frame is on the screen."""


Shown = str | Path | Film | int | float | ShownFrame | Sequence[Range] | None


class FramePlayer(gr.HTML):  # type: ignore[misc]  # Gradio has no types here
    """Shows a film frame by frame.

    As the output of a handler: a path or a `Film` shows a film, a number (or the `ShownFrame` of another
    player) shows that frame of it, a list of `Range` replaces the marks, None empties the player. As an
    input it gives a `ShownFrame`, or None while there is none. Events: `frame` (another frame is shown),
    `select` (a range was clicked) and `change`.
    """

    def __init__(
        self,
        value: Shown | Callable[..., Shown] = None,
        *,
        label: str | None = None,
        height: int = 360,
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
        """`height`: most pixels of the picture. The other parameters are those of all Gradio components."""
        self.height = height
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
            height=height,
        )

    def __getattr__(self, name: str) -> Any:
        """Custom events are looked up here. Gradio's queue never leaves out the last frame."""
        listen = super().__getattr__(name)
        return partial(listen, trigger_mode="always_last") if name == "frame" else listen

    def preprocess(self, payload: Any) -> ShownFrame | None:
        """What the browser sends. Raises gr.Error if a client sends something else."""
        if not isinstance(payload, dict) or "confirmed" not in payload:
            return None
        frame, time_s, confirmed = payload.get("frame", -1), payload.get("time_s", -1), payload["confirmed"]
        if not _is_number(frame) or not _is_number(time_s) or frame != int(frame) or min(frame, time_s) < 0:
            raise gr.Error("A shown frame needs a frame number and a time in seconds, both from 0 on.")
        return ShownFrame(int(frame), float(time_s), confirmed is True)

    def postprocess(self, value: Any) -> dict[str, Any] | None:
        """What the script receives. Raises FilmError (also a ValueError) for an unreadable film."""
        if value is None or isinstance(value, dict):
            return value  # a dict is an answer of this method: an example that Gradio has kept
        if isinstance(value, str | Path):
            value = Film(value)
        if isinstance(value, Film):
            return _film(value)
        if isinstance(value, ShownFrame):
            value = value.frame
        if _is_number(value):
            return message("show", _frame_number(value), self.props)
        if isinstance(value, Sequence) and all(isinstance(one, Range) for one in value):
            return message("ranges", _ranges(value), self.props)
        raise gr.Error(
            "A frame player shows a path, a Film, a frame number or a list of Range, "
            f"not {type(value).__name__}."
        )

    def flag(self, payload: Any, flag_dir: str | Path = "") -> str:
        """The value as JSON, with a copy of the film in `flag_dir`: for examples with kept results."""
        if payload and "film" in payload:
            Path(flag_dir).mkdir(exist_ok=True)
            file = FileData(**payload["film"]["file"]).copy_to_dir(flag_dir).model_dump()
            payload = {**payload, "film": {**payload["film"], "file": file}}
        return json.dumps(payload)

    def read_from_flag(self, payload: Any) -> Any:
        """What `flag` has written."""
        return json.loads(payload)

    def process_example(self, value: Any) -> str:
        """The name of the file, for the table of examples."""
        path = value.path if isinstance(value, Film) else value
        return "" if path is None else html.escape(Path(str(path)).name)

    def api_info(self) -> dict[str, Any]:
        """The schema of the input."""
        return {
            "type": "object",
            "description": "The frame that the player shows; null if there is none",
            "properties": {
                "frame": {"type": "integer", "description": "number of the frame, from 0 on"},
                "time_s": {"type": "number", "description": "seconds from the first frame"},
                "confirmed": {"type": "boolean", "description": "whether it is on the screen"},
            },
        }

    def api_info_as_output(self) -> dict[str, Any]:
        """The schema of the output."""
        return {
            "type": "object",
            "description": "A film to show; an update of `show` or `ranges` for a frame or ranges alone",
            "properties": {
                "film": {"type": "object", "description": "the file, and the times of its frames"},
                "show": {"type": "integer", "description": "number of the frame to show first"},
                "ranges": {"type": "array", "items": {"type": "object"}},
            },
        }

    def example_payload(self) -> Any:
        """What a client may send."""
        return {"frame": 0, "time_s": 0.0, "confirmed": True}

    def example_value(self) -> Any:
        """What a handler may return."""
        return 0


def _film(film: Film) -> dict[str, Any]:
    path = Path(film.path)
    times = frame_times(path, film.times)
    file = FileData(path=str(path), orig_name=path.name).model_dump()
    return {
        "film": {"file": file, "name": path.name, **times.packed()},
        "show": _frame_number(film.frame),
        "ranges": _ranges(film.ranges),
        "turn": time.time_ns() // 1000,
    }


def _ranges(ranges: Sequence[Range]) -> list[dict[str, Any]]:
    for one in ranges:
        if not 0 <= one.start < one.end:
            raise gr.Error(
                f"A range has at least one frame and starts at 0 or later, not {one.start} to {one.end}."
            )
    return [asdict(one) for one in ranges]


def _is_number(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return hasattr(value, "__index__") or (isinstance(value, float) and math.isfinite(value))


def _frame_number(value: Any) -> int:
    """Numbers of tables and sliders may come as 5.0. A number beyond the end means the last frame."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    try:
        return max(0, operator.index(number))
    except TypeError:
        raise gr.Error(f"A frame number is an integer, not {value}.") from None
