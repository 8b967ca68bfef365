"""Personal tokens, with which programs authenticate as a person.

They are sent as `Authorization: Bearer dailies_...` and stored as hashes. A token is valid until it expires
or is revoked. The person's role, and whether the account is disabled, are checked on every request.
"""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from sqlalchemy import Connection, RowMapping, Select, func, insert, select, update

from annotation.people.audit_log import note_in
from annotation.people.passwords import hash_token
from annotation.people.permissions import Scope, TokenPerson, require
from annotation.records.decisions import Person
from annotation.records.errors import DiskFull, NotAllowed, NotFound
from annotation.records.ids import new_id
from annotation.store import tables as t
from annotation.store.store import Store
from backends.errors import UsageError
from backends.text.storable_text import check_storable

PREFIX = "dailies_"
DAY_S = 24 * 3600.0
DAYS, USUAL_DAYS = 366, 90
"""Maximum and default validity in days."""
LONGEST_NAME = 80
USED_EVERY_S = 60.0
"""Precision of the time of the last use. The audit log has every use."""
THROUGH_PROXY = "came first through the proxy"
CAME_IN = ("logged in", THROUGH_PROXY)
"""Lines of the audit log from logins, which reveal accounts of `--auth` and of a proxy (not stored here)."""
State = Literal["valid", "expired", "revoked"]


class RefusedToken(NotAllowed):
    """The token is not valid. `person_id`: its person, if known."""

    def __init__(self, message: str, person_id: str | None = None) -> None:
        super().__init__(message)
        self.person_id = person_id


@dataclass(frozen=True, slots=True)
class PersonalToken:
    """The data of a token. The token itself is shown only once, when it is created."""

    id: str
    person: str
    """Name of its person."""
    name: str
    scope: Scope
    created_at: float
    until: float
    used_at: float | None
    """Time of the last use, to a minute; None if it was never used."""
    revoked_at: float | None

    @property
    def state(self) -> State:
        if self.revoked_at is not None:
            return "revoked"
        return "valid" if self.until > time.time() else "expired"


@dataclass(frozen=True, slots=True)
class NewToken:
    """A new token, which is shown once."""

    made: PersonalToken
    token: str


def make(
    store: Store,
    person: Person,
    name: str,
    scope: str,
    days: int,
    *,
    with_accounts: bool,
    by: Person | None = None,
    address: str = "",
) -> NewToken:
    """Create a token of this person for `days` days.

    `by` is the person making the request; None for the command line. `with_accounts`: whether people have to
    log in; a token created without accounts is valid only without them. Raises UsageError for invalid
    values, or if another valid token of the person has the same name.
    """
    if isinstance(person, TokenPerson):
        raise NotAllowed(
            "tokens cannot create tokens; create it on the page, or with python app.py account token"
        )
    name = _checked(name, scope, days)
    token, now = PREFIX + secrets.token_urlsafe(32), time.time()
    row = {
        "id": new_id("tok"),
        "hash": hash_token(token),
        "person_id": person.id,
        "name": name,
        "scope": scope,
        "with_accounts": with_accounts,
        "created_at": now,
        "until": now + days * DAY_S,
    }
    with store.writing() as conn:
        if any(one.name == name and one.state == "valid" for one in _of(conn, person.id)):
            raise UsageError(f"{person.name} already has a token {name!r}; use another name, or revoke it")
        conn.execute(insert(t.personal_token).values(row))
        about = f"{person.name}: {name}, {scope}, {days} days"
        note_in(conn, by.id if by else None, "token made", about, address)
        (made,) = (one for one in _of(conn, person.id) if one.id == row["id"])
    return NewToken(made, token)


def _checked(name: str, scope: str, days: int) -> str:
    """Check the values and return the name without surrounding spaces. Raises UsageError."""
    name = name.strip()
    check_storable(name, "the name")
    if not 0 < len(name) <= LONGEST_NAME:
        raise UsageError(f"give the token a name of 1 to {LONGEST_NAME} characters: what is it for?")
    if scope not in get_args(Scope):
        raise UsageError(f"unknown scope {scope!r}; choose {' or '.join(get_args(Scope))}")
    if not 1 <= days <= DAYS:
        raise UsageError(f"a token is valid for 1 to {DAYS} days, not {days}")
    return name


def tokens(store: Store, person_id: str | None = None) -> list[PersonalToken]:
    """Return the tokens of a person (None: of everyone), newest first."""
    with store.reading() as conn:
        return _of(conn, person_id)


def revoke(store: Store, token_id: str, *, by: Person | None = None, address: str = "") -> PersonalToken:
    """Revoke a token, with immediate effect in every process.

    `by` is the person making the request; None for the command line. Raises NotFound if the token does not
    exist, NotAllowed if it belongs to someone else (admins may revoke any token).
    """
    if isinstance(by, TokenPerson):
        raise NotAllowed(
            "tokens cannot revoke tokens; do it on the page, or with python app.py account revoke"
        )
    k = t.personal_token.c
    with store.writing() as conn:
        row = conn.execute(select(k.person_id, k.revoked_at).where(k.id == token_id)).one_or_none()
        if row is None:
            raise NotFound("this token does not exist; reload the list")
        if by is not None and row.person_id != by.id:
            require(by, "manage")
        if row.revoked_at is None:
            conn.execute(update(t.personal_token).where(k.id == token_id).values(revoked_at=time.time()))
        (found,) = (one for one in _of(conn, row.person_id) if one.id == token_id)
        if row.revoked_at is None:
            about = f"{found.person}: {found.name}"
            note_in(conn, by.id if by else None, "token revoked", about, address)
    return found


def person_of(store: Store, token: str, *, with_accounts: bool) -> TokenPerson:
    """Return the person of a token. Raises RefusedToken, with what to do next."""
    with store.reading() as conn:
        query = _with_person().where(t.personal_token.c.hash == hash_token(token))
        row = conn.execute(query).mappings().first()
    if row is None:
        raise RefusedToken("this token does not exist; create one on the page (beside your name)")
    if why := _why_not(row, with_accounts):
        raise RefusedToken(why, row["person_id"])
    _used(store, row)
    return TokenPerson(
        id=row["person_id"],
        name=row["person_name"],
        role=row["role"],
        created_at=row["person_since"],
        token_id=row["id"],
        token_name=row["name"],
        scope=row["scope"],
    )


def _why_not(row: RowMapping, with_accounts: bool) -> str:
    """Return why a token is not valid, or an empty string."""
    token = f"the token {row['name']!r}"
    if (state := _shown(row).state) != "valid":
        return f"{token} {'has been revoked' if state == 'revoked' else 'has expired'}; create another one"
    if row["disabled"]:
        return f"{token} belongs to a disabled account; an admin can enable it"
    if with_accounts and not row["with_accounts"]:
        return f"{token} was created before logging in was required; log in and create another one"
    return ""


def _used(store: Store, row: RowMapping) -> None:
    now = time.time()
    if row["used_at"] is not None and now - row["used_at"] <= USED_EVERY_S:
        return
    with suppress(DiskFull), store.writing() as conn:  # reading still works on a full disk
        conn.execute(update(t.personal_token).where(t.personal_token.c.id == row["id"]).values(used_at=now))


def has_accounts(store: Store) -> bool:
    """Whether people log in, or have logged in before, as far as the workspace has records of it."""
    known = (
        select(t.account.c.person_id).where(t.account.c.password != ""),
        select(t.identity.c.id),
        select(t.audit_entry.c.id).where(t.audit_entry.c.what.in_(CAME_IN)),
    )
    with store.reading() as conn:
        return any(conn.execute(query.limit(1)).first() is not None for query in known)


def _with_person() -> Select[Any]:
    k, p = t.personal_token, t.person.c
    disabled = func.coalesce(t.account.c.disabled, False).label("disabled")
    columns = (k, p.name.label("person_name"), p.role, p.created_at.label("person_since"), disabled)
    joined = k.join(t.person, k.c.person_id == p.id)
    return select(*columns).select_from(joined.outerjoin(t.account, t.account.c.person_id == p.id))


def _of(conn: Connection, person_id: str | None) -> list[PersonalToken]:
    k = t.personal_token.c
    query = _with_person().order_by(k.created_at.desc(), k.id)
    if person_id is not None:
        query = query.where(k.person_id == person_id)
    return [_shown(row) for row in conn.execute(query).mappings()]


def _shown(row: RowMapping) -> PersonalToken:
    times = (row[name] for name in ("created_at", "until", "used_at", "revoked_at"))
    return PersonalToken(row["id"], row["person_name"], row["name"], cast(Scope, row["scope"]), *times)
