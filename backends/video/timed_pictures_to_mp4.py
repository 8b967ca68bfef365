"""Join pictures into a video that every browser plays."""

from __future__ import annotations

import io
from collections.abc import Sequence

import av
import cv2

from backends.protocols import Picture
from backends.video.mp4_packets import CLOCK, h264_stream

FPS = 10
"""Each picture takes several frames: players seek badly in a video with long frames."""


def slide_film(pictures: Sequence[Picture], shown_ms: int) -> bytes:
    """Return H.264 in MP4: each picture for `shown_ms`, in the size of the first. Needs one picture."""
    height, width = (max(2, side // 2 * 2) for side in pictures[0].shape[:2])
    out = io.BytesIO()
    with av.open(out, "w", format="mp4") as container:
        stream = h264_stream(container, width, height, FPS)
        turns = max(1, round(shown_ms * FPS / 1000))
        for number in range(len(pictures) * turns):
            picture = pictures[number // turns]
            shown = cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA)
            frame = av.VideoFrame.from_ndarray(shown, format="rgb24")
            frame.pts, frame.time_base = number * CLOCK // FPS, stream.codec_context.time_base
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return out.getvalue()
