"""Store PTS tables on disk, and classify their frame rates."""

from __future__ import annotations

import zipfile
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np

from backends.atomic_files import whole
from backends.errors import MediaError
from backends.protocols import PtsTable

_FIELDS = ("pts", "keyframes", "time_base", "start_s", "end_s")


def is_variable(table: PtsTable) -> bool:
    """Return whether frame intervals differ by more than rounding (one unit or 1 ms, whichever is more)."""
    if len(table.pts) < 3:
        return False
    tolerance = max(1.0, 0.001 / float(Fraction(table.time_base)))
    intervals = np.diff(table.pts)
    even = np.linspace(table.pts[0], table.pts[-1], len(table.pts))
    spread = int(intervals.max() - intervals.min())
    return bool(spread > 2 * tolerance or np.abs(table.pts - even).max() > tolerance + 1e-6)


def save_table(table: PtsTable, path: Path) -> None:
    """Write `table` as `.npz` (plain arrays, no pickle), atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as part, part.open("wb") as file:
        np.savez_compressed(
            file,
            allow_pickle=False,
            pts=table.pts,
            keyframes=table.keyframes,
            time_base=np.array(table.time_base),
            start_s=np.array(table.start_s),
            end_s=np.array(table.end_s),
        )


def load_table(path: Path) -> PtsTable:
    """Read a file of `save_table`. Raises MediaError if it is missing or damaged."""
    try:
        if not zipfile.is_zipfile(path):
            raise ValueError("not an archive")
        with np.load(path, allow_pickle=False) as data:
            pts, keyframes, time_base, start_s, end_s = (data[name] for name in _FIELDS)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise MediaError(f"{path.name}: not a readable PTS table; probe the video again") from error
    return PtsTable(
        pts=pts.astype(np.int64),
        keyframes=keyframes.astype(np.int64),
        time_base=str(time_base),
        start_s=float(start_s),
        end_s=float(end_s),
    )
