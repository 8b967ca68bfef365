"""Compute the scores of PySceneDetect's content and adaptive detectors faster.

PySceneDetect converts six planes per picture to wide integers, which costs more than decoding; OpenCV
sums the same differences without conversion. Its flash filter also computes exact times for pictures
that cannot matter. The rest of the detectors is unchanged.
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
    """Replace the scoring of `engine`, a ContentDetector or AdaptiveDetector, and return it."""
    engine._calculate_frame_score = MethodType(_score, engine)
    flashes = getattr(engine, "_flash_filter", None)
    if flashes is not None and flashes._mode == FlashFilter.Mode.MERGE:
        flashes.filter = MethodType(_filter, flashes)
    return engine


def _filter(flashes: Any, timecode: FrameTimecode, above_threshold: bool) -> list[FrameTimecode]:
    """Call FlashFilter's method only if it has a result or must update its state."""
    if not above_threshold and not flashes._merge_triggered and flashes._last_above is not None:
        return []
    found: list[FrameTimecode] = FlashFilter.filter(flashes, timecode, above_threshold)
    return found


def _score(engine: Any, timecode: FrameTimecode, picture: Picture) -> float:  # noqa: ARG001 - its signature
    """Score like ContentDetector's method, for either set of weights; 0 for the first picture."""
    luma_only = engine._weights == ContentDetector.LUMA_ONLY_WEIGHTS
    seen = brightness(picture) if luma_only else cv2.cvtColor(picture, cv2.COLOR_BGR2HSV)
    last, engine._last_frame = engine._last_frame, seen
    return 0.0 if last is None else float(cv2.norm(seen, last, cv2.NORM_L1)) / seen.size
