"""Tracks lines of text over the frames of a video: equal lines in successive frames become one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from backends.protocols import ScreenLine

ALIKE = 0.8
"""Minimum share of letters, in order, that two readings of one line have in common."""
OVERLAP = 0.3
"""Minimum intersection over union of the boxes of two readings of one line."""

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class ReadFrame:
    """A frame that was checked for text."""

    frame: int
    lines: tuple[ScreenLine, ...] | None
    """None: the frame looks like the one before, so its lines are the same."""


@dataclass(frozen=True, slots=True)
class LineSpan:
    """A line with the first and the last checked frame that show it."""

    best: ScreenLine
    """The reading with the highest score."""
    frame: int
    """The frame of that reading."""
    first: int
    last: int


def follow(frames: Iterable[ReadFrame]) -> list[LineSpan]:
    """Return the lines of all frames, in the order of their first frames.

    Readings are joined if their frames follow each other and their text is equal, or if it is similar, at the
    same place and has the same digits: a counter with a new number is a new line.
    """
    ended: list[LineSpan] = []
    seen: list[LineSpan] = []
    for one in frames:
        if one.lines is None:
            seen = [replace(span, last=one.frame) for span in seen]
            continue
        before, seen = seen, []
        for line in one.lines:
            same = _same(line, before)
            if same is None:
                seen.append(LineSpan(line, one.frame, one.frame, one.frame))
            else:
                before.remove(same)
                seen.append(_go_on(same, line, one.frame))
        ended += before
    return sorted([*ended, *seen], key=lambda span: (span.first, span.best.box[1], span.best.box[0]))


def _go_on(span: LineSpan, line: ScreenLine, frame: int) -> LineSpan:
    if line.score > span.best.score:
        return LineSpan(line, frame, span.first, frame)
    return replace(span, last=frame)


def _same(line: ScreenLine, before: Sequence[LineSpan]) -> LineSpan | None:
    """Return the line of the previous frame that this reading belongs to; the nearest of several."""
    fitting = [span for span in before if _fits(line, span.best)]
    return max(fitting, key=lambda span: overlap(line.box, span.best.box), default=None)


def _fits(a: ScreenLine, b: ScreenLine) -> bool:
    one, other = _plain(a.text), _plain(b.text)
    if one == other:
        return True
    if _digits(one) != _digits(other) or overlap(a.box, b.box) < OVERLAP:
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def _plain(text: str) -> str:
    return "".join(text.casefold().split())


def _digits(text: str) -> str:
    return "".join(c for c in text if c.isdigit())


def overlap(a: Box, b: Box) -> float:
    """Return the intersection over union of two boxes, 0 to 1."""
    width = min(a[2], b[2]) - max(a[0], b[0])
    height = min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    common = width * height
    return common / (_area(a) + _area(b) - common)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
