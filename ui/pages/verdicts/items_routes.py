"""Items of any system: the list, one item, and its correction (`ui.pages.verdicts.items_view`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Union

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from annotation.people.hidden_texts import require_sight
from annotation.records.decisions import Person
from annotation.records.errors import StaleEdit
from ui.lib.item_sources import ItemChange
from ui.lib.item_wire_types import ItemFacts, ItemRow
from ui.pages.verdicts.item_wire_types import ItemList, NextItem
from ui.pages.verdicts.items_view import (
    ITEMS,
    ItemFilter,
    Sort,
    correct_item,
    item_json,
    items_page,
    next_item,
    pick_items,
    source_of,
)
from ui.requests.dependencies import Parts, PartsOf, Revision, SightOf, Who

router = APIRouter(prefix="/api/items")
MOST_ROWS = 500
ITEM_DETAIL: Any = Annotated[
    Union[tuple(source.wire for source in ITEMS.values())],  # noqa: UP007  # made from a list
    Field(discriminator="of"),
]
"""Everything about one item that the current person may see, in the type of its system."""
NOT_OPEN = "(visible when all annotators of this video are done)"


class ItemQuery(BaseModel):
    """Filter and order of an evaluation's items; the page's address uses the same names."""

    evaluation: str = ""
    video: str = ""
    state: str = ""
    q: str = ""
    sort: Sort = "verdict"
    facet: Annotated[list[str], Field(max_length=8)] = []
    """`name:value`, from the response's `facets`."""
    at: str = ""
    """An item: selects the page that contains it."""
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 100


class ItemBody(BaseModel):
    value: str = Field("", max_length=200)
    base_revision: Revision
    reason: str = Field("", max_length=2000)
    cleared: bool = False
    target: str = Field("", max_length=64)


def _filter(parts: Parts, of: str, asked: ItemQuery) -> ItemFilter:
    chosen = pick_items(parts.store, source_of(of), asked.evaluation)
    facets = [tuple(facet.split(":", 1)) for facet in asked.facet if ":" in facet]
    return ItemFilter(chosen, asked.video, asked.state, asked.q, asked.sort, tuple(facets))  # type: ignore[arg-type]  # two parts each


@router.get("/{of}")
def items(of: str, parts: PartsOf, who: Who, seen: SightOf, asked: Annotated[ItemQuery, Query()]) -> ItemList:
    """A page of items, filtered and sorted by the server."""
    wanted = _filter(parts, of, asked)
    page = items_page(parts.store, of, wanted, seen, at=asked.at, offset=asked.offset, limit=asked.limit)
    return {**page, "rows": _readable(parts, who, of, page["rows"])}


@router.get("/{of}/next")
def following(
    of: str, parts: PartsOf, _who: Who, seen: SightOf, asked: Annotated[ItemQuery, Query()]
) -> NextItem:
    """The position of the next open item of the same list, after the one named by `at`."""
    return next_item(parts.store, of, _filter(parts, of, asked), seen, asked.at)


@router.get("/{of}/{item_id}", response_model=ITEM_DETAIL)
def item(of: str, item_id: str, parts: PartsOf, who: Who, seen: SightOf) -> ItemFacts:
    _require_captions(parts, who, of, item_id)
    return item_json(parts.store, of, item_id, seen, who)


@router.post("/{of}/{item_id}", response_model=ITEM_DETAIL)
def correct(of: str, item_id: str, body: ItemBody, parts: PartsOf, who: Who, seen: SightOf) -> ItemFacts:
    """Correct a value of the machine; answers 409 with the current value if it has changed meanwhile."""
    _require_captions(parts, who, of, item_id)
    change = ItemChange(body.value, body.base_revision, body.reason, body.cleared, body.target)
    try:
        correct_item(parts.store, of, who, item_id, change)
    except StaleEdit as error:
        if not seen.sees(body.target or item_id):
            raise StaleEdit(str(error), current=None, revision=error.revision) from None
        raise
    now = seen if not seen.blind else type(seen)(True, seen.labelled | {body.target or item_id})
    return item_json(parts.store, of, item_id, now, who)


# --- captions that another annotator may not read yet ---------------------------------------


def _require_captions(parts: Parts, who: Person, of: str, item_id: str) -> None:
    """Items may quote captions that are hidden. Raises NotAllowed, NotFound."""
    for text_id in source_of(of).captions_of(parts.store, item_id):
        require_sight(parts.store, who, text_id)


def _readable(parts: Parts, who: Person, of: str, rows: list[ItemRow]) -> list[ItemRow]:
    """The rows without the words of captions that are hidden from this person."""
    closed = source_of(of).closed_videos(parts.store, who)
    return [replace(row, text=NOT_OPEN) if row.video_id in closed else row for row in rows]
