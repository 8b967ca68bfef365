"""Pictures as JPEG files: for models, galleries and frame strips."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from backends.atomic_files import whole
from backends.errors import MediaError
from backends.protocols import FrameReader, Picture, Progress


def jpeg(picture: Picture, quality: int = 85) -> bytes:
    """`picture` (height, width, 3) RGB as JPEG; quality 1 to 100.

    Raises ValueError for what is no such picture or is beyond JPEG's 65,500 pixels a side.
    """
    return _encoded(picture, "jpg", [cv2.IMWRITE_JPEG_QUALITY, quality])


def png(picture: Picture) -> bytes:
    """`picture` (height, width, 3) RGB as PNG, every pixel as it is. Raises ValueError as `jpeg`."""
    return _encoded(picture, "png", [])


def _encoded(picture: Picture, kind: str, options: list[int]) -> bytes:
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8:
        raise ValueError(f"not an RGB picture: shape {picture.shape}, {picture.dtype}")
    done, data = cv2.imencode(f".{kind}", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR), options)
    if not done:
        name = {"jpg": "JPEG"}.get(kind, kind.upper())
        raise ValueError(f"a picture of {picture.shape[1]}x{picture.shape[0]} cannot be written as {name}")
    return bytes(data)


@dataclass(frozen=True, slots=True)
class Thumbnails:
    """What `write_thumbnails` left in its folder."""

    paths: Mapping[int, Path]
    """Frame index -> file, ascending; those that were there before too."""
    problems: Mapping[int, str]
    """Frame index -> why it has no file."""


def write_thumbnails(
    reader: FrameReader,
    indices: Iterable[int],
    *,
    width: int,
    folder: Path,
    quality: int = 80,
    progress: Progress | None = None,
) -> Thumbnails:
    """Write frame i of the table as `folder/i.jpg`, `width` pixels wide.

    Files that exist are kept; each appears whole or not at all. A frame that
    cannot be decoded is named in `problems` and does not stop the others. Raises
    IndexError for a frame beyond the table; `progress` may raise Stopped.
    """
    wanted = sorted(set(indices))
    folder.mkdir(parents=True, exist_ok=True)
    paths: dict[int, Path] = {}
    problems: dict[int, str] = {}
    for done, index in enumerate(wanted, start=1):
        path = folder / f"{index}.jpg"
        try:
            if not path.exists():
                _write_whole(path, jpeg(reader.frame(index, width=width), quality))
            paths[index] = path
        except MediaError as error:
            problems[index] = str(error)
        if progress is not None:
            progress(done, len(wanted))
    return Thumbnails(paths, problems)


def _write_whole(path: Path, data: bytes) -> None:
    with whole(path) as part:
        part.write_bytes(data)
