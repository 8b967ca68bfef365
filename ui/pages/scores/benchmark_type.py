"""What a benchmark shows on the Scores page: data alone, drawn by one module for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotation.records.runs import Evaluation
from annotation.store.store import Store
from ui.pages.scores.wire_types import Metric, SystemRow, ThingsList


@dataclass(frozen=True, slots=True)
class Table:
    """What the page shows of one evaluation."""

    rows: Sequence[SystemRow]
    policies: Mapping[str, str]
    """By name: what counts, in a line. The first is shown first."""
    metrics: Mapping[str, Metric]
    """By name, in the order of their columns; metrics without an entry are not shown."""
    judges: Sequence[str] = ()
    about: str = ""
    """A line or two above the table: what the figures rest on."""
    lists: Sequence[ThingsList] = ()
    """Below the table."""


def linked(row: SystemRow, href: str) -> SystemRow:
    """The row with a link to what is behind its figures."""
    return {**row, "href": href}


@dataclass(frozen=True, slots=True)
class ScoreSystem:
    """One benchmark."""

    title: str
    """As the switch names it."""
    systems: tuple[str, ...]
    """The names that its runs carry in `params["system"]`."""
    table: Callable[[Store, Evaluation, Mapping[str, str]], Table]
    """The evaluation's table; the mapping holds the choices of `choices`, by name."""
    start: str
    """What to do where there is no evaluation yet, in a line."""
    measures: str = ""
    """The pass of `POST /api/scoring/start` that makes an evaluation of it, where a page can start one."""
    choices: Mapping[str, Mapping[str, str]] | None = None
    """What else can be chosen: `{"by": {"": "all videos", "category": "category"}}`."""
    evaluations: Callable[[Store], Sequence[Evaluation]] | None = None
    """What there is to show, where it hangs on no stored evaluation; the newest first."""
