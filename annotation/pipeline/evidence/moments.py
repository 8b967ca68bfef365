"""The moments of a video, what is known of each, and what a source says of them: what `ranking` ranks.

Plain data, no store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Source = Literal["script", "frame caption", "speech", "text on screen"]
"""Where words about a moment come from."""
LONGEST_S = 12.0
"""A longer scene is several moments."""
PART_S = 8.0
MOST_PARTS = 400
"""Of a video: of a longer one the parts are longer."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A scene, or a part of a long one."""

    scene: int
    """Index of its scene; -1 in a video without scenes."""
    start: int
    """First frame."""
    end: int
    """First frame that is not in it."""
    start_s: float
    end_s: float

    def seconds_of(self, frame: int) -> float:
        return self.start_s + (frame - self.start) / max(1, self.end - self.start) * (
            self.end_s - self.start_s
        )


@dataclass(frozen=True, slots=True)
class Words:
    """Something that is written or said about a stretch of the video."""

    source: Source
    text: str
    moments: tuple[int, ...]
    """Which moments it is about."""
    times: tuple[tuple[str, float], ...] = ()
    """Single words with the second at which each is said."""
    at_s: float | None = None
    """When, where that is known more closely than by `moments`."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Frames as vectors of an image-text model."""

    engine: str
    """Its key: texts are compared with pictures of the same one."""
    model: str
    frames: tuple[int, ...]
    rows: NDArray[np.float32]
    """(frames, d), each of length 1."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one video."""

    moments: Sequence[Moment]
    words: Sequence[Words]
    measured: Mapping[int, Mapping[str, Any]]
    """By scene index the measurements of the scene, by kind."""
    timed: bool = True
    """False where the frames of scenes are nominal: there is no file."""
    pictures: Pictures | None = None


def cut_in_parts(scenes: Sequence[Moment]) -> list[Moment]:
    """Long scenes as several moments of about equal length."""
    total = sum(scene.end_s - scene.start_s for scene in scenes)
    part_s = max(PART_S, total / MOST_PARTS)
    return [part for scene in scenes for part in _parts(scene, part_s)]


def _parts(scene: Moment, part_s: float) -> list[Moment]:
    length = scene.end_s - scene.start_s
    count = 1 if length <= max(LONGEST_S, part_s) else round(length / part_s)
    count = max(1, min(count, scene.end - scene.start))

    def frame(n: int) -> int:
        return scene.start + (scene.end - scene.start) * n // count

    return [
        Moment(
            scene.scene,
            frame(n),
            frame(n + 1),
            scene.start_s + length * n / count,
            scene.start_s + length * (n + 1) / count,
        )
        for n in range(count)
    ]


def moments_of_scene(moments: Sequence[Moment], scene: int) -> tuple[int, ...]:
    return tuple(n for n, moment in enumerate(moments) if moment.scene == scene)


def moments_between(moments: Sequence[Moment], start_s: float, end_s: float) -> tuple[int, ...]:
    """Those that a stretch of time touches."""
    return tuple(n for n, m in enumerate(moments) if m.start_s < end_s and start_s < m.end_s)


def moment_at(moments: Sequence[Moment], frame: int) -> tuple[int, ...]:
    return tuple(n for n, m in enumerate(moments) if m.start <= frame < m.end)


@dataclass(frozen=True, slots=True)
class Vote:
    """What a source says of one moment."""

    score: float
    """Only its order counts."""
    words: str
    """The reason as the page says it."""
    at_s: float | None = None
    """When within the moment, where the source knows it."""


Votes = dict[int, Vote]
"""By number of the moment."""
