"""Random access to the frames of a file with decord, in a separate process.

An open decord reader keeps decoding in the background, uses gigabytes of memory,
and can hang while it holds the interpreter's lock. Every batch is therefore read
by a new process with a time limit, which is killed after its answer.
"""

from __future__ import annotations

import json
import multiprocessing
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from backends.errors import BackendUnavailable, MediaError
from backends.protocols import Picture, PtsTable
from backends.video import decord_child
from backends.video.open_and_decode import open_video, packets
from backends.video.picture_size_and_rotation import picture_size
from backends.video.probe import probe
from backends.video_and_word_types import VideoFacts

INSTALL = "on Linux (x86-64) type: pip install -r requirements.txt; elsewhere use the reader pyav"

LIMIT_S = 60.0
"""Time limit for one batch."""

_MOST_FRAMES = 32
_MOST_BYTES = 256 << 20
"""Maximum size of one batch after scaling."""

_TOLERANCE_S = 0.002
_ADVICE = "use the reader pyav for this file"


def check() -> str:
    """Return the installed version in words. Raises BackendUnavailable with the command to type."""
    if find_spec("decord") is None:
        raise BackendUnavailable(f"decord is not installed; {INSTALL}")
    return "decord, in a separate process"


@lru_cache(maxsize=64)
def _has_open_groups(path: Path, _changed: int, _size: int) -> bool:
    """Return whether frames shown before a keyframe are stored after it."""
    container, stream = open_video(path)
    with closing(container):
        keyframe: int | None = None
        for packet in packets(container, stream):
            if packet.pts is None or packet.size == 0:
                continue
            if packet.is_keyframe:
                keyframe = packet.pts
            elif keyframe is not None and packet.pts < keyframe:
                return True
    return False


class DecordReader:
    """Implements `FrameReader`. Frame i is frame i of our table, or MediaError is raised.

    decord ignores edit lists and selects the video stream itself, so a file is refused
    if decord's number of frames or their times differ. A file with open groups of pictures
    is refused too: after a seek, decord returns other frames than requested.
    """

    def __init__(
        self,
        path: Path,
        facts: VideoFacts | None = None,
        table: PtsTable | None = None,
        *,
        limit_s: float = LIMIT_S,
    ) -> None:
        """Pass facts and table if they are known. Raises BackendUnavailable, MediaError."""
        check()
        if facts is None or table is None:
            facts, table = probe(path)
        self.facts: VideoFacts = facts
        self.table: PtsTable = table
        self._path = path
        self._limit_s = limit_s
        self._closed = False

    def __enter__(self) -> DecordReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def frame(self, index: int, *, width: int | None = None) -> Picture:
        """Return frame `index` as displayed: (height, width, 3), RGB, contiguous.

        Raises IndexError if the index is not in the table, MediaError if decord is unreliable for the file.
        """
        return next(picture for _, picture in self.frames([index], width=width))

    def frames(self, indices: Iterable[int], *, width: int | None = None) -> Iterator[tuple[int, Picture]]:
        """Yield `(index, picture)` in ascending order, each index once. Errors as `frame`."""
        wanted = sorted(set(indices))
        for index in wanted:
            if not 0 <= index < len(self.table.pts):
                raise IndexError(f"frame {index} is not in 0..{len(self.table.pts) - 1} of {self._path.name}")
        size = picture_size(self.facts.width, self.facts.height, width)
        step = max(1, min(_MOST_FRAMES, _MOST_BYTES // (size[0] * size[1] * 3)))
        for start in range(0, len(wanted), step):
            batch = wanted[start : start + step]
            yield from zip(batch, self._batch(batch, size), strict=True)

    def close(self) -> None:
        """Close the reader; may be called twice. No process runs between batches."""
        self._closed = True

    def _batch(self, indices: Sequence[int], size: tuple[int, int]) -> list[Picture]:
        if self._closed:
            raise ValueError("the reader is closed")
        self._refuse_open_groups()
        # A forked child of a threaded process inherits locks that are never released.
        context = multiprocessing.get_context("spawn")
        receiver, sender = context.Pipe(duplex=False)
        arguments = (sender, str(self._path.absolute()), list(indices), *size)
        process = context.Process(target=decord_child.serve, args=arguments, daemon=True)
        process.start()
        sender.close()
        try:
            return self._answer(receiver, indices, size)
        finally:
            receiver.close()
            process.kill()
            process.join()
            process.close()

    def _refuse_open_groups(self) -> None:
        about = self._path.stat()
        if _has_open_groups(self._path, about.st_mtime_ns, about.st_size):
            raise MediaError(
                f"{self._path.name}: its groups of pictures are open, so decord returns wrong frames "
                f"after a seek; {_ADVICE}"
            )

    def _answer(self, receiver: Connection, indices: Sequence[int], size: tuple[int, int]) -> list[Picture]:
        end = time.monotonic() + self._limit_s
        self._compare(json.loads(self._received(receiver, end)), indices)
        shape = (size[1], size[0], 3)
        return [np.frombuffer(self._received(receiver, end), np.uint8).reshape(shape).copy() for _ in indices]

    def _received(self, receiver: Connection, end: float) -> bytes:
        try:
            if not receiver.poll(max(0.0, end - time.monotonic())):
                raise MediaError(
                    f"{self._path.name}: decord did not answer within {self._limit_s:g} s; {_ADVICE}"
                )
            return receiver.recv_bytes()
        except (EOFError, OSError) as error:
            raise MediaError(f"{self._path.name}: decord crashed while reading it; {_ADVICE}") from error

    def _compare(self, header: dict[str, object], indices: Sequence[int]) -> None:
        """Raise MediaError if decord's frames are not those of the table."""
        name = self._path.name
        if "error" in header:
            raise MediaError(f"{name}: decord cannot read it ({header['error']}); {_ADVICE}")
        if header["count"] != len(self.table.pts):
            counts = f"{header['count']} frames instead of {len(self.table.pts)}"
            raise MediaError(f"{name}: decord finds {counts}, so its frame numbers differ; {_ADVICE}")
        ours = self.table.seconds[list(indices)] - self.table.seconds[0]
        if np.abs(ours - np.asarray(header["seconds"])).max() > _TOLERANCE_S:
            raise MediaError(
                f"{name}: decord reports other frame times, so its frame numbers differ; {_ADVICE}"
            )
