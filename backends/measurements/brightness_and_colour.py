"""Measure brightness, fades, palette and sharpness of a scene."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from backends.measurements.main_colours import main_colours
from backends.measurements.sampling import WIDTH, Grey, Sample

DARK_BELOW, BRIGHT_FROM = 0.25, 0.62
"""Mean luma, 0 to 1."""
_BLACK = 0.07
_RISE = 0.1
_FADE_SAMPLES = 26
"""Number of samples checked for a fade: the first or last three seconds."""
_PALETTE_FRAMES = 9
_SHARP_FROM, _BLURRED_BELOW = 0.21, 0.11
"""Thresholds of `edge`."""


def brightness(bursts: Sequence[Sequence[Sample]]) -> dict[str, Any]:
    """Return `mean` and `std` of the luma (0 to 1), `label`, and whether the scene fades from or to black."""
    means = [luma(sample) for burst in bursts for sample in burst]
    spread = float(np.mean([sample.grey.std() for burst in bursts for sample in burst])) / 255
    level = float(np.median(means))
    label = "dark" if level < DARK_BELOW else "bright" if level >= BRIGHT_FROM else "normal"
    first = [luma(sample) for sample in bursts[0]]
    last = [luma(sample) for sample in bursts[-1]]
    return {
        "mean": round(float(np.mean(means)), 4),
        "std": round(spread, 4),
        "label": label,
        "fade_in": rises_from_black(first),
        "fade_out": rises_from_black(last[::-1]),
    }


def luma(sample: Sample) -> float:
    """Return the mean luma, 0 to 1."""
    return float(sample.grey.mean()) / 255


def rises_from_black(levels: Sequence[float]) -> bool:
    """Return whether mean lumas (0 to 1) begin black and rise gradually, not in one step."""
    near = list(levels[:_FADE_SAMPLES])
    if len(near) < 4 or near[0] > _BLACK or max(near) - near[0] < _RISE:
        return False
    height = max(near) - near[0]
    begin = next(i for i, level in enumerate(near) if level > near[0] + 0.02) - 1
    end = next(i for i, level in enumerate(near) if level >= near[0] + 0.9 * height)
    steps = np.diff(near[begin : end + 1])
    # A cut rises in one step; a flickering lamp also falls in between.
    return bool(len(steps) >= 3 and steps.max() < 0.6 * height and steps.min() > -0.01)


def palette(bursts: Sequence[Sequence[Sample]]) -> dict[str, Any]:
    """Return `colours`: a list of `{name, hex, share}`, largest first; shares refer to all pixels."""
    samples = [sample for burst in bursts for sample in burst]
    chosen = np.unique(np.linspace(0, len(samples) - 1, _PALETTE_FRAMES).round().astype(int))
    pixels = np.concatenate([samples[i].rgb[::3, ::3].reshape(-1, 3) for i in chosen])
    return {"colours": [colour.value() for colour in main_colours(pixels)]}


def sharpness(bursts: Sequence[Sequence[Sample]]) -> dict[str, Any]:
    """Return `laplacian_variance` of the luma at `width` pixels, `edge` (0 to 1) and `label`.

    `edge` is the share of a strong edge that lies within one pixel. It does not depend on the
    contrast or on uniform areas; it is 0 for a picture without edges. `label` is sharp, soft or
    blurred.
    """
    greys = [sample.grey for burst in bursts for sample in burst]
    variance = float(np.median([cv2.Laplacian(grey, cv2.CV_64F).var() for grey in greys]))
    edge = float(np.median([edge_width(grey) for grey in greys]))
    label = "sharp" if edge >= _SHARP_FROM else "soft" if edge >= _BLURRED_BELOW else "blurred"
    return {
        "laplacian_variance": round(variance, 2),
        "edge": round(edge, 3),
        "width": WIDTH,
        "label": label,
    }


def edge_width(grey: Grey) -> float:
    """Return bend over slope (second over first derivative) of the steepest 2 % of the pixels."""
    soft = cv2.GaussianBlur(grey, (0, 0), 0.6).astype(np.float32)
    across, down = cv2.Sobel(soft, cv2.CV_32F, 1, 0) / 8, cv2.Sobel(soft, cv2.CV_32F, 0, 1) / 8
    slope = np.hypot(across, down)
    steep = slope >= max(2.0, float(np.quantile(slope, 0.98)))
    if not steep.any():
        return 0.0
    # Search the neighbourhood, because the bend is greatest next to the edge.
    bend = cv2.dilate(np.abs(cv2.Laplacian(soft, cv2.CV_32F)), np.ones((3, 3), np.uint8))
    return float(np.median(np.minimum(1.0, bend[steep] / (4 * slope[steep]))))
