"""Estimate the shot scale by the size of the moving object and the area in focus.

Both are weak evidence that does not recognise people: confidence is low, and `unknown` is possible.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import cv2
import numpy as np

from backends.measurements.sampling import Floats, Grey, Sample

_CLOSE_FROM, _WIDE_BELOW = 0.30, 0.05
"""Share of the frame that the moving object covers."""
_ALL_IN_FOCUS = 0.8
_COLUMNS, _ROWS = 12, 8
_DETAIL = 3.0
"""Minimum mean absolute Laplacian (grey levels at the sampled width) of a cell with detail."""


def shot_scale(bursts: Sequence[Sequence[Sample]], moving: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of a `shot_scale` measurement.

    `label` close-up, medium, wide or unknown; `method` the evidence used
    (`moving_object`, `focus`, `none`); `in_focus` the share of the picture with
    fine detail; `share_of_frame` of the moving object, if there is one.
    """
    focus = round(
        in_focus([sample.grey for burst in bursts for sample in burst[:: max(1, len(burst) // 3)]]), 3
    )
    if moving.get("present"):
        share = float(moving["share_of_frame"])
        label = "close-up" if share >= _CLOSE_FROM else "medium" if share >= _WIDE_BELOW else "wide"
        # A small moving object may be a hand: it indicates a wide shot only if everything is in focus.
        if label != "wide" or focus >= _ALL_IN_FOCUS:
            value = _value(label, 0.35 * float(moving["seen"]), "moving_object", focus)
            return value | {"share_of_frame": share}
    elif focus >= _ALL_IN_FOCUS:
        return _value("wide", 0.25, "focus", focus)
    return _value("unknown", 0.0, "none", focus)


def _value(label: str, confidence: float, method: str, focus: float) -> dict[str, Any]:
    return {"label": label, "confidence": round(confidence, 3), "method": method, "in_focus": focus}


def in_focus(greys: Sequence[Grey]) -> float:
    """Return the share (0 to 1) of cells with fine detail in a 12 x 8 grid, averaged over the pictures."""
    return float(np.mean([(_detail(grey) > _DETAIL).mean() for grey in greys]))


def _detail(grey: Grey) -> Floats:
    """Return fine detail per cell, (8, 12), without grain."""
    fine = np.abs(cv2.Laplacian(cv2.GaussianBlur(grey, (0, 0), 0.8), cv2.CV_32F))
    return np.asarray(cv2.resize(fine, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA), np.float64)
