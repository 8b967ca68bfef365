"""Items of any system: the list, one item, and its correction (`ui.pages.verdicts.items_view`)."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from annotation.people.hidden_texts import aspect_sight_of, require_sight
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from annotation.records.errors import StaleEdit
from annotation.systems.carebench.current_elements import REFERENCE
from annotation.systems.vript.hal_stage import compare_as
from ui.pages.verdicts.item_sources import ItemChange
from ui.pages.verdicts.item_wire_types import ItemDetail, ItemList, ItemRow, NextItem, WordsCompared
from ui.pages.verdicts.items_capst import CAPST, captions_of
from ui.pages.verdicts.items_view import (
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
NOT_OPEN = "(open to you when all annotators of this video are done)"


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


@router.post("/hal/compare")
def compare(parts: PartsOf, who: Who, evaluation: str) -> WordsCompared:
    """Compare the words of an evaluation's captions with those of their references."""
    run = compare_as(parts.store, who, evaluation)
    return {"run": run.id, "clips": parts.store.count(Verdict, run_id=run.id, subject_type="hal_item")}


@router.get("/{of}/{item_id}")
def item(of: str, item_id: str, parts: PartsOf, who: Who, seen: SightOf) -> ItemDetail:
    _require_captions(parts, who, of, item_id)
    return item_json(parts.store, of, item_id, seen, who)


@router.post("/{of}/{item_id}")
def correct(of: str, item_id: str, body: ItemBody, parts: PartsOf, who: Who, seen: SightOf) -> ItemDetail:
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
    """Elements quote their caption, which may be hidden. Raises NotAllowed, NotFound."""
    if of == CAPST.name:
        for text_id in captions_of(parts.store, item_id):
            require_sight(parts.store, who, text_id)


def _readable(parts: Parts, who: Person, of: str, rows: list[ItemRow]) -> list[ItemRow]:
    """The rows without the words of captions that are hidden from this person."""
    if of != CAPST.name:
        return rows
    hidden = aspect_sight_of(parts.store, who).hidden
    closed = {video_id for video_id, kinds in hidden.items() if REFERENCE in kinds}
    return [replace(row, text=NOT_OPEN) if row.video_id in closed else row for row in rows]
