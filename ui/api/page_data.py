"""What the pages show, as JSON."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from annotation.people.blind_labelling import Mode, Sight, mode_of, set_mode
from annotation.people.login_sessions import SESSION_S
from annotation.people.permissions import ALLOWED, may
from annotation.records.decisions import Person
from annotation.records.videos import Video
from annotation.store.verdicts.filter_and_order import PAGE, Flag, Sort, VerdictFilter
from annotation.store.verdicts.video_figures import AspectScore
from annotation.systems.vript.camera_claims import Claim
from backends.errors import UsageError
from ui.api.wire_types import BlindPerson, Me, PersonFacts
from ui.auth.current_person import COOKIE, keeps_passwords
from ui.lib.view_parts import player_json
from ui.lib.wire_types import PlayerData
from ui.pages.library import video_list as library
from ui.pages.library.wire_types import LibraryPage, LibrarySort, VideoOrder
from ui.pages.script import view as script
from ui.pages.script.wire_types import CutsNow, SceneFinding, ScriptPage
from ui.pages.split import view as split
from ui.pages.split.wire_types import ColumnName, SplitPage
from ui.pages.verdicts import view as verdicts
from ui.pages.verdicts.blind_view import seen_detail
from ui.pages.verdicts.items_view import held_json
from ui.pages.verdicts.list_view import Place, list_json, next_json
from ui.pages.verdicts.wire_types import NextVerdict, VerdictDetail, VerdictsPage
from ui.requests.dependencies import Parts, PartsOf, SightOf, TextSightOf, Who, anyone, packed

router = APIRouter(prefix="/api")
MOST_ROWS = 500
"""In one answer, which stays below 300 kB."""
MOST_BESIDE = 2


class WhoBody(BaseModel):
    person_id: str = ""
    name: str = ""


@router.get("/me")
def me(request: Request, parts: PartsOf) -> Me:
    """Who is asking, who else works here, and which evaluations there are."""
    person = anyone(request)
    people = [] if parts.door.locked else parts.store.find(Person, order_by=["created_at"])
    return {
        "person": _person(person) if person else None,
        "locked": parts.door.locked,
        "passwords": keeps_passwords(parts.door),
        "leaves": parts.door.asks or parts.door.provider is not None,
        "login": {
            "password": parts.door.asks,
            "provider": parts.door.provider.host if parts.door.provider else "",
        },
        "people": [_person(p) for p in people],
        "may": sorted(ALLOWED[person.role]) if person else [],
        "evaluations": verdicts.evaluations_json(parts.store) if person else [],
        "items": held_json(parts.store) if person else {},
        "workspace": parts.workspace.path.name,
        "workspace_id": parts.workspace.id,
        "blind": mode_of(parts.store, person.id) if person else None,
    }


def _person(person: Person) -> PersonFacts:
    return {"id": person.id, "name": person.name, "role": person.role}


@router.post("/me")
def choose(body: WhoBody, parts: PartsOf, request: Request, response: Response) -> PersonFacts:
    """Choose who one is, or add oneself as an annotator. Only while no passwords are asked for."""
    if parts.door.locked:
        raise UsageError("log out and in again to work as somebody else")
    person = (
        parts.workspace.add_person(body.name, "annotator")
        if body.name
        else parts.store.get(Person, body.person_id)
    )
    parts.site.set_cookie(request, response, COOKIE, person.id, SESSION_S)
    return _person(person)


class BlindBody(BaseModel):
    person: str = ""
    """Empty: the asker."""
    on: bool


@router.get("/blind")
def blind(parts: PartsOf, who: Who) -> list[BlindPerson]:
    """Who labels blind, of those whom the asker may tell to; oneself first."""
    people = parts.store.find(Person, order_by=["created_at"]) if may(who, "blind") else []
    shown = [who, *(person for person in people if person.id != who.id)]
    modes = [mode_of(parts.store, person.id) for person in shown]
    return [
        {**_person(person), "on": mode.on, "locked": mode.locked}
        for person, mode in zip(shown, modes, strict=True)
    ]


@router.post("/blind")
def set_blind(body: BlindBody, parts: PartsOf, who: Who) -> Mode:
    """Switch labelling without the judge's verdicts on or off."""
    return set_mode(parts.store, who, body.person or who.id, body.on)


class LibraryQuery(BaseModel):
    """Which videos, in which order; the address of the Library carries the same names."""

    evaluation: str = ""
    q: str = ""
    sort: LibrarySort = "need"
    work: str = ""
    offset: Annotated[int, Field(ge=0)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = library.PAGE


def _asked(parts: Parts, query: LibraryQuery, who: Person, seen: Sight) -> tuple[library.LibraryRequest, str]:
    """What is to be shown, and the evaluation that is meant."""
    chosen = verdicts.pick_evaluation(parts.store, query.evaluation)
    # Scores, counts and the order would tell a blind person what the judge said.
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
    found = library.library_json(parts.store, asked, parts.media.has_copy, texts)
    page: LibraryPage = {**found, "evaluation": chosen}
    return packed(request, page)


@router.get("/videos", response_model=VideoOrder)
def video_order(
    request: Request, parts: PartsOf, who: Who, seen: SightOf, query: Annotated[LibraryQuery, Query()]
) -> Response:
    """The id of every video that fits, in the Library's order: to do something with all of them."""
    asked, chosen = _asked(parts, query, who, seen)
    order: VideoOrder = {"videos": library.order_json(parts.store, asked), "evaluation": chosen}
    return packed(request, order)


@router.get("/script/{video_id}/claims")
def camera_claims(video_id: str, parts: PartsOf, _who: Who) -> dict[str, Claim]:
    """Per scene: does what is written of the camera fit the measurement?"""
    return script.claims_json(parts.store, video_id)


@router.get("/script/{video_id}/findings")
def script_findings(video_id: str, parts: PartsOf, _who: Who) -> dict[str, list[SceneFinding]]:
    """Per scene: what the checks find in its texts and its speech."""
    return script.script_findings_json(parts.store, parts.store.get(Video, video_id).id)


@router.get("/script/{video_id}", response_model=ScriptPage)
def script_page(request: Request, video_id: str, parts: PartsOf, _who: Who) -> Response:
    """Of five hundred scenes nearly 2 MB: packed, and written as it is."""
    return packed(request, script.script_json(parts.store, parts.media, video_id, parts.jobs.list()))


@router.get("/script/{video_id}/cuts")
def cuts(video_id: str, parts: PartsOf, _who: Who) -> CutsNow:
    """Whether the scenes are still those that a page shows."""
    return script.cuts_json(parts.store, parts.store.get(Video, video_id).id, parts.jobs.list())


@router.get("/player/{video_id}")
def player(video_id: str, parts: PartsOf, _who: Who) -> PlayerData:
    return player_json(parts.store, parts.media, parts.store.get(Video, video_id))


@router.get("/split/{video_id}")
def split_page(
    video_id: str,
    parts: PartsOf,
    texts: TextSightOf,
    full: str = "",
    spatial: str = "",
    temporal: str = "",
    player: bool = True,
) -> SplitPage:
    """The three texts; `full`, `spatial` and `temporal` ask for a certain author's text by its id."""
    wanted: dict[ColumnName, str] = {"full": full, "spatial": spatial, "temporal": temporal}
    return split.split_json(parts.store, parts.media, video_id, wanted, player=player, sight=texts)


class VerdictQuery(BaseModel):
    """What to show of an evaluation's verdicts; the address of the page carries the same names."""

    evaluation: str = ""
    beside: Annotated[list[str], Field(alias="with", max_length=MOST_BESIDE)] = []
    video: str = ""
    aspect: str = ""
    state: list[str] = []
    q: str = ""
    sort: Sort = "worst_video"
    category: str = ""
    source: str = ""
    discipline: str = ""
    error_source: str = ""
    flag: Flag = ""
    differs: bool = False
    at: str = ""
    """A verdict: the page on which it stands."""
    offset: Annotated[int, Field(ge=0, le=1 << 53)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = PAGE


def _filter(parts: Parts, asked: VerdictQuery) -> VerdictFilter:
    chosen = verdicts.pick_evaluation(parts.store, asked.evaluation, asked.video)
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
    """Where the next open verdict of the same list stands, after the one named by `at`."""
    return next_json(parts.store, _filter(parts, asked), asked.at, seen)


@router.get("/verdicts/{verdict_id}")
def verdict(
    verdict_id: str,
    parts: PartsOf,
    _who: Who,
    seen: SightOf,
    beside: Annotated[list[str] | None, Query(alias="with", max_length=MOST_BESIDE)] = None,
) -> VerdictDetail:
    return seen_detail(verdicts.detail_json(parts.store, verdict_id, beside or ()), seen)


@router.get("/scores")
def scores(
    parts: PartsOf, _who: Who, seen: SightOf, evaluation: str = "", video: str = ""
) -> list[AspectScore]:
    chosen = verdicts.pick_evaluation(parts.store, evaluation, video)
    return [] if seen.blind else verdicts.scores_json(parts.store, chosen, [video] if video else [])
