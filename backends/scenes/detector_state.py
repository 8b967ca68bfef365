"""Save the state of PySceneDetect's detectors as JSON, and restore it.

The state consists of times and numbers; what a detector derives from the last picture is not included.
Times are stored as frames. The attribute names are those of scenedetect 0.7; notes of other versions are
not used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from scenedetect.common import FrameTimecode

_NAMES = (
    "_flash_filter._last_above",
    "_flash_filter._merge_enabled",
    "_flash_filter._merge_triggered",
    "_flash_filter._merge_start",
    "_buffer",
    "_last_cut",
    "_last_scene_cut",
    "last_scene_cut",
    "last_fade",
    "processed_frame",
)
"""State of ContentDetector, AdaptiveDetector, HistogramDetector, HashDetector and ThresholdDetector."""


def engine_state(engine: Any, index: Callable[[FrameTimecode], int]) -> str:
    """Return the state as JSON; `index` converts a timecode into a frame."""
    return json.dumps(
        {name: _plain(attrgetter(name)(engine), index) for name in _NAMES if _has(engine, name)}
    )


def set_engine_state(engine: Any, state: str, at: Callable[[int], FrameTimecode]) -> None:
    """Restore `state` in `engine`; `at` converts a frame into a timecode."""
    for name, value in json.loads(state).items():
        owner, _, attribute = name.rpartition(".")
        setattr(attrgetter(owner)(engine) if owner else engine, attribute, _moments(value, at))


def _has(engine: Any, name: str) -> bool:
    try:
        attrgetter(name)(engine)
    except AttributeError:
        return False
    return True


def _plain(value: Any, index: Callable[[FrameTimecode], int]) -> Any:
    if isinstance(value, FrameTimecode):
        return {"frame": index(value)}
    if isinstance(value, dict):
        return {"fields": {name: _plain(one, index) for name, one in value.items()}}
    if isinstance(value, list | tuple):
        return [_plain(one, index) for one in value]
    return value if value is None or isinstance(value, bool | str) else float(value)


def _moments(value: Any, at: Callable[[int], FrameTimecode]) -> Any:
    if isinstance(value, list):
        return [_moments(one, at) for one in value]
    if isinstance(value, dict):
        if "frame" in value:
            return at(value["frame"])
        return {name: _moments(one, at) for name, one in value["fields"].items()}
    return value
