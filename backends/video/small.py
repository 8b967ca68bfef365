"""Small pictures of a whole file in presentation order, for detectors: every frame, or keyframes alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from av.video.reformatter import Interpolation

from annotation.errors import MediaError
from annotation.records import VideoFacts
from backends.protocols import Picture, PtsTable
from backends.video.decode import decoded, open_video, seek
from backends.video.geometry import Converter

WIDTH = 256
"""Pixels of width that detectors see, PySceneDetect's own choice."""

_SCALER = Interpolation.FAST_BILINEAR
"""The cheapest, and the one whose scores are nearest to PySceneDetect's own scaling, for
which its thresholds are made (34.1 against 34.5 where a smoother scaler gives 26.9)."""


def small_pictures(
    path: Path, table: PtsTable, facts: VideoFacts, *, keyframes: bool = False, start: int = 0
) -> Iterator[tuple[int, Picture]]:
    """`(index, picture)` of every frame that decodes, BGR, at most `WIDTH` pixels wide.

    Pictures are as coded, not turned and with the pixels' own shape: detectors do
    not care. B-frames go without their loop filter, which costs no cut and saves time.
    `keyframes` decodes those alone; `start` is the keyframe to begin with. Raises MediaError.
    """
    places = {int(pts): index for index, pts in enumerate(table.pts)}
    container, stream = open_video(path, skip_loop_filter="all" if keyframes else "bidir")
    converter = Converter()
    try:
        if stream.index != facts.stream_index:
            raise MediaError(f"{path.name}: the file has changed; probe it again")
        if keyframes:
            stream.codec_context.skip_frame = "NONKEY"
        if start and not seek(container, stream, int(table.pts[start])):
            raise MediaError(f"{path.name}: it cannot be searched; go through it from the beginning")
        for frame in decoded(container, stream):
            index = places.get(int(frame.pts))
            if index is not None and index >= start:
                yield index, _small(converter, frame)
    finally:
        container.close()


def _small(converter: Converter, frame: Any) -> Picture:
    shrink = max(1.0, frame.width / WIDTH)
    width, height = round(frame.width / shrink), max(1, round(frame.height / shrink))
    return converter.scaled(frame, width, height, "bgr24", _SCALER)
