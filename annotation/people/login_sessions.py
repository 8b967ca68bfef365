"""Login sessions: they start with a password or through a provider, and end with a logout or expire.

Sessions are stored in the database as hashes of their tokens, so that a logout, a new password and disabling
an account take effect at once in every process that serves the workspace.
"""

from __future__ import annotations

import secrets
import time
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from annotation.people.accounts import person_in
from annotation.people.audit_log import note_in
from annotation.people.login_attempts import FAILED, refuse_guessing
from annotation.people.passwords import UNKNOWN, check_password, hash_token
from annotation.records.decisions import Person
from annotation.records.errors import DiskFull, NotAllowed
from annotation.store import tables as t
from annotation.store.store import Store

SESSION_S = 14 * 24 * 3600
SEEN_EVERY_S = 300
"""Precision of the time of a person's last visit."""


def log_in(store: Store, name: str, password: str, address: str, stored: str | None = None) -> str:
    """Log in with a password and return the token of the new session.

    `stored` is the hash from a file of accounts; None to use the one in the database. Raises TooManyTries,
    and NotAllowed if name or password is wrong, without revealing which.
    """
    with store.writing() as conn:
        refuse_guessing(conn, name, address)
        found = _account(conn, name)
    hashed = stored or (found.password if found and not found.disabled else "") or UNKNOWN
    right = check_password(password, hashed)
    with store.writing() as conn:
        # Comparing is slow. In the meantime there may be other attempts, or the account may be disabled.
        refuse_guessing(conn, name, address)
        if found and not found.disabled and right and found == _account(conn, name):
            return begin(store, found.id, address, "logged in")
        note_in(conn, None, FAILED, name[:80], address)
    raise NotAllowed("wrong name or password")


def _account(conn: Connection, name: str) -> Any:
    """Return (id, password, disabled) of the person with this name, or None."""
    query = (
        select(t.person.c.id, t.account.c.password, t.account.c.disabled)
        .outerjoin(t.account, t.account.c.person_id == t.person.c.id)
        .where(t.person.c.name == name)
    )
    return conn.execute(query).one_or_none()


def begin(store: Store, person_id: str, address: str, what: str, about: str = "") -> str:
    """Start a session for an authenticated person and return its token."""
    token, now = secrets.token_urlsafe(32), time.time()
    row = {
        "id": hash_token(token),
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
    """Return the person of a session; None if it does not exist or has expired."""
    if not token:
        return None
    s, now = t.login_session.c, time.time()
    query = (
        select(t.person, s.seen_at)
        .join(t.login_session, s.person_id == t.person.c.id)
        .where(s.id == hash_token(token), s.until > now)
    )
    with store.reading() as conn:
        row = conn.execute(query).mappings().one_or_none()
    if row is None:
        return None
    if now - row["seen_at"] > SEEN_EVERY_S:
        with suppress(DiskFull), store.writing() as conn:  # reading still works on a full disk
            conn.execute(update(t.login_session).where(s.id == hash_token(token)).values(seen_at=now))
    return person_in(row)


def log_out(store: Store, token: str, address: str = "") -> None:
    person = person_of(store, token)
    if person is None:
        return
    with store.writing() as conn:
        conn.execute(delete(t.login_session).where(t.login_session.c.id == hash_token(token)))
        note_in(conn, person.id, "logged out", "", address)


def check_own(store: Store, person: Person, password: str, address: str) -> None:
    """Check the person's password. Raises NotAllowed if it is wrong, TooManyTries as for a login."""
    with store.writing() as conn:
        refuse_guessing(conn, person.name, address)
        query = select(t.account.c.password).where(t.account.c.person_id == person.id)
        stored = conn.execute(query).scalar_one_or_none()
    right = check_password(password, stored or UNKNOWN)
    with store.writing() as conn:
        refuse_guessing(conn, person.name, address)
        if not right:
            note_in(conn, None, FAILED, person.name, address)
    if not right:
        raise NotAllowed("that is not your password")
