"""Synthetic clips. Every frame shows its number, so that tests detect a wrong frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from backends.protocols import Picture

DATA = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "videos"
"""Real videos next to the checkout; tests that need them are skipped if they are missing."""

_BITS = 10
WIDTH, HEIGHT = 160, 96


def numbered(index: int, width: int = WIDTH, height: int = HEIGHT) -> Picture:
    """A soft texture with `index` as a row of black and white blocks at the top."""
    across = np.linspace(40, 200, width)[None, :] + np.linspace(0, 40, height)[:, None]
    picture = np.repeat(across[:, :, None], 3, axis=2).astype(np.uint8)
    block = width // _BITS
    for bit in range(_BITS):
        picture[: height // 3, bit * block : (bit + 1) * block] = 235 if index >> bit & 1 else 16
    return picture


def number_of(picture: Picture) -> int:
    """Read the number that `numbered` drew, from a decoded picture of any size."""
    height, width = picture.shape[:2]
    row = picture[height // 6].mean(axis=1)
    return sum((row[int((bit + 0.5) * width / _BITS)] > 125) << bit for bit in range(_BITS))


def textured(seed: int, level: float = 128.0, width: int = WIDTH, height: int = HEIGHT) -> Picture:
    """A picture with mean brightness `level` that is unlike those of other seeds."""
    rng = np.random.default_rng(seed)
    coarse = rng.uniform(0, 255, (6, 10, 3))
    picture = np.kron(coarse, np.ones((height // 6, width // 10, 1)))
    brightened: Picture = np.clip(picture * level / picture.mean(), 0, 255).astype(np.uint8)
    return brightened


def write_clip(
    path: Path,
    pictures: Iterable[Picture],
    *,
    pts: Sequence[int] | None = None,
    time_base: Fraction = Fraction(1, 25),
    codec: str = "libx264",
    keyint: int = 12,
    bframes: int = 2,
    muxer: dict[str, str] | None = None,
    prepare: Callable[[Any], None] | None = None,
    pixels: str = "rgb24",
) -> Path:
    """Encode `pictures`, in RGB or the format `pixels`.

    `pts` are their times in units of `time_base`, 0, 1, 2 ... by default.
    """
    with av.open(str(path), "w", options=muxer or {}) as out:
        stream: Any = None
        for index, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, pixels)
            if stream is None:
                stream = _stream(out, codec, frame, time_base, keyint, bframes)
                if prepare is not None:
                    prepare(stream)
            frame.pts = pts[index] if pts is not None else index
            frame.time_base = time_base
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
    return path


def _stream(out: Any, codec: str, first: Any, time_base: Fraction, keyint: int, bframes: int) -> Any:
    stream = out.add_stream(codec, rate=25)
    stream.height, stream.width = first.height, first.width
    stream.pix_fmt = "yuv420p"
    stream.codec_context.time_base = time_base
    stream.codec_context.gop_size = keyint
    if codec == "libx264":
        stream.options = {"bf": str(bframes), "preset": "veryfast", "crf": "16", "sc_threshold": "0"}
    return stream


def real_videos() -> list[Path]:
    """Return every file of the real set, readable or not; empty if it is missing."""
    if not DATA.is_dir():
        return []
    return sorted(path for path in DATA.iterdir() if path.suffix not in (".md", ".txt"))
