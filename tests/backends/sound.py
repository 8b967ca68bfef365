"""Decode the whole sound of a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from backends.video.audio import RATE, SoundFile


@dataclass(frozen=True, slots=True)
class Sound:
    """Sound of one file. Sample 0 is at time 0 of a player."""

    samples: npt.NDArray[np.float32]
    """(n,) mono, -1 to 1, `RATE` per second; empty without sound."""
    present: bool
    """Whether the file has an audio stream."""
    errors: int
    """Number of packets that could not be decoded."""

    @property
    def duration_s(self) -> float:
        return len(self.samples) / RATE


def read_sound(path: Path) -> Sound:
    """Decode the first audio stream of `path`. Errors as `SoundFile.blocks`."""
    file = SoundFile(path)
    blocks = [np.zeros(0, np.float32), *file.blocks()]
    return Sound(np.concatenate(blocks), file.present, file.errors)
