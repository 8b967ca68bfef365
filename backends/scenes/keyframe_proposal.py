"""Propose scenes from keyframes only, in a twentieth of the time of a full pass."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import av
import numpy as np

from backends.protocols import Progress, PtsTable, SceneCuts
from backends.scenes.dissolves import Thumbs, unlike
from backends.video.low_resolution_pictures import small_pictures
from backends.video_and_word_types import VideoFacts

PARAMS: Mapping[str, Any] = {"difference": 12.0, "likeness": 0.5}
"""Neighbouring keyframes are in different scenes if they differ by more (root mean square, 0 to 255)
and correlate by less."""

_EVERY = 25
"""Keyframes between two calls of `progress`."""


def propose(path: Path, table: PtsTable, facts: VideoFacts, progress: Progress | None = None) -> SceneCuts:
    """Return scenes that begin at keyframes unlike the previous keyframe.

    The result is an estimate: encoders put keyframes at most cuts but not all, and a scene between two
    keyframes is missed. Raises MediaError, and what `progress` raises.
    """
    thumbs = Thumbs()
    for index, small in small_pictures(path, table, facts, keyframes=True):
        thumbs.add(index, small.picture)
        if progress is not None and len(thumbs.frames) % _EVERY == 0:
            progress(index, len(table.pts))
    apart = unlike(thumbs, **PARAMS) if len(thumbs.frames) > 1 else np.array([], np.int64)
    starts = (0, *(thumbs.frames[place + 1] for place in apart if thumbs.frames[place + 1] > 0))
    return SceneCuts(
        starts=starts,
        detector={"name": "keyframes", "params": dict(PARAMS), "version": f"av {av.__version__}"},
    )
