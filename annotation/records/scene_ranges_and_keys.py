"""Scenes as ranges of frames: split, merge and move them, and compare two versions.

Pure functions. The scenes of one version cover the video from its first frame to its last without gaps,
and every function preserves this. Texts refer to a scene by its key, which stays with the scene, or with
its longer part after a split.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from backends.errors import UsageError

NewKey = Callable[[], str]


@dataclass(frozen=True, slots=True)
class Span:
    """One scene: its key and its frames [start, end)."""

    key: str
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


Spans = tuple[Span, ...]


def split(spans: Sequence[Span], frame: int, new_key: NewKey) -> Spans:
    """Split the scene before `frame`. The longer part keeps the key; of equal parts, the first.

    Raises UsageError if a scene already begins at this frame, or if it is outside the video.
    """
    at = _holding(spans, frame)
    old = spans[at]
    if frame == old.start:
        raise UsageError(f"a scene already begins at frame {frame}; step to another frame and split there")
    first_keeps = frame - old.start >= old.end - frame
    fresh = new_key()
    parts = (
        Span(old.key if first_keeps else fresh, old.start, frame),
        Span(fresh if first_keeps else old.key, frame, old.end),
    )
    return (*spans[:at], *parts, *spans[at + 1 :])


def merge(spans: Sequence[Span], frame: int) -> Spans:
    """Merge the scene that contains `frame` with the next one.

    The merged scene keeps the key of the longer scene, or of the first if they are equal. Raises
    UsageError for the last scene, or if the frame is outside the video.
    """
    at = _holding(spans, frame)
    if at + 1 == len(spans):
        raise UsageError("this is the last scene; go to the one before it and merge from there")
    first, second = spans[at], spans[at + 1]
    key = first.key if first.length >= second.length else second.key
    return (*spans[:at], Span(key, first.start, second.end), *spans[at + 2 :])


def nudge(spans: Sequence[Span], cut: int, by: int) -> Spans:
    """Move the cut before frame `cut` by `by` frames. Both scenes keep their keys.

    Raises UsageError if the cut does not exist, or if a scene would have no frame left.
    """
    at = next((n for n, span in enumerate(spans) if span.start == cut and n > 0), None)
    if at is None:
        raise UsageError(f"there is no cut at frame {cut}; reload the page to see where the cuts are now")
    before, after = spans[at - 1], spans[at]
    moved = cut + by
    if not before.start < moved < after.end:
        number = at if moved <= before.start else at + 1
        raise UsageError(f"scene {number} would have no frame left; merge it with its neighbour instead")
    pair = (Span(before.key, before.start, moved), Span(after.key, moved, after.end))
    return (*spans[: at - 1], *pair, *spans[at + 1 :])


def carry(spans: Sequence[Span], starts: Sequence[int], new_key: NewKey) -> Spans:
    """Return scenes that begin at `starts`, each with the key of the scene it shares most frames with.

    A key is used once, for the scene with the largest share; other scenes get new keys.
    `starts` are ascending from the first frame; the last scene ends where `spans` end.
    """
    edges = list(pairwise((*starts, spans[-1].end if spans else 0)))
    shares = sorted(_shares(spans, edges), key=lambda share: (-share[0], share[1], share[2]))
    keys: dict[int, str] = {}
    given: set[str] = set()
    for _, n, m in shares:
        if n not in keys and spans[m].key not in given:
            keys[n] = spans[m].key
            given.add(spans[m].key)
    return tuple(Span(keys.get(n) or new_key(), *edge) for n, edge in enumerate(edges))


def _shares(spans: Sequence[Span], edges: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Yield (shared frames, index in `edges`, index in `spans`) of all overlaps. Both are in order."""
    n = m = 0
    while n < len(edges) and m < len(spans):
        shared = _shared(spans[m], *edges[n])
        if shared > 0:
            yield shared, n, m
        if spans[m].end <= edges[n][1]:
            m += 1
        else:
            n += 1


def _shared(span: Span, start: int, end: int) -> int:
    return min(end, span.end) - max(start, span.start)


def _holding(spans: Sequence[Span], frame: int) -> int:
    for at, span in enumerate(spans):
        if span.start <= frame < span.end:
            return at
    raise UsageError(f"frame {frame} is not in a scene of this video; reload the page")


def holder(spans: Sequence[Span], start: int, end: int) -> Span | None:
    """Return the scene that shares most frames with [start, end); of equals the first, or None."""
    best = max(spans, key=lambda span: (_shared(span, start, end), -span.start), default=None)
    return best if best and _shared(best, start, end) > 0 else None


# --- comparing two versions -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences to another set of cuts. A cut is identified by the first frame after it."""

    same: tuple[int, ...]
    added: tuple[int, ...]
    removed: tuple[int, ...]
    moved: tuple[tuple[int, int], ...]
    """(current frame, frame in the other set)"""


def difference(now: Sequence[int], then: Sequence[int], near: int) -> Difference:
    """Compare the cuts `now` with the cuts `then`. A cut that differs by at most `near` frames has moved.

    Each cut is paired once, the nearest pairs first. Frame 0 is not a cut and is left out.
    """
    old, new = {frame for frame in now if frame > 0}, {frame for frame in then if frame > 0}
    same = old & new
    old, new = old - same, new - same
    close = sorted((abs(a - b), a, b) for a in old for b in new if abs(a - b) <= near)
    moved: list[tuple[int, int]] = []
    for _, a, b in close:
        if a in old and b in new:
            moved.append((a, b))
            old.discard(a)
            new.discard(b)
    return Difference(tuple(sorted(same)), tuple(sorted(new)), tuple(sorted(old)), tuple(sorted(moved)))
