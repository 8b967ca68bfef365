"""Split, merge and move lines of speech: a machine's segment is one line, or the pieces a person made of it.

Pure functions on the state of a segment. Times are seconds from the start of the presentation.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotation.records.finite_numbers import finite_float
from annotation.records.ids import Json
from backends.errors import UsageError
from backends.video_and_word_types import Word

SHORTEST_S = 0.04
"""Minimum length of a line: one frame at 25 frames per second."""
MOST_PIECES = 200
LONGEST_PIECE = 20_000
"""In characters."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A line that a person made of a segment, or of a part of it."""

    start_s: float
    end_s: float
    text: str

    def to_json(self) -> dict[str, Json]:
        return {"start_s": self.start_s, "end_s": self.end_s, "text": self.text}


@dataclass(frozen=True, slots=True)
class SegmentNow:
    """The current state of a segment: its transcription and a person's changes."""

    id: str
    start_s: float
    end_s: float
    text: str
    """The text, with a person's correction of the whole segment applied."""
    pieces: tuple[Piece, ...] | None = None
    """None if the segment was not cut; empty if it was merged into the line before it."""
    words: tuple[Word, ...] = ()
    """The transcribed words."""

    @property
    def lines(self) -> tuple[Piece, ...]:
        """The lines of the segment, in order."""
        return (Piece(self.start_s, self.end_s, self.text.strip()),) if self.pieces is None else self.pieces

    def with_pieces(self, pieces: tuple[Piece, ...]) -> SegmentNow:
        return replace(self, pieces=pieces)


def read_pieces(value: Json) -> tuple[Piece, ...] | None:
    """Read pieces from the store or a file. None means that the segment was not cut.

    Raises UsageError for anything other than a list of `{start_s, end_s, text}` in order of time.
    """
    if value is None:
        return None
    if not isinstance(value, list) or len(value) > MOST_PIECES:
        raise UsageError(f"the pieces of a segment must be a list of at most {MOST_PIECES}")
    pieces = tuple(_read_piece(one) for one in value)
    if any(a.start_s > b.start_s for a, b in itertools.pairwise(pieces)):
        raise UsageError("the pieces of a segment must be in order of time")
    return pieces


def _read_piece(value: Json) -> Piece:
    text = value.get("text") if isinstance(value, dict) else None
    if not isinstance(text, str) or len(text) > LONGEST_PIECE or set(value) != {"start_s", "end_s", "text"}:
        raise UsageError("a piece of a segment must be {start_s, end_s, text}")
    start, end = finite_float(value["start_s"]), finite_float(value["end_s"])
    if start is None or end is None or not 0 <= start < end:
        raise UsageError("a piece of a segment must start at 0 s or later and end after its start")
    return Piece(start, end, text)


def pieces_json(pieces: Sequence[Piece]) -> list[dict[str, Json]]:
    return [piece.to_json() for piece in pieces]


# --- changes --------------------------------------------------------------------------


def split(segment: SegmentNow, number: int, caret: int, at_s: float | None = None) -> tuple[Piece, ...]:
    """Return the pieces after splitting line `number` before character `caret`.

    The cut is at `at_s` if that is within the line, else between the transcribed words.
    Raises UsageError if one of the two parts would be empty.
    """
    line = _line(segment, number)
    before, after = line.text[:caret].rstrip(), line.text[caret:].lstrip()
    if not before or not after:
        raise UsageError("put the caret between two words, then split")
    if line.end_s - line.start_s < 2 * SHORTEST_S:
        raise UsageError("this line is too short to be split; move its ends apart first")
    time = at_s if at_s is not None and line.start_s < at_s < line.end_s else None
    cut = _cut_between_words(line, before, segment.words) if time is None else time
    cut = round(min(max(cut, line.start_s + SHORTEST_S), line.end_s - SHORTEST_S), 3)
    parts = (Piece(line.start_s, cut, before), Piece(cut, line.end_s, after))
    return (*segment.lines[:number], *parts, *segment.lines[number + 1 :])


def _cut_between_words(line: Piece, before: str, words: Sequence[Word]) -> float:
    """Return the time between the words around the caret, in proportion to the text if they have no times."""
    inside = timed_words(line, words)
    count = len(before.split())
    if 0 < count < len(inside) and inside[count - 1].probability and inside[count].probability:
        return (inside[count - 1].end_s + inside[count].start_s) / 2
    return line.start_s + (line.end_s - line.start_s) * len(before) / max(1, len(line.text))


def merge(first: SegmentNow, number: int, second: SegmentNow, other: int) -> dict[str, tuple[Piece, ...]]:
    """Return `{segment id: pieces}` after merging line `other` of `second` into line `number` of `first`."""
    a, b = _line(first, number), _line(second, other)
    text = " ".join(part for part in (a.text.strip(), b.text.strip()) if part)
    joined = Piece(min(a.start_s, b.start_s), max(a.end_s, b.end_s), text)
    if first.id == second.id:
        lines = [*first.lines[:number], joined, *first.lines[number + 1 :]]
        return {first.id: tuple(piece for piece in lines if piece is not b)}
    return {
        first.id: (*first.lines[:number], joined, *first.lines[number + 1 :]),
        second.id: (*second.lines[:other], *second.lines[other + 1 :]),
    }


def move(segment: SegmentNow, number: int, start_s: float, end_s: float) -> tuple[Piece, ...]:
    """Return the pieces with these times for line `number`. Raises UsageError if it would be too short."""
    line = _line(segment, number)
    start, end = round(max(0.0, start_s), 3), round(end_s, 3)
    if end - start < SHORTEST_S - 1e-9:
        raise UsageError(f"a line must last at least {SHORTEST_S} s")
    return (*segment.lines[:number], replace(line, start_s=start, end_s=end), *segment.lines[number + 1 :])


def _line(segment: SegmentNow, number: int) -> Piece:
    if not 0 <= number < len(segment.lines):
        raise UsageError("this line no longer exists, because the speech was changed; reload the speech")
    return segment.lines[number]


# --- words ----------------------------------------------------------------------------


def timed_words(line: Piece, transcribed: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words of the line's text with their transcribed times.

    Words that a person wrote share the time between their neighbours, with probability 0.
    """
    near = [w for w in transcribed if line.start_s - 1 <= w.start_s and w.end_s <= line.end_s + 1]
    written = line.text.split()
    pairs = _common([_plain(word) for word in written], [_plain(w.text) for w in near])
    known = {i: replace(near[j], text=written[i]) for i, j in pairs}
    words: list[Word] = []
    while len(words) < len(written):
        at = len(words)
        if at in known:
            words.append(known[at])
        else:
            to = next((n for n in range(at, len(written)) if n in known), len(written))
            start = words[-1].end_s if words else line.start_s
            words += _shared(written[at:to], start, known[to].start_s if to in known else line.end_s)
    return tuple(words)


def _shared(texts: Sequence[str], start_s: float, end_s: float) -> list[Word]:
    step = max(0.0, end_s - start_s) / len(texts)
    return [
        Word(text=text, start_s=start_s + n * step, end_s=start_s + (n + 1) * step, probability=0.0)
        for n, text in enumerate(texts)
    ]


def _plain(word: str) -> str:
    return "".join(c for c in word.casefold() if c.isalnum()) or word.strip()


def _common(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int]]:
    """Return the index pairs of a longest common subsequence."""
    rows = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        for j in range(len(b) - 1, -1, -1):
            rows[i][j] = rows[i + 1][j + 1] + 1 if a[i] == b[j] else max(rows[i + 1][j], rows[i][j + 1])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif rows[i + 1][j] >= rows[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
