"""The scores of PySceneDetect's content and adaptive detectors at a fraction of their cost.

Its own scoring turns six planes into wide integers for every picture, which costs more than reading the
picture; OpenCV sums the same differences as they are. Its flash filter works out exact times for every
picture, also where none can matter. Everything else about the detectors stays theirs.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

import cv2
from scenedetect.common import FrameTimecode
from scenedetect.detector import FlashFilter
from scenedetect.detectors import ContentDetector

from backends.protocols import Picture
from backends.scenes.fades_and_short_scenes import brightness


def with_quick_scores(engine: Any) -> Any:
    """`engine` itself, a ContentDetector or an AdaptiveDetector, whose scoring is that of the first."""
    engine._calculate_frame_score = MethodType(_score, engine)
    flashes = getattr(engine, "_flash_filter", None)
    if flashes is not None and flashes._mode == FlashFilter.Mode.MERGE:
        flashes.filter = MethodType(_filter, flashes)
    return engine


def _filter(flashes: Any, timecode: FrameTimecode, above_threshold: bool) -> list[FrameTimecode]:
    """As FlashFilter's method where it has something to say or to remember; else at once."""
    if not above_threshold and not flashes._merge_triggered and flashes._last_above is not None:
        return []
    found: list[FrameTimecode] = FlashFilter.filter(flashes, timecode, above_threshold)
    return found


def _score(engine: Any, timecode: FrameTimecode, picture: Picture) -> float:  # noqa: ARG001 - its signature
    """As ContentDetector's method with one of its two sets of weights; 0 for the first picture."""
    luma_only = engine._weights == ContentDetector.LUMA_ONLY_WEIGHTS
    seen = brightness(picture) if luma_only else cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    last, engine._last_frame = engine._last_frame, seen
    return 0.0 if last is None else float(cv2.norm(seen, last, cv2.NORM_L1)) / seen.size
