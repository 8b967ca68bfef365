"""Numbers that files, settings and requests hold: JSON and Python allow whole ones of any length."""

from __future__ import annotations

from math import isfinite

from annotation.records.ids import Json


def finite_float(value: Json) -> float | None:
    """The number; None for what is none, for NaN and infinity, and for one too large for a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if isfinite(found) else None
