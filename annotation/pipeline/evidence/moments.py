"""Data classes for the moments of a video, the facts about them, and their scores in `ranking`.

Plain data, without the store.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Source = Literal["script", "frame caption", "speech", "text on screen"]
"""Source of words about a moment."""
LONGEST_S = 12.0
"""Longer scenes are divided into several moments."""
PART_S = 8.0
MOST_PARTS = 400
"""Maximum number of moments of a video; the parts of a long video are longer."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A scene, or a part of a long one."""

    scene: int
    """Index of its scene; -1 in a video without scenes."""
    start: int
    """First frame."""
    end: int
    """First frame after it."""
    start_s: float
    end_s: float

    def seconds_of(self, frame: int) -> float:
        return self.start_s + (frame - self.start) / max(1, self.end - self.start) * (
            self.end_s - self.start_s
        )


@dataclass(frozen=True, slots=True)
class Words:
    """Text or speech about a range of the video."""

    source: Source
    text: str
    moments: tuple[int, ...]
    """Numbers of the moments that it is about."""
    times: tuple[tuple[str, float], ...] = ()
    """Single words, each with its start in seconds."""
    at_s: float | None = None
    """Time in seconds, if it is known more precisely than from `moments`."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """Frames as vectors of an image-text model."""

    engine: str
    """Key of the model. Texts are compared only with pictures of the same model."""
    model: str
    frames: tuple[int, ...]
    rows: NDArray[np.float32]
    """(frames, d), each of length 1."""


@dataclass(frozen=True, slots=True)
class Known:
    """The facts about one video."""

    moments: Sequence[Moment]
    words: Sequence[Words]
    measured: Mapping[int, Mapping[str, Any]]
    """Measurements by scene index and kind."""
    timed: bool = True
    """False if there is no file, so that the frames of scenes are nominal."""
    pictures: Pictures | None = None


def cut_in_parts(scenes: Sequence[Moment]) -> list[Moment]:
    """Divide long scenes into moments of about equal length."""
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
    """Return the numbers of the moments that overlap a time range."""
    return tuple(n for n, m in enumerate(moments) if m.start_s < end_s and start_s < m.end_s)


def moment_at(moments: Sequence[Moment], frame: int) -> tuple[int, ...]:
    return tuple(n for n, m in enumerate(moments) if m.start <= frame < m.end)


@dataclass(frozen=True, slots=True)
class Vote:
    """The score that a source gives to one moment."""

    score: float
    """Only the order of scores is used."""
    words: str
    """The reason, as shown on the page."""
    at_s: float | None = None
    """Time within the moment in seconds, if the source knows it."""


Votes = dict[int, Vote]
"""Votes by number of the moment."""
