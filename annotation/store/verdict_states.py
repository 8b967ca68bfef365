"""The states that a verdict may be in, from columns to the rows that are in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from annotation.store.verdict_index import Table

Mask = NDArray[np.bool_]


def _in_state(state: str, label: str = "") -> Callable[[Table], Mask]:
    def mask(table: Table) -> Mask:
        found = table.has("state", state)
        return found & table.has("label", label) if label else found

    return mask


def _is_open(table: Table) -> Mask:
    settled = table["corrected"] | ~table.has("blame", "")
    return ~settled & ~STATES["yes"](table)


STATES: Mapping[str, Callable[[Table], Mask]] = {
    "yes": _in_state("done", "yes"),
    "no": _in_state("done", "no"),
    "unparsed": _in_state("unparsed"),
    "failed": _in_state("failed"),
    "missing": _in_state("missing"),
    "stale": lambda table: table["stale"],
    "corrected": lambda table: table["corrected"],
    "blamed": lambda table: ~table.has("blame", ""),
    "open": _is_open,
}
