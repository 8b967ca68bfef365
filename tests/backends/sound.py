"""All the sound of a file at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from backends.video.audio import RATE, SoundFile


@dataclass(frozen=True, slots=True)
class Sound:
    """The sound of one file. Sample 0 is where a player's clock is 0."""

    samples: npt.NDArray[np.float32]
    """(n,) mono, -1 to 1, `RATE` per second; empty when there is no sound."""
    present: bool
    """Whether the file has an audio stream."""
    errors: int
    """Packets that could not be decoded."""

    @property
    def duration_s(self) -> float:
        return len(self.samples) / RATE


def read_sound(path: Path) -> Sound:
    """All of the first audio stream of `path` at once; errors as `SoundFile.blocks`."""
    file = SoundFile(path)
    blocks = [np.zeros(0, np.float32), *file.blocks()]
    return Sound(np.concatenate(blocks), file.present, file.errors)
