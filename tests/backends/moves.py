"""Synthetic camera moves: a texture seen through a window that pans, tilts, zooms or shakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from backends.protocols import Picture, PtsTable
from backends.video_and_word_types import VideoFacts

WIDTH, HEIGHT = 480, 270
FPS = 25

Path = Callable[[float], tuple[float, float, float]]
"""Time in seconds to the window's centre (x, y: picture widths and heights) and magnification."""
Box = Callable[[float], tuple[float, float]]
"""Time to an object's centre in the picture, fractions."""


class ArrayReader:
    """A FrameReader for pictures in memory."""

    def __init__(self, pictures: Sequence[Picture], fps: float = FPS) -> None:
        self.pictures = pictures
        height, width = pictures[0].shape[:2]
        rate = round(fps * 1000)
        self.table = PtsTable(
            pts=np.arange(len(pictures), dtype=np.int64) * 1000,
            keyframes=np.zeros(1, np.int64),
            time_base=f"1/{rate}",
            start_s=0.0,
            end_s=len(pictures) / fps,
        )
        self.facts = VideoFacts(
            stream_index=0,
            frames=len(pictures),
            duration_s=len(pictures) / fps,
            width=width,
            height=height,
            rotation=0,
            sample_aspect="1:1",
            fps_avg=fps,
            vfr=False,
            codec="raw",
            pixel_format="rgb24",
            time_base=f"1/{rate}",
            start_pts=0,
            start_s=0.0,
            audio=False,
            browser_playable=False,
        )

    def frame(self, index: int, *, width: int | None = None) -> Picture:
        picture = self.pictures[index]
        if width is None or width == picture.shape[1]:
            return picture
        height = round(picture.shape[0] * width / picture.shape[1])
        return np.asarray(cv2.resize(picture, (width, height), interpolation=cv2.INTER_AREA))

    def frames(self, indices: Iterable[int], *, width: int | None = None) -> Iterator[tuple[int, Picture]]:
        for index in indices:
            yield index, self.frame(index, width=width)

    def close(self) -> None:
        pass


def texture(seed: int = 0, size: tuple[int, int] = (3 * HEIGHT, 4 * WIDTH)) -> Picture:
    """A cloudy background with detail of several sizes and muted colours."""
    random = np.random.default_rng(seed)
    out = np.zeros((*size, 3), np.float32)
    for cells, weight in ((12, 0.9), (40, 0.7), (160, 0.5)):
        small = random.normal(0, 1, (cells * size[0] // size[1] + 1, cells, 3)).astype(np.float32)
        small = 0.75 * small.mean(axis=2, keepdims=True) + 0.25 * small
        out += weight * cv2.resize(small, size[::-1], interpolation=cv2.INTER_CUBIC)
    return np.clip(118 + 42 * out, 0, 255).astype(np.uint8)


@dataclass(frozen=True)
class Thing:
    """A coloured rectangle in front of the background."""

    path: Box
    size: tuple[float, float] = (0.18, 0.3)
    rgb: tuple[int, int, int] = (200, 30, 30)


def film(
    ground: Picture,
    path: Path,
    seconds: float = 2.0,
    *,
    thing: Thing | None = None,
    fps: float = FPS,
    noise: float = 2.0,
) -> ArrayReader:
    """Pictures of `ground` from a camera on `path`, with sensor noise."""
    random = np.random.default_rng(1)
    pictures = []
    for number in range(round(seconds * fps)):
        t = number / fps
        picture = _shot(ground, *path(t))
        if thing is not None:
            _draw(picture, thing, t)
        grain = random.normal(0, noise, picture.shape)
        pictures.append(np.clip(picture + grain, 0, 255).astype(np.uint8))
    return ArrayReader(pictures, fps)


def _shot(ground: Picture, x: float, y: float, zoom: float) -> Picture:
    height, width = ground.shape[:2]
    matrix = np.array(
        [
            [1 / zoom, 0, width / 2 + x * WIDTH - WIDTH / (2 * zoom)],
            [0, 1 / zoom, height / 2 + y * HEIGHT - HEIGHT / (2 * zoom)],
        ]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    shot = cv2.warpAffine(ground, matrix, (WIDTH, HEIGHT), flags=flags, borderMode=cv2.BORDER_REFLECT)
    return np.asarray(shot)


def _draw(picture: Picture, thing: Thing, t: float) -> None:
    x, y = thing.path(t)
    width, height = thing.size
    corner = (round((x - width / 2) * WIDTH), round((y - height / 2) * HEIGHT))
    other = (round((x + width / 2) * WIDTH), round((y + height / 2) * HEIGHT))
    cv2.rectangle(picture, corner, other, thing.rgb, -1)
