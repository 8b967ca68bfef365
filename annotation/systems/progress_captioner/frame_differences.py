"""Appearance of candidate frames: descriptors, cached beside the thumbnails, and neighbour differences."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from backends.errors import MediaError
from backends.measurements.frame_vectors import NAME, WIDTH, describe
from backends.protocols import Picture

Vectors = npt.NDArray[np.float32]
DESCRIPTOR = NAME


def frame_looks(media: MediaLibrary, video: Video, indices: Sequence[int]) -> Vectors:
    """(n, d) descriptors of frames, each of length 1, in the order of `indices`. Raises MediaError.

    Descriptors are cached in the media folder, which can be deleted at any time.
    """
    file = media.folder_of(video) / f"looks-2-{NAME}.npz"  # files without 2 may hold estimates in grey
    known = _load(file)
    missing = sorted(set(indices) - set(known))
    if missing:
        with media.reader(video) as reader:
            known |= {index: describe(picture) for index, picture in reader.frames(missing, width=WIDTH)}
        _save(file, known)
    if lost := [index for index in indices if index not in known]:
        raise MediaError(f"{video.title}: frame {lost[0]} cannot be decoded; choose other candidates")
    return np.array([known[index] for index in indices], np.float32)


def _load(file: Path) -> dict[int, npt.NDArray[np.float32]]:
    try:
        with np.load(file, allow_pickle=False) as kept:
            return dict(zip(kept["frames"].tolist(), kept["vectors"], strict=True))
    except (OSError, ValueError, KeyError, BadZipFile):
        return {}


def _save(file: Path, known: dict[int, npt.NDArray[np.float32]]) -> None:
    frames = sorted(known)
    part = file.with_name(f".{secrets.token_hex(4)}.npz")
    try:
        np.savez(part, frames=np.array(frames, np.int64), vectors=np.array([known[i] for i in frames]))
        part.replace(file)
    except FileNotFoundError:  # the video was removed in the meantime
        return


def picture_difference(a: Picture, b: Picture) -> float:
    """0 (same) to 1: half colour histogram distance, half mean structure difference."""
    return round(0.5 * float(np.abs(_histogram(a) - _histogram(b)).sum()) / 2 + 0.5 * _structure(a, b), 4)


def _histogram(picture: Picture) -> np.ndarray[Any, Any]:
    """(64,) joint colour histogram in 4 steps per channel, summing to 1."""
    steps = (picture // 64).astype(np.int64)
    index = steps[..., 0] * 16 + steps[..., 1] * 4 + steps[..., 2]
    counts = np.bincount(index.ravel(), minlength=64).astype(np.float64)
    return np.asarray(counts / counts.sum())


def _structure(a: Picture, b: Picture) -> float:
    gray_a, gray_b = (p[::4, ::4].mean(axis=2) for p in (a, b))
    return float(min(1.0, np.abs(gray_a - gray_b).mean() / 64))
