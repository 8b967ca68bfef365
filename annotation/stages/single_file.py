"""Detects the scenes of a file without a workspace. Unfinished work is kept in the cache folder."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from typing import Any

from annotation.workspace.workspace import cache_folder
from backends.protocols import Progress
from backends.scenes.resume_file import digest, forget_old
from backends.scenes.scene_detectors import scene_detector
from backends.video.probe import probe


def scenes_of_file(path: Path, detector: str, progress: Progress) -> dict[str, Any]:
    """Return the JSON printed by `python app.py scenes`.

    Raises MediaError, UsageError, BackendUnavailable; `progress` may raise Stopped.
    """
    facts, table = probe(path)
    notes = _half_done(path, detector)
    cuts = scene_detector(detector).detect(path, table, facts, progress, notes)
    rmtree(notes, ignore_errors=True)
    ends = [*cuts.starts[1:], len(table.pts)]
    seconds = [*table.seconds.tolist(), table.end_s]
    rows = [
        {
            "index": i,
            "start_s": round(seconds[a], 6),
            "end_s": round(seconds[b], 6),
            "start_frame": a,
            "end_frame": b,
        }
        for i, (a, b) in enumerate(zip(cuts.starts, ends, strict=True))
    ]
    return {"video": str(path), "detector": dict(cuts.detector), "scenes": rows}


def _half_done(path: Path, detector: str) -> Path:
    """Return the folder for unfinished work on this file. Old folders are deleted."""
    folder = cache_folder() / "unfinished"
    forget_old(folder)
    return folder / digest({"path": str(path.resolve()), "detector": detector})
