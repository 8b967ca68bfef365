"""Responses of the Verdicts page for items: the list, and the kinds of items that there are."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ui.lib.item_wire_types import ItemRow
from ui.pages.verdicts.wire_types import EvaluationName


class ItemList(TypedDict):
    """A page of an evaluation's items."""

    rows: list[ItemRow]
    total: int
    offset: int
    position: int | None
    """Position of the item that `at` names."""
    counts: dict[str, int]
    """Number of items in each state, before the filters by state and words."""
    blind: bool
    evaluation: str
    facets: dict[str, list[str]]
    """The values of each facet, by name."""
    groups: list[int]
    """Rows per video, if the list is sorted by videos and most of them have several rows."""
    sort: Literal["verdict", "mean", "title"]
    what: str
    """The word for one item."""
    evaluations: list[EvaluationName]


class NextItem(TypedDict):
    """The next open item; `position` is null if there is none."""

    position: int | None
    id: NotRequired[str]
    video_id: NotRequired[str]


class ItemKind(TypedDict):
    """Questions, or the items of one system, as `ItemSource` declares them."""

    name: str
    """Empty: questions."""
    label: str
    title: str
    script: str
    """Path in `ui` of the module that draws an item."""
    done: str
    evaluations: int
    """Number of evaluations with such items."""
