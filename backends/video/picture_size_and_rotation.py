"""Convert a coded picture into the displayed one: pixel shape, then rotation."""

from __future__ import annotations

from typing import Any

import numpy as np
from av.video.reformatter import Colorspace, Interpolation, VideoReformatter

from backends.protocols import Picture

_EXACT = Interpolation.BILINEAR | Interpolation.ACCURATE_RND | Interpolation.FULL_CHR_H_INT
"""Within one level of Chromium's picture; without either flag, pictures are 1 to 2 levels too dark."""

_UNSPECIFIED = 2
"""FFmpeg's value for an unspecified colour space."""


def quarter_turns(frame: Any) -> int:
    """Return the number of 90-degree counterclockwise turns that a player applies: 0 to 3."""
    return round(int(frame.rotation) / 90) % 4


def square_size(frame: Any, stream: Any) -> tuple[int, int]:
    """Return (width, height) of the coded picture in square pixels, before rotation.

    As in Chromium, the shorter side of a pixel is stretched and the longer one is kept.
    """
    aspect = stream.sample_aspect_ratio
    if not aspect or aspect <= 0:
        return frame.width, frame.height
    if aspect >= 1:
        return max(1, round(frame.width * aspect)), frame.height
    return frame.width, max(1, round(frame.height / aspect))


def shown_size(frame: Any, stream: Any) -> tuple[int, int]:
    """Return (width, height) as displayed."""
    width, height = square_size(frame, stream)
    return (height, width) if quarter_turns(frame) % 2 else (width, height)


def picture_size(width: int, height: int, wanted: int | None) -> tuple[int, int]:
    """Scale `(width, height)` to `wanted` pixels of width, with the same aspect ratio."""
    if wanted is None or wanted == width:
        return width, height
    if wanted < 1:
        raise ValueError(f"a picture cannot be {wanted} pixels wide")
    return wanted, max(1, int(height * wanted / width + 0.5))


class Converter:
    """Converts decoded frames to pictures. Each reader has one, because it keeps the scaler."""

    def __init__(self, *, codec: str = "") -> None:
        # VP8 does not store a colour space: FFmpeg reports one, but browsers use the height.
        self._named = codec != "vp8"
        self._scaler = VideoReformatter()

    def picture(self, frame: Any, size: tuple[int, int], turns: int) -> Picture:
        """Return an RGB picture of `size` = (width, height), turned counterclockwise `turns` times by 90°."""
        width, height = size if turns % 2 == 0 else (size[1], size[0])
        plain = self.scaled(frame, width, height, "rgb24", _EXACT, self._space(frame))
        return np.ascontiguousarray(np.rot90(plain, turns)) if turns else plain

    def scaled(
        self,
        frame: Any,
        width: int,
        height: int,
        pixels: str,
        how: Interpolation,
        space: Colorspace | None = None,
    ) -> Picture:
        """Return (height, width, 3) in `pixels` (`rgb24`, `bgr24`), not rotated; `space`: colour space."""
        plain = self._scaler.reformat(
            frame,
            width=width,
            height=height,
            format=pixels,
            src_colorspace=space,
            interpolation=how,
            threads=1,
        )
        return np.asarray(plain.to_ndarray(), np.uint8)

    def _space(self, frame: Any) -> Colorspace | None:
        """Return None to use the file's colour space, else what browsers use: BT.709 from 720 lines on."""
        if self._named and frame.colorspace != _UNSPECIFIED:
            return None
        return Colorspace.ITU709 if frame.height >= 720 else Colorspace.ITU601
