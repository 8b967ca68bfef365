"""Label the camera motion of a scene by the motion of its background.

Convention: `pan_left` means that the camera turns left, so the content of the
picture moves right; `tilt_up` means that it turns up, so the content moves down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backends.measurements.motion_of_two_frames import PairMotion
from backends.measurements.sampling import Floats

MOVES_FROM = 0.02
"""Minimum speed of a pan in picture widths per second; for zooms, the speed at the picture's edge."""
SHAKES_FROM = 0.04
"""Minimum jitter of a hand-held camera, picture widths per second (root mean square)."""
_ZOOM_ARM = 0.5
"""Distance in widths that a point at the picture's edge moves per unit of zoom: 4 % per second is a zoom."""
_SMOOTH = 5
_HELD = 0.3
"""A camera that moves for less than this share of the scene is static."""
_ONE_WAY = 0.7
"""Minimum share of the moving time for a movement to be the scene's label."""


@dataclass(frozen=True, slots=True)
class _Track:
    """Velocities of one burst by pair: x, y and zoom in picture widths per second."""

    raw: Floats
    """(pairs, 3)."""
    smooth: Floats
    """(pairs, 3) running median."""


def camera_motion(
    bursts: Sequence[Sequence[PairMotion | None]], aspect: float, frames: int
) -> dict[str, Any]:
    """Return the value of a `camera_motion` measurement.

    `bursts` contain the motions of neighbouring pairs (None: no evidence),
    `aspect` is height / width, `frames` the number of sampled frames.
    `dx_per_s`, `dy_per_s` are medians of the motion of the content, as fractions
    of width and height; `zoom_per_s` is the growth per second (0.1: 10 %);
    `shake` is jitter in widths per second. Without evidence the label is
    `static` with confidence 0.
    """
    pairs = [pair for burst in bursts for pair in burst if pair is not None]
    asked = sum(len(burst) for burst in bursts)
    if not pairs:
        return _value("static", np.zeros(3), 0.0, 0.0, aspect, frames)
    tracks = [track for burst in bursts if (track := _track(burst, aspect))]
    raw = np.concatenate([track.raw for track in tracks])
    smooth = np.concatenate([track.smooth for track in tracks])
    shake = float(np.sqrt(np.mean(np.sum((raw - smooth)[:, :2] ** 2, axis=1))))
    label, agreement = _label(smooth, shake)
    support = float(np.mean([pair.support for pair in pairs])) * len(pairs) / asked
    return _value(label, _typical(smooth, label), shake, support * agreement, aspect, frames)


def _value(
    label: str, velocity: Floats, shake: float, confidence: float, aspect: float, frames: int
) -> dict[str, Any]:
    return {
        "label": label,
        "dx_per_s": round(float(velocity[0]), 4),
        "dy_per_s": round(float(velocity[1]) / aspect, 4),
        "zoom_per_s": round(float(np.expm1(velocity[2] / _ZOOM_ARM)), 4),
        "shake": round(shake, 4),
        "confidence": round(min(1.0, max(0.0, confidence)), 3),
        "sampled_frames": frames,
    }


def _track(burst: Sequence[PairMotion | None], aspect: float) -> _Track | None:
    rows = [
        (pair.dx / pair.dt_s, pair.dy * aspect / pair.dt_s, pair.zoom * _ZOOM_ARM / pair.dt_s)
        for pair in burst
        if pair is not None and pair.dt_s > 0
    ]
    if not rows:
        return None
    raw = np.asarray(rows, np.float64)
    half = _SMOOTH // 2
    smooth = np.stack([np.median(raw[max(0, i - half) : i + half + 1], axis=0) for i in range(len(raw))])
    return _Track(raw, smooth)


def _label(smooth: Floats, shake: float) -> tuple[str, float]:
    """Return the scene's label, and the share of its time that supports it."""
    counts = Counter(_one_label(row) for row in smooth)
    total = len(smooth)
    speed = float(np.median(np.linalg.norm(smooth[:, :2], axis=1)))
    if shake > SHAKES_FROM and shake > speed:
        return "shake", min(1.0, 0.5 + shake / (4 * SHAKES_FROM))
    moving = total - counts["static"]
    if moving < _HELD * total:
        return "static", counts["static"] / total
    named = Counter({label: n for label, n in counts.items() if label != "static"})
    label, most = named.most_common(1)[0]
    if most >= _ONE_WAY * moving:
        return label, most / total
    return "mixed", moving / total


def _one_label(velocity: Floats) -> str:
    size = np.abs(velocity)
    order = np.argsort(-size)
    if size[order[0]] < MOVES_FROM:
        return "static"
    # Two distinct movements at once.
    if size[order[1]] > MOVES_FROM and size[order[1]] > 0.6 * size[order[0]]:
        return "mixed"
    names = (("pan_left", "pan_right"), ("tilt_up", "tilt_down"), ("zoom_in", "zoom_out"))
    return names[order[0]][0 if velocity[order[0]] > 0 else 1]


def _typical(smooth: Floats, label: str) -> Floats:
    """Return the median velocity while the scene's label applies; over all of it if it never does."""
    rows = [row for row in smooth if _one_label(row) == label]
    chosen: Floats = np.median(np.stack(rows) if rows else smooth, axis=0)
    return chosen
