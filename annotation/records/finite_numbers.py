"""Read finite numbers from files, settings and requests. JSON and Python allow integers of any length."""

from __future__ import annotations

from math import isfinite

from annotation.records.ids import Json


def finite_float(value: Json) -> float | None:
    """Return the value as a float; None if it is not a number, NaN, infinite or too large for a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if isfinite(found) else None
