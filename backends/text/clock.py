"""Format seconds as clock time."""

from __future__ import annotations


def clock(seconds: float) -> str:
    """Return `00:41.720`, or `1:02:41.720` from one hour on."""
    total_ms = round(max(0.0, seconds) * 1000)
    minutes, ms = divmod(total_ms, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{minutes:02d}:{ms // 1000:02d}.{ms % 1000:03d}"
    return f"{hours}:{text}" if hours else text
