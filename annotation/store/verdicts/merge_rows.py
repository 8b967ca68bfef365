"""Insert rows into a sorted list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int32]


def merged(rows: Rows, more: Rows, keys: Sequence[NDArray[Any]]) -> Rows:
    """Merge two lists of rows that are sorted by these keys, then by row number."""
    return np.insert(rows, _places(rows, more, keys), more)


def _places(rows: Rows, more: Rows, keys: Sequence[NDArray[Any]]) -> NDArray[np.int64]:
    """Return the insertion point in `rows` for each of `more`, with one vectorized binary search."""
    low, high = np.zeros(len(more), np.int64), np.full(len(more), len(rows))
    while (open_ := low < high).any():
        middle = (low + high) // 2
        at = rows[np.minimum(middle, len(rows) - 1)]
        before, equal = np.zeros(len(more), bool), np.ones(len(more), bool)
        for key in (*keys, None):
            one, other = (at, more) if key is None else (key[at], key[more])
            before |= equal & (one < other)
            equal &= one == other
        low = np.where(open_ & before, middle + 1, low)
        high = np.where(open_ & ~before, middle, high)
    return low
