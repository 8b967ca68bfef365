"""The videos of the Library."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from annotation.people.who_labels_blind import Sight
from annotation.records.decisions import Person
from ui.lib.chosen_evaluation import pick_evaluation
from ui.pages.library import video_list as library
from ui.pages.library.wire_types import LibraryPage, LibrarySort, VideoOrder
from ui.requests.dependencies import Parts, PartsOf, SightOf, TextSightOf, Who, packed

router = APIRouter(prefix="/api")
MOST_ROWS = 500
"""Most rows in one response."""


class LibraryQuery(BaseModel):
    """Filter and order of the videos; the Library's address uses the same names."""

    evaluation: str = ""
    q: str = ""
    sort: LibrarySort = "need"
    work: str = ""
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = library.PAGE


def _asked(parts: Parts, query: LibraryQuery, who: Person, seen: Sight) -> tuple[library.LibraryRequest, str]:
    """What to show, and the selected evaluation."""
    chosen = pick_evaluation(parts.store, query.evaluation)
    # Scores, counts and the order would reveal the judge's verdicts to people who label blind.
    shown = "" if seen.blind else chosen
    place = (query.offset, query.limit, seen.blind)
    return library.LibraryRequest(shown, query.q, query.sort, query.work, who.id, *place), chosen


@router.get("/library", response_model=LibraryPage)
def videos(
    request: Request,
    parts: PartsOf,
    who: Who,
    seen: SightOf,
    texts: TextSightOf,
    query: Annotated[LibraryQuery, Query()],
) -> Response:
    """A page of the videos, filtered and sorted by the server."""
    asked, chosen = _asked(parts, query, who, seen)
    found = library.library_json(parts.store, asked, parts.media.has_copy, texts, parts.jobs.list())
    page: LibraryPage = {**found, "evaluation": chosen}
    return packed(request, page)


@router.get("/videos", response_model=VideoOrder)
def video_order(
    request: Request, parts: PartsOf, who: Who, seen: SightOf, query: Annotated[LibraryQuery, Query()]
) -> Response:
    """The ids of all matching videos, in the Library's order, for actions on all of them."""
    asked, chosen = _asked(parts, query, who, seen)
    order: VideoOrder = {"videos": library.order_json(parts.store, asked), "evaluation": chosen}
    return packed(request, order)
