"""Queue of thumbnails: one pass over a video makes all that are requested at the same time.

Decoding is limited to `DECODERS` videos at a time, with one thread each. Frames of a video are decoded in
order, so that neighbours need one seek. After `BATCH` frames of a video, waiting videos have their turn, then
the pass continues. Frames before its position that were requested meanwhile wait for the next pass.
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
ENDED = "the server is stopping"
Made = Iterator[tuple[int, Path | Exception]]
"""Yields each frame index with its file, or with the error, when it is ready."""
Key = tuple[str, int]
"""Video id and width."""


class ThumbnailQueue:
    """A thread-safe queue of thumbnail requests."""

    def __init__(self, make: Callable[[Video, Sequence[int], int], Made]) -> None:
        """`make(video, indices, width)` receives ascending indices."""
        self._make = make
        self._pool = ThreadPoolExecutor(DECODERS, thread_name_prefix="thumbnails")
        self._wanted: dict[Key, dict[int, Future[Path]]] = {}
        """Thumbnails still to be made, for every video that is being decoded or waits for it."""
        self._batches: dict[Key, dict[int, Future[Path]]] = {}
        """The current batch of each pass."""
        self._reached: dict[Key, int] = {}
        """The frame that each pass has reached."""
        self._lock = Lock()
        self._ended = False

    def ask(self, video: Video, index: int, width: int) -> Future[Path]:
        """Return a future with the file. Equal requests share one future, so do not cancel it.

        It ends with MediaError if the frame cannot be decoded, and with Stopped when the server ends.
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
        """End all waiting requests with an error, because the server waits for them before it ends."""
        with self._lock:
            self._ended = True
            for asked in (*self._wanted.values(), *self._batches.values()):
                for future in asked.values():
                    future.set_exception(Stopped(ENDED))
                asked.clear()

    def close(self) -> None:
        self._pool.shutdown(cancel_futures=True)

    def _work(self, video: Video, width: int) -> None:
        """Make one batch; then the video moves to the end of the queue, or leaves it when it is finished."""
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
        except Exception as error:  # noqa: BLE001  # passed to all requests of the batch
            for index in list(batch):
                self._settle(batch, index, error)
        with self._lock:
            del self._batches[key]
            if self._wanted[key]:
                self._pool.submit(self._work, video, width)
            else:
                del self._wanted[key], self._reached[key]

    def _settle(self, batch: dict[int, Future[Path]], index: int, made: Path | Exception) -> None:
        """Set the result of a future, unless `end` has already set it."""
        with self._lock:
            future = batch.pop(index, None)
        if future is None:
            return
        if isinstance(made, Exception):
            future.set_exception(made)
        else:
            future.set_result(made)
