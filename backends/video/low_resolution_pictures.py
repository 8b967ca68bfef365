"""Small pictures of a file in presentation order, for detectors: all frames, or keyframes only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from av.video.reformatter import Interpolation, VideoReformatter

from backends.errors import MediaError
from backends.protocols import Picture, PtsTable
from backends.video.open_and_decode import decoded, open_video, seek
from backends.video_and_word_types import VideoFacts

LONGEST = 256
"""Maximum length in pixels of the longer side for detectors, as in PySceneDetect."""

TINY = (48, 27)
"""Width and height of TransNetV2's input."""


class Scalers:
    """Scalers, one per kind of picture. They are reused because creating one costs more than using it."""

    def __init__(self) -> None:
        self.whole = VideoReformatter()
        self.tiny = VideoReformatter()


class Small:
    """One decoded frame for detectors, as coded: without rotation and pixel shape.

    Its pictures are created on first use.
    """

    def __init__(self, frame: Any, scalers: Scalers) -> None:
        self._frame = frame
        self._scalers = scalers

    @cached_property
    def picture(self) -> Picture:
        """(height, width, 3) BGR, no side longer than `LONGEST`.

        Identical to PySceneDetect's input: colour conversion first, then bilinear scaling. Its
        thresholds assume this: a smoother scaler changes the scores, and scaling before the
        conversion occasionally changes a cut.
        """
        whole = self._scalers.whole.reformat(
            self._frame, format="bgr24", interpolation=Interpolation.BILINEAR, threads=1
        )
        shrink = max(whole.width, whole.height) / LONGEST
        if shrink <= 1:
            return np.asarray(whole.to_ndarray(), np.uint8)
        size = (max(1, round(whole.width / shrink)), max(1, round(whole.height / shrink)))
        return np.asarray(cv2.resize(_pixels(whole), size, interpolation=cv2.INTER_LINEAR), np.uint8)

    @cached_property
    def tiny(self) -> Picture:
        """(27, 48, 3) RGB, scaled like `ffmpeg -s 48x27`, as in TransNetV2's publication."""
        tiny = self._scalers.tiny.reformat(
            self._frame, *TINY, format="rgb24", interpolation=Interpolation.BICUBIC, threads=1
        )
        return np.asarray(tiny.to_ndarray(), np.uint8)


def _pixels(frame: Any) -> npt.NDArray[np.uint8]:
    """Return the frame's own memory (height, width, 3): copying a large picture costs as much as scaling."""
    plane = frame.planes[0]
    rows = np.frombuffer(plane, np.uint8).reshape(plane.height, plane.line_size)
    return rows[:, : 3 * plane.width].reshape(plane.height, plane.width, 3)


def small_pictures(
    path: Path, table: PtsTable, facts: VideoFacts, *, keyframes: bool = False, start: int = 0
) -> Iterator[tuple[int, Small]]:
    """Yield `(index, pictures)` of every frame that decodes.

    B-frames are decoded without the loop filter, which saves time and costs no cut. `keyframes`
    decodes keyframes only; `start` is the first keyframe to decode. Raises MediaError.
    """
    places = {int(pts): index for index, pts in enumerate(table.pts)}
    container, stream = open_video(path, skip_loop_filter="all" if keyframes else "bidir")
    scalers = Scalers()
    try:
        if stream.index != facts.stream_index:
            raise MediaError(f"{path.name}: the file has changed; probe it again")
        if keyframes:
            stream.codec_context.skip_frame = "NONKEY"
        if start and not seek(container, stream, int(table.pts[start])):
            raise MediaError(f"{path.name}: the file does not support seeking; read it from the beginning")
        for frame in decoded(container, stream):
            index = places.get(int(frame.pts))
            if index is not None and index >= start:
                yield index, Small(frame, scalers)
    finally:
        container.close()
