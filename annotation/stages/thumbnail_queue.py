"""Thumbnails that many ask for at the same moment: one pass over a video makes all that wait for it.

Decoding is bounded: `DECODERS` videos at a time, each by one thread, and frames of a video in their order,
so that neighbours cost one seek. A video with much to do lets the others in after `BATCH` frames, and goes on
from there: what was asked for meanwhile and lies before waits for the next pass.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from annotation.records.videos import Video
from backends.errors import Stopped

DECODERS = max(1, min(4, os.cpu_count() or 1))
BATCH = 16
ENDED = "the server is being stopped"
Made = Iterator[tuple[int, Path | Exception]]
"""Frame index and its file, or why there is none, as each is ready."""
Key = tuple[str, int]
"""Video id and width."""


class ThumbnailQueue:
    """Thread-safe."""

    def __init__(self, make: Callable[[Video, Sequence[int], int], Made]) -> None:
        """`make(video, indices, width)`; the indices are ascending."""
        self._make = make
        self._pool = ThreadPoolExecutor(DECODERS, thread_name_prefix="thumbnails")
        self._wanted: dict[Key, dict[int, Future[Path]]] = {}
        """Of every video that a thread works on, or soon will: what is still to be made."""
        self._batches: dict[Key, dict[int, Future[Path]]] = {}
        """What the pass over each of them is about to make."""
        self._reached: dict[Key, int] = {}
        """How far the pass over each of them has come."""
        self._lock = Lock()
        self._ended = False

    def ask(self, video: Video, index: int, width: int) -> Future[Path]:
        """The file as soon as it is there: one future for all who ask for the same, so none may cancel it.

        It ends with MediaError where the frame cannot be decoded, and with Stopped when the server ends.
        """
        key = (video.id, width)
        with self._lock:
            if self._ended:
                ended: Future[Path] = Future()
                ended.set_exception(Stopped(ENDED))
                return ended
            if key not in self._wanted:
                self._pool.submit(self._work, video, width)
            return self._wanted.setdefault(key, {}).setdefault(index, Future())

    def end(self) -> None:
        """Whoever waits is told that no picture comes: the server ends, and waits for its requests."""
        with self._lock:
            self._ended = True
            for asked in (*self._wanted.values(), *self._batches.values()):
                for future in asked.values():
                    future.set_exception(Stopped(ENDED))
                asked.clear()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _work(self, video: Video, width: int) -> None:
        """One batch; then the video goes to the end of the line, or leaves it."""
        key = (video.id, width)
        with self._lock:
            asked, reached = self._wanted[key], self._reached.get(key, 0)
            ahead = sorted(index for index in asked if index >= reached) or sorted(asked)
            batch = self._batches[key] = {index: asked.pop(index) for index in ahead[:BATCH]}
            self._reached[key] = max(batch, default=0)
        try:
            for index, made in self._make(video, list(batch), width):
                self._settle(batch, index, made)
                if self._ended:
                    raise Stopped(ENDED)
        except Exception as error:  # noqa: BLE001  # it is told to those who wait for the rest of the batch
            for index in list(batch):
                self._settle(batch, index, error)
        with self._lock:
            del self._batches[key]
            if self._wanted[key]:
                self._pool.submit(self._work, video, width)
            else:
                del self._wanted[key], self._reached[key]

    def _settle(self, batch: dict[int, Future[Path]], index: int, made: Path | Exception) -> None:
        """Nothing where `end` was faster."""
        with self._lock:
            future = batch.pop(index, None)
        if future is None:
            return
        if isinstance(made, Exception):
            future.set_exception(made)
        else:
            future.set_result(made)
