"""Child process of `decord_reader`: reads one batch of frames, then exits."""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Sequence
from multiprocessing.connection import Connection
from typing import Any

import numpy as np


def serve(out: Connection, path: str, indices: Sequence[int], width: int, height: int) -> None:
    """Send a header as JSON, then each picture as bytes: (height, width, 3), RGB.

    The header has `count` (decord's number of frames) and `seconds` (times of the
    requested frames, relative to the first frame of the file), or `error`.
    """
    try:
        video = importlib.import_module("decord").VideoReader(path)
        count = len(video)
        inside = [index for index in indices if index < count]
        stamps = video.get_frame_timestamp([0, *inside])[:, 0]
        pictures = video.get_batch(inside).asnumpy() if inside else []
    except Exception as error:  # noqa: BLE001 - every error is sent to the parent process
        _send(out, {"error": _first_line(error)})
        return
    _send(out, {"count": count, "seconds": [float(stamp - stamps[0]) for stamp in stamps[1:]]})
    for picture in pictures:
        out.send_bytes(_sized(picture, width, height).tobytes())


def _send(out: Connection, header: dict[str, Any]) -> None:
    out.send_bytes(json.dumps(header).encode())


def _first_line(error: Exception) -> str:
    """Return the message of a decord error without its source location and C++ stack."""
    lines = str(error).strip().splitlines()
    line = (lines[0] if lines else "") or type(error).__name__
    return re.sub(r"^.*\.cc:\d+: (Check failed: .*?\) )?", "", line)[:200].strip()


def _sized(picture: Any, width: int, height: int) -> Any:
    if picture.shape[:2] == (height, width):
        return np.ascontiguousarray(picture)
    import cv2

    how = cv2.INTER_AREA if width < picture.shape[1] else cv2.INTER_LINEAR
    return cv2.resize(picture, (width, height), interpolation=how)
