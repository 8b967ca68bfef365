"""Types of score tables: figures with intervals, rows, columns, and the lists below a system's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict


class EstimateFacts(TypedDict):
    """A value with the bounds of its interval; null if there is none."""

    value: float | None
    low: float | None
    high: float | None


class Figure(EstimateFacts):
    n: int
    """Number of items counted."""
    of: int
    """Total number of items."""
    partial: NotRequired[bool]
    """Whether a run of the evaluation is unfinished, so that the value may change."""


class FigureRow(Figure):
    """One cell of a table in long form."""

    group: dict[str, str]
    """By dimension: `{"aspect": "camera"}`; empty for the total."""
    policy: str
    metric: str


class SystemRow(FigureRow):
    dropped: NotRequired[dict[str, int]]
    """Number of items left out, by reason."""
    note: NotRequired[str]
    videos: NotRequired[int]
    href: NotRequired[str]
    """Link to the data behind the row's figures."""
    runs: NotRequired[dict[str, str]]
    """Ids of what the group names, by its keys."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of the table."""

    title: str
    what: str
    """A one-line description, for the column's tooltip."""
    top: float | None = 1.0
    """The largest possible value; None if there is no bound."""
    better: str = "higher"
    """`higher` or `lower`; empty if neither is better."""
    digits: int = 3


class ListedThing(TypedDict):
    text: str
    facts: str
    href: NotRequired[str]
    """Empty if there is no page to open."""


class ThingsList(TypedDict):
    """A list of things to look at, below a table."""

    title: str
    items: Sequence[ListedThing]
    about: str
    empty: NotRequired[str]
    """The text for an empty list."""


class PublishedColumn(TypedDict):
    title: str
    group: dict[str, str] | None
    """The group of the evaluation's own value; null: the mean of the other columns."""


class PublishedRow(TypedDict):
    model: str
    frames: str
    figures: dict[str, list[float | None]]
    """By measure, a value for each column."""


class PublishedTable(TypedDict):
    """Published figures, for comparison with those of an evaluation."""

    about: str
    """How the figures were made, and what differs."""
    frames: str
    """Frames of the evaluation's own captions."""
    columns: list[PublishedColumn]
    measures: dict[str, str]
    """By the measure that the page shows, the published one beside it; none: the table is hidden."""
    rows: list[PublishedRow]
