"""Limit login attempts: after too many within a minute from one address or for one name, logins must wait."""

from __future__ import annotations

import time

from sqlalchemy import Connection, func, select

from annotation.people.audit_log import note_in
from annotation.records.errors import NotAllowed
from annotation.store import tables as t
from annotation.store.store import Store

TRIES, TRIES_NAME, WITHIN_S = 10, 30, 60.0
"""Limits per `WITHIN_S` seconds on wrong passwords from one address, and for one name from any address."""
FAILED, TOKEN_REFUSED = "login failed", "token refused"


class TooManyTries(NotAllowed):
    """There were too many failed logins."""


def refuse_guessing(conn: Connection, name: str, address: str) -> None:
    """Raise TooManyTries if there were too many failed logins for this name or address."""
    a = t.audit_entry.c
    recent = select(func.count()).where(a.what == FAILED, a.created_at > time.time() - WITHIN_S)
    from_here = conn.execute(recent.where(a.address == address)).scalar_one()
    for_name = conn.execute(recent.where(a.about == name[:80])).scalar_one()
    if from_here >= TRIES or for_name >= TRIES_NAME:
        raise TooManyTries("too many tries; wait a minute")


def note_failure(store: Store, about: str, address: str) -> None:
    """Log a login that failed outside this module."""
    _note_some(store, FAILED, None, about, address)


def note_refused_token(store: Store, person_id: str | None, about: str, address: str) -> None:
    """Log a refused token. `person_id`: its person, if known."""
    _note_some(store, TOKEN_REFUSED, person_id, about, address)


def _note_some(store: Store, what: str, person_id: str | None, about: str, address: str) -> None:
    """Add a line to the log, at most `TRIES` per address within `WITHIN_S` seconds."""
    a = t.audit_entry.c
    with store.writing() as conn:
        recent = select(func.count()).where(a.what == what, a.created_at > time.time() - WITHIN_S)
        if conn.execute(recent.where(a.address == address)).scalar_one() < TRIES:
            note_in(conn, person_id, what, about, address)
