"""H.264 packets in MP4 format: each unit is preceded by its length in four bytes."""

from __future__ import annotations

import re
from fractions import Fraction

import av

from backends.errors import MediaError
from backends.protocols import Picture

_START = re.compile(rb"\x00\x00\x00?\x01")
"""Start code before each unit in a byte stream (Annex B of ITU-T H.264)."""


def parameter_sets(extradata: bytes) -> bytes:
    """Return the parameter sets of an `avcC` box (ISO/IEC 14496-15, 5.3.3), each preceded by its length.

    Raises MediaError for any other data.
    """
    if len(extradata) < 7 or extradata[0] != 1 or extradata[4] & 3 != 3:
        raise MediaError("the stream is not H.264 in MP4 format; convert it to H.264 in MP4")
    found, at = b"", 5
    for mask in (0x1F, 0xFF):
        count, at = extradata[at] & mask, at + 1
        for _ in range(count):
            size = int.from_bytes(extradata[at : at + 2], "big")
            found += size.to_bytes(4, "big") + extradata[at + 2 : at + 2 + size]
            at += 2 + size
    return found


def still(picture: Picture) -> bytes:
    """Encode `picture` (height, width, 3), with even sides, as one keyframe with its parameter sets."""
    context = av.CodecContext.create("libx264", "w")
    context.height, context.width = picture.shape[:2]
    context.pix_fmt, context.time_base = "yuv420p", Fraction(1, 25)
    context.options = {"preset": "veryfast", "crf": "20", "tune": "stillimage"}
    frame = av.VideoFrame.from_ndarray(picture, "rgb24").reformat(format="yuv420p")
    frame.pts = 0
    packets = [*context.encode(frame), *context.encode(None)]
    units = _START.split(b"".join(bytes(packet) for packet in packets))
    return b"".join(len(unit).to_bytes(4, "big") + unit for unit in units if unit)
