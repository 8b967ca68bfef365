"""The list of verdicts, and one of them in full."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from annotation.people.who_labels_blind import Sight
from annotation.store.verdicts.filter_and_order import PAGE, Flag, Sort, VerdictFilter
from ui.lib.chosen_evaluation import pick_evaluation
from ui.pages.verdicts.blind_view import seen_detail
from ui.pages.verdicts.list_view import Place, list_json, next_json
from ui.pages.verdicts.one_verdict_view import detail_json
from ui.pages.verdicts.wire_types import NextVerdict, VerdictDetail, VerdictsPage
from ui.requests.dependencies import Parts, PartsOf, SightOf, Who

router = APIRouter(prefix="/api")
MOST_ROWS = 500
"""Most rows in one response, which stays below 300 kB."""
MOST_BESIDE = 2


class VerdictQuery(BaseModel):
    """Filter and order of an evaluation's verdicts; the page's address uses the same names."""

    evaluation: str = ""
    beside: Annotated[list[str], Field(alias="with", max_length=MOST_BESIDE)] = []
    video: str = ""
    aspect: str = ""
    state: list[str] = []
    q: str = ""
    sort: Sort = "mean"
    category: str = ""
    source: str = ""
    discipline: str = ""
    error_source: str = ""
    flag: Flag = ""
    differs: bool = False
    at: str = ""
    """A verdict: selects the page that contains it."""
    offset: Annotated[int, Field(ge=0, le=1 << 53)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = PAGE


def _filter(parts: Parts, asked: VerdictQuery) -> VerdictFilter:
    chosen = pick_evaluation(parts.store, asked.evaluation, asked.video)
    return VerdictFilter(
        chosen,
        asked.video,
        asked.aspect,
        tuple(asked.state),
        asked.q,
        asked.sort,
        asked.category,
        asked.source,
        asked.discipline,
        asked.error_source,
        asked.flag,
        tuple(asked.beside),
        asked.differs,
    )


@router.get("/verdicts")
def verdict_list(
    parts: PartsOf, _who: Who, seen: SightOf, asked: Annotated[VerdictQuery, Query()]
) -> VerdictsPage:
    """A page of verdicts, filtered and sorted by the server."""
    return verdict_rows(parts, asked, seen)


def verdict_rows(parts: Parts, asked: VerdictQuery, seen: Sight) -> VerdictsPage:
    """A page of verdicts as this person may see it."""
    wanted = _filter(parts, asked)
    place = Place(asked.offset, asked.limit, asked.at)
    return {**list_json(parts.store, wanted, place, seen), "evaluation": wanted.evaluation_id}


@router.get("/verdicts/next")
def next_verdict(
    parts: PartsOf, _who: Who, seen: SightOf, asked: Annotated[VerdictQuery, Query()]
) -> NextVerdict:
    """The position of the next open verdict of the same list, after the one named by `at`."""
    return next_json(parts.store, _filter(parts, asked), asked.at, seen)


@router.get("/verdicts/{verdict_id}")
def verdict(
    verdict_id: str,
    parts: PartsOf,
    _who: Who,
    seen: SightOf,
    beside: Annotated[list[str] | None, Query(alias="with", max_length=MOST_BESIDE)] = None,
) -> VerdictDetail:
    with parts.store.snapshot():
        return seen_detail(detail_json(parts.store, verdict_id, beside or ()), seen)
