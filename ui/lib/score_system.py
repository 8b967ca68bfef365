"""The data that a system provides for the Scores page; one shared module draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotation.records.runs import Evaluation
from annotation.store.store import Store
from ui.lib.score_wire_types import Metric, SystemRow, ThingsList


@dataclass(frozen=True, slots=True)
class Table:
    """The content of the page for one evaluation."""

    rows: Sequence[SystemRow]
    policies: Mapping[str, str]
    """By name a one-line description of what counts. The first is the default."""
    metrics: Mapping[str, Metric]
    """By name, in the order of their columns; metrics without an entry are not shown."""
    judges: Sequence[str] = ()
    about: str = ""
    """A line or two above the table: the basis of the figures."""
    lists: Sequence[ThingsList] = ()
    """Lists below the table."""


def linked(row: SystemRow, href: str) -> SystemRow:
    """The row with a link to the data behind its figures."""
    return {**row, "href": href}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreSystem:
    """One table of a system, with its own evaluations."""

    name: str
    """Name in the address: `?system=NAME`."""
    title: str
    """Title in the switch."""
    systems: tuple[str, ...]
    """The names in `params["system"]` of its runs."""
    table: Callable[[Store, Evaluation, Mapping[str, str]], Table]
    """Returns the evaluation's table; the mapping holds the selected options of `choices`, by name."""
    start: str
    """A one-line instruction if there is no evaluation yet."""
    measures: str = ""
    """The pass of `POST /api/scoring/start` that creates an evaluation of it, if a page can start one."""
    choices: Mapping[str, Mapping[str, str]] | None = None
    """Further choices: `{"by": {"": "all videos", "category": "category"}}`."""
    evaluations: Callable[[Store], Sequence[Evaluation]] | None = None
    """Returns the tables to show for a benchmark without stored evaluations, newest first."""
