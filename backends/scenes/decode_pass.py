"""One pass over a film's pictures for several watchers, which goes on where an earlier one was stopped."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from backends.errors import MediaError
from backends.protocols import Picture, Progress, PtsTable
from backends.scenes.cut_detectors import Watcher
from backends.scenes.resume_file import Notes, Part
from backends.video.low_resolution_pictures import Small, small_pictures
from backends.video_and_word_types import VideoFacts

_EVERY = 25
"""Frames between two calls of `progress`."""
NOTE_EVERY = 1500
"""Frames between two notes, at least: a minute of film."""


class Pass:
    """Shows every picture of a film to the watchers, in order.

    Notes are taken at keyframes, where decoding can begin, so a film with a single keyframe is always
    begun anew; so is a damaged one, whose pictures depend on where decoding began.
    """

    def __init__(self, path: Path, table: PtsTable, facts: VideoFacts, notes: Notes | None = None) -> None:
        self._film: Final = (path, table, facts)
        self._notes = None if facts.problems else notes
        self._keyframes = frozenset(np.searchsorted(table.pts, table.keyframes).tolist())
        self.seen = 0
        """Pictures that the watchers were shown."""
        self._noted = 0
        self._last: tuple[int, Small] | None = None

    def run(self, make: Any, progress: Progress | None) -> Sequence[Watcher]:
        """The watchers that `make()` gives, after they saw everything.

        Raises MediaError where nothing can be decoded, and what `progress` raises.
        """
        watchers: Sequence[Watcher] = make()
        kept = self._notes.read() if self._notes else []
        start = self._go_on(watchers, kept)
        if kept and not start and self._notes:
            self._notes.drop()
            watchers = make()
        self._show(watchers, start, progress)
        return watchers

    def _go_on(self, watchers: Sequence[Watcher], kept: Sequence[Part]) -> int:
        """The frame to begin with: 0 where there are no notes, or the film does not look as it did."""
        if not kept:
            return 0
        last = kept[-1]
        start = int(last["next"])
        index, small = next(small_pictures(*self._film, start=start), (0, None))
        if small is None or index != start or _sum(small.picture) != int(last["next_sum"]):
            return 0
        for number, watcher in enumerate(watchers):
            own = [_own(part, number) for part in kept]
            watcher.go_on(own, int(last["last"]), last["last_picture"])
        self.seen = self._noted = int(last["seen"])
        return start

    def _show(self, watchers: Sequence[Watcher], start: int, progress: Progress | None) -> None:
        with _one_thread():
            self._show_all(watchers, start, progress)
        path, table, _ = self._film
        if not self.seen:
            raise MediaError(f"{path.name}: none of its frames can be decoded; copy or download it again")
        if progress is not None:
            progress(len(table.pts), len(table.pts))

    def _show_all(self, watchers: Sequence[Watcher], start: int, progress: Progress | None) -> None:
        path, table, facts = self._film
        for index, small in small_pictures(path, table, facts, start=start):
            if index in self._keyframes and self.seen - self._noted >= NOTE_EVERY:
                self._note(watchers, index, small.picture)
            for watcher in watchers:
                watcher.add(index, small)
            self.seen += 1
            self._last = (index, small)
            if progress is not None and self.seen % _EVERY == 0:
                progress(self.seen, len(table.pts))

    def _note(self, watchers: Sequence[Watcher], index: int, picture: Picture) -> None:
        if self._notes is None or self._last is None:
            return
        part: dict[str, npt.NDArray[Any]] = {
            "next": np.array(index),
            "next_sum": np.array(_sum(picture)),
            "seen": np.array(self.seen),
            "last": np.array(self._last[0]),
            "last_picture": self._last[1].picture,
        }
        for number, watcher in enumerate(watchers):
            part.update({f"{number}.{name}": values for name, values in watcher.learnt().items()})
        self._notes.add(part)
        self._noted = self.seen


@contextmanager
def _one_thread() -> Iterator[None]:
    """OpenCV's own threads cost more than they help on pictures this small; decoding has the others."""
    before = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        yield
    finally:
        cv2.setNumThreads(before)


def _own(part: Part, number: int) -> dict[str, npt.NDArray[Any]]:
    """What one watcher gave to a part."""
    prefix = f"{number}."
    return {name.removeprefix(prefix): values for name, values in part.items() if name.startswith(prefix)}


def _sum(picture: Picture) -> int:
    return zlib.crc32(picture.tobytes())
