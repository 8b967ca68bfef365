"""Accounts: who may log in, with which password, since when, and what was done.

Passwords are kept as scrypt hashes, sessions as hashes of their tokens, so that neither can be used by
whoever reads the database. Sessions stand in the database: logging out, a new password and disabling
hold at once, in every process that serves the same workspace.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from base64 import b64decode, b64encode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, get_args

from sqlalchemy import Connection, delete, func, insert, or_, select, update

from annotation.people.permissions import require
from annotation.records.allowed_values import Role
from annotation.records.decisions import Person
from annotation.records.errors import DiskFull, NotAllowed
from annotation.records.ids import new_id
from annotation.records.storable_text import mended
from annotation.store import tables as t
from annotation.store.opinion_rules import roles_changed
from annotation.store.rows import from_row
from annotation.store.store import Store
from backends.errors import UsageError

SESSION_S = 14 * 24 * 3600
SEEN_EVERY_S = 300
"""How exactly it is noted when somebody was here last."""
SHORTEST, LONGEST = 8, 1024
"""Characters of a password."""
TRIES, TRIES_NAME, WITHIN_S = 10, 30, 60.0
"""Wrong passwords from one address, and for one name from anywhere, before everyone has to wait."""
SCRYPT = {"n": 2**14, "r": 8, "p": 1}
UNKNOWN = "scrypt$" + b64encode(b"0" * 16).decode() + "$" + b64encode(b"0" * 64).decode()
"""Checked for names that do not exist, so that they take as long as those that do."""
FAILED = "login failed"


class TooManyTries(NotAllowed):
    """Somebody guesses passwords."""


# --- passwords ------------------------------------------------------------------------


def hash_password(password: str) -> str:
    """`scrypt$salt$hash`, both base64. Raises UsageError for one that is too short."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"a password has {SHORTEST} to {LONGEST:,} characters")
    salt = secrets.token_bytes(16)
    derived = hashlib.scrypt(password.encode(), salt=salt, **SCRYPT)
    return f"scrypt${b64encode(salt).decode()}${b64encode(derived).decode()}"


def check_password(password: str, stored: str) -> bool:
    _, salt, expected = stored.split("$")
    derived = hashlib.scrypt(password[:LONGEST].encode(), salt=b64decode(salt), **SCRYPT)
    return hmac.compare_digest(derived, b64decode(expected))


# --- accounts -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who can log in, as an admin sees them."""

    person: Person
    has_password: bool
    disabled: bool
    seen_at: float | None
    """When they were here last; None: never."""


def accounts(store: Store) -> list[Account]:
    """Everyone, oldest first; people without a password too."""
    seen = select(func.max(t.login_session.c.seen_at)).where(t.login_session.c.person_id == t.person.c.id)
    query = select(
        t.person, t.account.c.password, t.account.c.disabled, seen.scalar_subquery().label("seen")
    ).outerjoin(t.account, t.account.c.person_id == t.person.c.id)
    with store.reading() as conn:
        rows = conn.execute(query.order_by(t.person.c.created_at, t.person.c.id)).mappings().all()
    people = [dict(row) for row in rows]
    return [Account(_person(p), bool(p["password"]), bool(p["disabled"]), p["seen"]) for p in people]


def is_disabled(store: Store, person_id: str) -> bool:
    with store.reading() as conn:
        query = select(t.account.c.disabled).where(t.account.c.person_id == person_id)
        return bool(conn.execute(query).scalar_one_or_none())


def has_admin(store: Store) -> bool:
    """Whether an admin can log in."""
    return any(a.person.role == "admin" and a.has_password and not a.disabled for a in accounts(store))


def set_password(store: Store, person_id: str, password: str, *, by: Person | None = None) -> None:
    """Also ends every session of the person. `by` is who asks; None: the command line.

    Raises NotAllowed unless it is one's own or an admin's work, NotFound, UsageError.
    """
    if by is not None and by.id != person_id:
        require(by, "manage")
    person = store.get(Person, person_id)
    hashed = hash_password(password)
    with store.writing() as conn:
        _upsert(conn, person.id, password=hashed)
        conn.execute(delete(t.login_session).where(t.login_session.c.person_id == person.id))
        note_in(conn, by.id if by else None, "password set", person.name)


def set_role(
    store: Store, person_id: str, role: str, *, by: Person | None = None, last: bool = False
) -> Person:
    """Raises NotAllowed, NotFound, UsageError; the last admin stays one unless `last`."""
    _may_manage(by)
    if role not in get_args(Role):
        raise UsageError(f"no role {role!r}; choose {', '.join(get_args(Role))}")
    with store.writing() as conn:
        person = _get(store, person_id)
        if person.role == "admin" and role != "admin" and not last:
            _keep_an_admin(conn, person)
        conn.execute(update(t.person).where(t.person.c.id == person.id).values(role=role))
        roles_changed(conn)
        note_in(conn, by.id if by else None, "role set", f"{person.name}: {person.role} to {role}")
    return store.get(Person, person_id)


def set_disabled(store: Store, person_id: str, disabled: bool, *, by: Person | None = None) -> None:
    """A disabled account is logged out everywhere and cannot log in. What the person wrote stays.

    Raises NotAllowed, NotFound, UsageError; the last admin stays enabled.
    """
    _may_manage(by)
    with store.writing() as conn:
        person = _get(store, person_id)
        if disabled and person.role == "admin":
            _keep_an_admin(conn, person)
        _upsert(conn, person.id, disabled=disabled)
        if disabled:
            conn.execute(delete(t.login_session).where(t.login_session.c.person_id == person.id))
        note_in(conn, by.id if by else None, "disabled" if disabled else "enabled", person.name)


def _may_manage(by: Person | None) -> None:
    if by is not None:
        require(by, "manage")


def _get(store: Store, person_id: str) -> Person:
    return store.get(Person, person_id)


def _keep_an_admin(conn: Connection, leaving: Person) -> None:
    """Raises UsageError when nobody else could let people in."""
    others = (
        select(func.count())
        .select_from(t.person.join(t.account, t.account.c.person_id == t.person.c.id, isouter=True))
        .where(t.person.c.role == "admin", t.person.c.id != leaving.id)
        .where(or_(t.account.c.disabled.is_(None), t.account.c.disabled.is_(False)))
    )
    if not conn.execute(others).scalar_one():
        raise UsageError(f"{leaving.name} is the only admin; make somebody else one first")


def _upsert(conn: Connection, person_id: str, **values: Any) -> None:
    row = {"changed_at": time.time()} | values
    changed = conn.execute(update(t.account).where(t.account.c.person_id == person_id).values(row))
    if not changed.rowcount:
        whole = {"person_id": person_id, "password": "", "disabled": False} | row
        conn.execute(insert(t.account).values(whole))


def check_own(store: Store, person: Person, password: str, address: str) -> None:
    """Raises NotAllowed unless this is the person's password, TooManyTries as for a login."""
    with store.writing() as conn:
        _refuse_guessing(conn, person.name, address)
        query = select(t.account.c.password).where(t.account.c.person_id == person.id)
        stored = conn.execute(query).scalar_one_or_none()
    right = check_password(password, stored or UNKNOWN)
    with store.writing() as conn:
        _refuse_guessing(conn, person.name, address)
        if not right:
            note_in(conn, None, FAILED, person.name, address)
    if not right:
        raise NotAllowed("that is not your password")


# --- sessions -------------------------------------------------------------------------


def log_in(store: Store, name: str, password: str, address: str, stored: str | None = None) -> str:
    """The token of a new session.

    `stored` is the hash of a file of accounts; None: the database's. Raises TooManyTries, and
    NotAllowed when name or password is wrong, without telling which.
    """
    with store.writing() as conn:
        _refuse_guessing(conn, name, address)
        found = _account(conn, name)
    hashed = stored or (found.password if found and not found.disabled else "") or UNKNOWN
    right = check_password(password, hashed)
    with store.writing() as conn:
        # Comparing takes its time: meanwhile others guessed too, or an admin has closed the account.
        _refuse_guessing(conn, name, address)
        if found and not found.disabled and right and found == _account(conn, name):
            return begin(store, found.id, address, "logged in")
        note_in(conn, None, FAILED, name[:80], address)
    raise NotAllowed("wrong name or password")


def _account(conn: Connection, name: str) -> Any:
    """Id, password and whether they are kept out, of the person of that name."""
    query = (
        select(t.person.c.id, t.account.c.password, t.account.c.disabled)
        .outerjoin(t.account, t.account.c.person_id == t.person.c.id)
        .where(t.person.c.name == name)
    )
    return conn.execute(query).one_or_none()


def begin(store: Store, person_id: str, address: str, what: str, about: str = "") -> str:
    """A session for somebody whom a password or a provider has made known; its token."""
    token, now = secrets.token_urlsafe(32), time.time()
    row = {
        "id": _hashed(token),
        "person_id": person_id,
        "created_at": now,
        "seen_at": now,
        "until": now + SESSION_S,
    }
    with store.writing() as conn:
        conn.execute(delete(t.login_session).where(t.login_session.c.until < now))
        conn.execute(insert(t.login_session).values(row))
        note_in(conn, person_id, what, about, address)
    return token


def person_of(store: Store, token: str) -> Person | None:
    """Whose session it is; None when it is over, or has no person."""
    if not token:
        return None
    s, now = t.login_session.c, time.time()
    query = (
        select(t.person, s.seen_at)
        .join(t.login_session, s.person_id == t.person.c.id)
        .where(s.id == _hashed(token), s.until > now)
    )
    with store.reading() as conn:
        row = conn.execute(query).mappings().one_or_none()
    if row is None:
        return None
    if now - row["seen_at"] > SEEN_EVERY_S:
        with suppress(DiskFull), store.writing() as conn:  # one may still look
            conn.execute(update(t.login_session).where(s.id == _hashed(token)).values(seen_at=now))
    return _person(dict(row))


def log_out(store: Store, token: str, address: str = "") -> None:
    person = person_of(store, token)
    if person is None:
        return
    with store.writing() as conn:
        conn.execute(delete(t.login_session).where(t.login_session.c.id == _hashed(token)))
        note_in(conn, person.id, "logged out", "", address)


def note_failure(store: Store, about: str, address: str) -> None:
    """Write down a login that failed elsewhere; no more lines than guessing a password would leave."""
    a = t.audit_entry.c
    with store.writing() as conn:
        recent = select(func.count()).where(a.what == FAILED, a.created_at > time.time() - WITHIN_S)
        if conn.execute(recent.where(a.address == address)).scalar_one() < TRIES:
            note_in(conn, None, FAILED, about, address)


def _refuse_guessing(conn: Connection, name: str, address: str) -> None:
    a = t.audit_entry.c
    recent = select(func.count()).where(a.what == FAILED, a.created_at > time.time() - WITHIN_S)
    from_here = conn.execute(recent.where(a.address == address)).scalar_one()
    for_name = conn.execute(recent.where(a.about == name[:80])).scalar_one()
    if from_here >= TRIES or for_name >= TRIES_NAME:
        raise TooManyTries("too many tries; wait a minute")


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _person(row: Mapping[str, Any]) -> Person:
    return from_row(Person, {name: row[name] for name in ("id", "name", "role", "created_at")})


# --- what was done --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the audit log."""

    at: float
    who: str
    """Name of the person; empty: nobody who is known, or the command line."""
    what: str
    about: str
    address: str


def note(store: Store, person_id: str | None, what: str, about: str = "", address: str = "") -> None:
    """Write a line into the audit log."""
    with store.writing() as conn:
        note_in(conn, person_id, what, about, address)


def note_in(conn: Connection, person_id: str | None, what: str, about: str = "", address: str = "") -> None:
    """As `note`, inside a write transaction."""
    row = {
        "id": new_id("aud"),
        "person_id": person_id,
        "what": mended(what[:64]),
        "about": mended(about),
        "address": address,
        "created_at": time.time(),
    }
    conn.execute(insert(t.audit_entry).values(row))


def audit_log(store: Store, before: float | None = None, limit: int = 100) -> list[Entry]:
    """The newest lines first; those before a time, to page on."""
    a = t.audit_entry.c
    query = (
        select(a.created_at, t.person.c.name, a.what, a.about, a.address)
        .select_from(t.audit_entry.outerjoin(t.person, t.person.c.id == a.person_id))
        .order_by(a.created_at.desc(), a.id.desc())
        .limit(limit)
    )
    if before is not None:
        query = query.where(a.created_at < before)
    with store.reading() as conn:
        rows = conn.execute(query).all()
    return [Entry(at, name or "", what, about, address) for at, name, what, about, address in rows]
