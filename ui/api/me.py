"""The current person and their settings."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from annotation.people.login_sessions import SESSION_S
from annotation.people.permissions import actions_of, may
from annotation.people.who_labels_blind import Mode, mode_of, set_mode
from annotation.records.decisions import Person
from backends.errors import UsageError
from ui.api.api_wire_types import BlindPerson, Me, PersonFacts
from ui.auth.current_person import COOKIE, stores_passwords
from ui.pages.verdicts.items_view import item_kinds_json
from ui.pages.verdicts.one_verdict_view import evaluations_json
from ui.requests.dependencies import PartsOf, Who, anyone

router = APIRouter(prefix="/api")


class WhoBody(BaseModel):
    person_id: str = ""
    name: str = ""


@router.get("/me")
def me(request: Request, parts: PartsOf) -> Me:
    """The current person, the other people here, and the evaluations."""
    person = anyone(request)
    people = [] if parts.door.locked else parts.store.find(Person, order_by=["created_at"])
    return {
        "person": _person(person) if person else None,
        "locked": parts.door.locked,
        "passwords": stores_passwords(parts.door),
        "leaves": parts.door.takes_passwords or parts.door.provider is not None,
        "login": {
            "password": parts.door.takes_passwords,
            "provider": parts.door.provider.host if parts.door.provider else "",
        },
        "people": [_person(p) for p in people],
        "may": sorted(actions_of(person)) if person else [],
        "evaluations": evaluations_json(parts.store) if person else [],
        "items": item_kinds_json(parts.store) if person else [],
        "workspace": parts.workspace.path.name,
        "workspace_id": parts.workspace.id,
        "blind": mode_of(parts.store, person.id) if person else None,
    }


def _person(person: Person) -> PersonFacts:
    return {"id": person.id, "name": person.name, "role": person.role}


@router.post("/me")
def choose(body: WhoBody, parts: PartsOf, request: Request, response: Response) -> PersonFacts:
    """Choose who one is, or add oneself as an annotator. Only while no login is required."""
    if parts.door.locked:
        raise UsageError("to work as another person, log out and log in again")
    person = (
        parts.workspace.add_person(body.name, "annotator")
        if body.name
        else parts.store.get(Person, body.person_id)
    )
    parts.site.set_cookie(request, response, COOKIE, person.id, SESSION_S)
    return _person(person)


class BlindBody(BaseModel):
    person: str = ""
    """Empty: the current person."""
    on: bool


@router.get("/blind")
def blind(parts: PartsOf, who: Who) -> list[BlindPerson]:
    """Who labels blind, for the people whose setting the current person may change; oneself first."""
    people = parts.store.find(Person, order_by=["created_at"]) if may(who, "blind") else []
    shown = [who, *(person for person in people if person.id != who.id)]
    modes = [mode_of(parts.store, person.id) for person in shown]
    return [
        {**_person(person), "on": mode.on, "locked": mode.locked}
        for person, mode in zip(shown, modes, strict=True)
    ]


@router.post("/blind")
def set_blind(body: BlindBody, parts: PartsOf, who: Who) -> Mode:
    """Turn blind labelling (without the judge's verdicts) on or off."""
    return set_mode(parts.store, who, body.person or who.id, body.on)
