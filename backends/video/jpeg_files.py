"""Encode pictures as JPEG and PNG, for models, galleries and frame strips."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from backends.atomic_files import whole
from backends.protocols import FrameReader, Picture

THUMBNAIL_QUALITY = 80


def jpeg(picture: Picture, quality: int = 85) -> bytes:
    """Encode `picture` (height, width, 3) RGB as JPEG; quality 1 to 100.

    Raises ValueError for other arrays, and for more than JPEG's limit of 65,500 pixels a side.
    """
    return _encoded(picture, "jpg", [cv2.IMWRITE_JPEG_QUALITY, quality])


def png(picture: Picture) -> bytes:
    """Encode `picture` (height, width, 3) RGB as PNG, without loss. Raises ValueError as `jpeg`."""
    return _encoded(picture, "png", [])


def _encoded(picture: Picture, kind: str, options: list[int]) -> bytes:
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise ValueError(f"not an RGB picture: shape {picture.shape}, {picture.dtype}")
    done, data = cv2.imencode(f".{kind}", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), options)
    if not done:
        name = {"jpg": "JPEG"}.get(kind, kind.upper())
        raise ValueError(f"a picture of {picture.shape[1]}x{picture.shape[0]} cannot be written as {name}")
    return bytes(data)


def write_thumbnail(reader: FrameReader, index: int, *, width: int, file: Path) -> None:
    """Write a frame as JPEG, `width` pixels wide, atomically; keep an existing file.

    Raises MediaError if the frame cannot be decoded, IndexError if it is not in the table.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        data = jpeg(reader.frame(index, width=width), THUMBNAIL_QUALITY)
        with whole(file) as part:
            part.write_bytes(data)
