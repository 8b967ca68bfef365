"""Personal tokens: what a program sends in place of a person's login.

`Authorization: Bearer dailies_...`. A hash of each is stored. A token holds until its end date or until it is
revoked; its person's role, and whether their account is disabled, are looked up at each use.
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
"""The most days that a token holds, and how many when nothing else is said."""
LONGEST_NAME = 80
USED_EVERY_S = 60.0
"""How exactly it is kept when a token was used last; every use is in the audit log."""
CAME_IN = ("logged in", "came first through the proxy")
"""Lines of the audit log: the accounts of `--auth` and a proxy's leave no other trace."""
State = Literal["valid", "expired", "revoked"]


class RefusedToken(NotAllowed):
    """A token that does not hold; `person_id` is whose it was, as far as that is known."""

    def __init__(self, message: str, person_id: str | None = None) -> None:
        super().__init__(message)
        self.person_id = person_id


@dataclass(frozen=True, slots=True)
class PersonalToken:
    """A token as its person sees it; the token itself was shown once, when it was made."""

    id: str
    person: str
    """Name of whom it stands for."""
    name: str
    scope: Scope
    created_at: float
    until: float
    used_at: float | None
    """When it was used last, exact to a minute; None: never."""
    revoked_at: float | None

    @property
    def state(self) -> State:
        if self.revoked_at is not None:
            return "revoked"
        return "valid" if self.until > time.time() else "expired"


@dataclass(frozen=True, slots=True)
class NewToken:
    """What is shown once."""

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
    """A token of this person, for `days` days. `by` is who asks; None: the command line.

    `with_accounts`: people have to log in here. One that was made without holds only without. Raises
    UsageError for words that are none, and a name that another valid token of theirs has.
    """
    if isinstance(person, TokenPerson):
        raise NotAllowed("tokens make no tokens; make it in the page, or with python app.py account token")
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
            raise UsageError(f"{person.name} has a token {name!r} already; take another name, or revoke it")
        conn.execute(insert(t.personal_token).values(row))
        about = f"{person.name}: {name}, {scope}, {days} days"
        note_in(conn, by.id if by else None, "token made", about, address)
        (made,) = (one for one in _of(conn, person.id) if one.id == row["id"])
    return NewToken(made, token)


def _checked(name: str, scope: str, days: int) -> str:
    """The name as it is kept. Raises UsageError."""
    name = name.strip()
    check_storable(name, "the name")
    if not 0 < len(name) <= LONGEST_NAME:
        raise UsageError(f"give the token a name of 1 to {LONGEST_NAME} characters: what is it for?")
    if scope not in get_args(Scope):
        raise UsageError(f"no scope {scope!r}; choose {' or '.join(get_args(Scope))}")
    if not 1 <= days <= DAYS:
        raise UsageError(f"a token holds for 1 to {DAYS} days, not {days}")
    return name


def tokens(store: Store, person_id: str | None = None) -> list[PersonalToken]:
    """A person's tokens, the newest first; None: everyone's."""
    with store.reading() as conn:
        return _of(conn, person_id)


def revoke(store: Store, token_id: str, *, by: Person | None = None, address: str = "") -> PersonalToken:
    """It holds no more, in every process, from now on. `by` is who asks; None: the command line.

    Raises NotFound for one that is not there or another's (an admin may revoke everyone's).
    """
    if isinstance(by, TokenPerson):
        raise NotAllowed("tokens revoke no tokens; do it in the page, or with python app.py account revoke")
    k = t.personal_token.c
    with store.writing() as conn:
        row = conn.execute(select(k.person_id, k.revoked_at).where(k.id == token_id)).one_or_none()
        if row is None:
            raise NotFound("there is no such token; it is in nobody's list")
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
    """For whom a token speaks. Raises RefusedToken, with what to do next."""
    with store.reading() as conn:
        query = _with_person().where(t.personal_token.c.hash == hash_token(token))
        row = conn.execute(query).mappings().first()
    if row is None:
        raise RefusedToken("there is no such token; make one in the page (beside your name)")
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
    """Why a token does not hold; empty: it does."""
    said = f"the token {row['name']!r}"
    if (state := _shown(row).state) != "valid":
        return f"{said} {'has been revoked' if state == 'revoked' else 'has expired'}; make another one"
    if row["disabled"]:
        return f"{said} is of an account that is disabled; an admin can enable it"
    if with_accounts and not row["with_accounts"]:
        return f"{said} was made before people had to log in here; log in and make another one"
    return ""


def _used(store: Store, row: RowMapping) -> None:
    now = time.time()
    if row["used_at"] is not None and now - row["used_at"] <= USED_EVERY_S:
        return
    with suppress(DiskFull), store.writing() as conn:  # one may still read
        conn.execute(update(t.personal_token).where(t.personal_token.c.id == row["id"]).values(used_at=now))


def has_accounts(store: Store) -> bool:
    """Whether people log in here, or have done so, as far as the workspace knows."""
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
