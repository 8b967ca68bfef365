"""The states of verdicts, as functions from a table to a mask of its rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from annotation.replies.verdict_reply import HIGH_NO, LOW_YES
from annotation.store.verdicts.verdict_table import Table

Mask = NDArray[np.bool_]
StateName = Literal[
    "yes",
    "no",
    "unparsed",
    "failed",
    "missing",
    "stale",
    "corrected",
    "confirmed",
    "disputed",
    "labelled",
    "error_source",
    "open",
    "contradicts",
]
"""The keys of `STATES`."""


def _in_state(state: str, label: str = "") -> Callable[[Table], Mask]:
    def mask(table: Table) -> Mask:
        found = table.has("state", state)
        return found & table.has("label", label) if label else found

    return mask


def _is_open(table: Table) -> Mask:
    settled = table["corrected"] | ~table.has("error_source", "") | is_mean(table)
    return ~settled & ~STATES["yes"](table)


def is_mean(table: Table) -> Mask:
    """Return the rows that are means from a log over the questions of a video. People do not label them."""
    return table.has("state", "done") & table.has("label", "")


def _contradicts(table: Table) -> Mask:
    """Vectorized `contradicts_itself`. A verdict without a score does not contradict itself."""
    score = table["score"]
    high = table.has("label", "no") & (score >= HIGH_NO)
    return high | (table.has("label", "yes") & (score <= LOW_YES))


STATES: Mapping[str, Callable[[Table], Mask]] = {
    "yes": _in_state("done", "yes"),
    "no": _in_state("done", "no"),
    "unparsed": _in_state("unparsed"),
    "failed": _in_state("failed"),
    "missing": _in_state("missing"),
    "stale": lambda table: table["stale"],
    "corrected": lambda table: table["corrected"] & ~table["confirmed"],
    "confirmed": lambda table: table["confirmed"],
    "disputed": lambda table: table["disputed"],
    "labelled": lambda table: table["corrected"],
    "error_source": lambda table: ~table.has("error_source", ""),
    "open": _is_open,
    "contradicts": _contradicts,
}
