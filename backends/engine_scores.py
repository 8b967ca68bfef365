"""The scores of PySceneDetect's content and adaptive detectors at a fraction of their cost.

Its own scoring turns six planes into wide integers for every picture, which costs more than reading the
picture; OpenCV sums the same differences as they are. Everything else about the detectors stays theirs.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

import cv2
from scenedetect.common import FrameTimecode
from scenedetect.detectors import ContentDetector

from backends.protocols import Picture


def with_quick_scores(engine: Any) -> Any:
    """`engine` itself, a ContentDetector or an AdaptiveDetector, whose scoring is that of the first."""
    engine._calculate_frame_score = MethodType(_score, engine)
    return engine


def _score(engine: Any, timecode: FrameTimecode, picture: Picture) -> float:  # noqa: ARG001 - its signature
    """As ContentDetector's method, without the edges that we never ask for; 0 for the first picture."""
    planes = cv2.split(cv2.cvtColor(picture, cv2.COLOR_BGR2HSV))
    last, engine._last_frame = engine._last_frame, ContentDetector._FrameData(*planes, edges=None)
    if last is None:
        return 0.0
    before = (last.hue, last.sat, last.lum)
    apart = [cv2.norm(a, b, cv2.NORM_L1) / a.size for a, b in zip(planes, before, strict=True)]
    parts = zip(apart, engine._weights[:3], strict=True)
    return float(sum(part * weight for part, weight in parts) / sum(abs(one) for one in engine._weights))
