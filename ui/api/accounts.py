"""People and passwords, for admins; changing one's own password; the audit log."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field

from annotation.people import accounts, audit_log, login_sessions, passwords
from annotation.people.permissions import require
from annotation.records.decisions import Person
from backends.errors import UsageError
from ui.api.api_wire_types import AccountFacts, Accounts, PasswordChanged
from ui.auth.current_person import address_of, source_of_role, stores_passwords
from ui.requests.dependencies import Parts, PartsOf, Who

router = APIRouter(prefix="/api")
MOST_LINES = 500


class NewBody(BaseModel):
    name: str = Field(max_length=80)
    role: str
    password: str = ""
    """Empty: no password yet. People behind a proxy need none."""


class ChangeBody(BaseModel):
    role: str | None = None
    password: str | None = None
    disabled: bool | None = None


class OwnBody(BaseModel):
    old: str
    new: str


@router.get("/accounts")
def people(parts: PartsOf, who: Who) -> Accounts:
    """All people, and whether the workspace stores their passwords."""
    require(who, "manage")
    return {
        "people": [_shown(a) for a in accounts.accounts(parts.store)],
        "passwords": stores_passwords(parts.door),
    }


@router.post("/accounts")
def add(body: NewBody, parts: PartsOf, who: Who) -> AccountFacts:
    require(who, "manage")
    if body.password:
        passwords.hash_password(body.password)  # refused before the person is added
    person = parts.workspace.add_person(body.name, body.role)
    audit_log.note(parts.store, who.id, "added", f"{person.name}: {person.role}")
    if body.password:
        accounts.set_password(parts.store, person.id, body.password, by=who)
    return _one(parts, person.id)


@router.post("/accounts/{person_id}")
def change(person_id: str, body: ChangeBody, parts: PartsOf, who: Who) -> AccountFacts:
    """Change a role or a password, or disable an account."""
    require(who, "manage")
    parts.store.get(Person, person_id)
    if body.role is not None:
        if elsewhere := source_of_role(parts.door, person_id):
            raise UsageError(elsewhere)
        accounts.set_role(parts.store, person_id, body.role, by=who)
    if body.disabled is not None:
        accounts.set_disabled(parts.store, person_id, body.disabled, by=who)
    if body.password is not None:
        _require_kept(parts)
        accounts.set_password(parts.store, person_id, body.password, by=who)
    return _one(parts, person_id)


@router.post("/password")
def own(body: OwnBody, request: Request, parts: PartsOf, who: Who) -> PasswordChanged:
    """Change one's own password; ends the session."""
    _require_kept(parts)
    address = address_of(request)
    login_sessions.check_own(parts.store, who, body.old, address)
    accounts.set_password(parts.store, who.id, body.new, by=who)
    return {"changed": True}


@router.get("/audit")
def audit(parts: PartsOf, who: Who, before: float | None = None, limit: int = 100) -> list[audit_log.Entry]:
    """The newest entries of the audit log; with `before`, those older than that time."""
    require(who, "manage")
    return audit_log.entries(parts.store, before, max(1, min(limit, MOST_LINES)))


def _require_kept(parts: Parts) -> None:
    if not stores_passwords(parts.door):
        raise UsageError(
            "passwords are not stored in this workspace; change them at the login provider, or serve "
            "with --accounts"
        )


def _one(parts: Parts, person_id: str) -> AccountFacts:
    return next(_shown(a) for a in accounts.accounts(parts.store) if a.person.id == person_id)


def _shown(account: accounts.Account) -> AccountFacts:
    person = account.person
    return {
        "id": person.id,
        "name": person.name,
        "role": person.role,
        "created_at": person.created_at,
        "has_password": account.has_password,
        "disabled": account.disabled,
        "seen_at": account.seen_at,
    }
