"""Random access to the frames of a file with PyAV."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from backends.errors import MediaError
from backends.protocols import Picture, PtsTable
from backends.text.clock import clock
from backends.video.open_and_decode import BACK_STEPS, decoded, open_video, seek
from backends.video.picture_size_and_rotation import Converter, picture_size
from backends.video.probe import probe
from backends.video_and_word_types import VideoFacts

ONE_FRAME_A_PACKET = ("h264", "hevc")
"""Codecs with one frame per packet, at the packet's time."""
_SHORT_HOP = 4
"""For this many frames, decoding on is faster than a seek, even past a keyframe."""


class PyavReader:
    """Implements `FrameReader`. Not thread-safe: one reader per thread. Open it after a fork.

    In an undamaged file, frame i is bit-identical whether it is reached by a seek or
    in sequence.
    """

    def __init__(self, path: Path, facts: VideoFacts | None = None, table: PtsTable | None = None) -> None:
        """Pass facts and table if they are known; both must belong to this file."""
        if facts is None or table is None:
            facts, table = probe(path)
        self.facts: VideoFacts = facts
        self.table: PtsTable = table
        self._path = path
        self._turns = -facts.rotation // 90 % 4
        self._converter = Converter(codec=facts.codec)
        self._container: Any = None
        self._stream: Any = None
        self._coming: Iterator[Any] | None = None
        """Frames from the current position; None at the end."""
        self._held: Any = None
        """The most recently decoded frame."""
        self._target: int | None = None
        """Timestamp before which only reference frames are decoded; None to decode all frames."""
        self._one_each = facts.codec in ONE_FRAME_A_PACKET
        self._open()

    def __enter__(self) -> PyavReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def frame(self, index: int, *, width: int | None = None) -> Picture:
        """Return frame `index` as displayed: (height, width, 3), RGB, contiguous.

        `width` scales to that many pixels of width and keeps the aspect ratio. Raises
        IndexError if the index is not in the table, MediaError if the frame cannot be decoded.
        """
        if not 0 <= index < len(self.table.pts):
            raise IndexError(f"frame {index} is not in 0..{len(self.table.pts) - 1} of {self._path.name}")
        size = picture_size(self.facts.width, self.facts.height, width)
        return self._converter.picture(self._decoded(index), size, self._turns)

    def frames(self, indices: Iterable[int], *, width: int | None = None) -> Iterator[tuple[int, Picture]]:
        """Yield `(index, picture)` in ascending order, each index once. Errors as `frame`."""
        for index in sorted(set(indices)):
            yield index, self.frame(index, width=width)

    def close(self) -> None:
        """Release file and decoder; may be called twice."""
        self._coming = None
        self._held = None
        if self._container is not None:
            self._container.close()
            self._container = None

    # --- from an index to a decoded frame ---

    def _decoded(self, index: int) -> Any:
        if self._container is None:
            raise ValueError("the reader is closed")
        target = int(self.table.pts[index])
        if self._held is not None and self._held.pts == target:
            return self._held
        self._target = target if self._one_each else None
        found = self._go_on(index, target) or self._come_from_before(target) or self._start_again(target)
        if found is None:
            at = clock(float(self.table.seconds[index]))
            raise MediaError(
                f"{self._path.name}: frame {index} ({at}) cannot be decoded, the file is damaged there; "
                "use another frame or an undamaged copy of the file"
            )
        return found

    def _go_on(self, index: int, target: int) -> Any:
        """Decode forward if that is faster than a seek; else return None."""
        if self._held is None or self._held.pts > target:
            return None
        ahead = index - int(np.searchsorted(self.table.pts, self._held.pts))
        if ahead > _SHORT_HOP and self._keyframe_before(target) > self._held.pts:
            return None
        return self._advance(target)

    def _come_from_before(self, target: int) -> Any:
        """Seek to the keyframe before `target`, or to earlier ones until decoding reaches the frame."""
        nearest = int(np.searchsorted(self.table.keyframes, target, side="right")) - 1
        for step in BACK_STEPS:
            if step > max(nearest, 0):
                return None
            keyframe = int(self.table.keyframes[nearest - step]) if nearest >= 0 else target
            if seek(self._container, self._stream, keyframe):
                self._coming = self._frames_from_here()
                if (found := self._advance(target)) is not None:
                    return found
        return None

    def _start_again(self, target: int) -> Any:
        """Decode from the beginning: the last resort for files that do not support seeking."""
        self._target = None
        self._open()
        return self._advance(target)

    def _advance(self, target: int) -> Any:
        """Decode up to `target`; return None if it is missing. The frame after it stays in `_held`."""
        for frame in self._coming or ():
            self._held = frame
            if frame.pts >= target:
                return frame if frame.pts == target else None
        self._coming = None
        self._held = None
        return None

    def _keyframe_before(self, target: int) -> int:
        place = int(np.searchsorted(self.table.keyframes, target, side="right")) - 1
        return int(self.table.keyframes[place]) if place >= 0 else target

    def _open(self) -> None:
        self.close()
        self._container, self._stream = open_video(self._path)
        self._coming = self._frames_from_here()

    def _frames_from_here(self) -> Iterator[Any]:
        return decoded(self._container, self._stream, lambda: self._target)
