"""The audit log: logins, changes of accounts, and exports, with time and address."""

from __future__ import annotations

import time
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select

from annotation.records.ids import new_id
from annotation.store import tables as t
from annotation.store.store import Store
from backends.text.storable_text import mended


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the audit log."""

    at: float
    who: str
    """Name of the person; empty for unknown people and the command line."""
    what: str
    about: str
    address: str


def note(store: Store, person_id: str | None, what: str, about: str = "", address: str = "") -> None:
    """Add a line to the audit log."""
    with store.writing() as conn:
        note_in(conn, person_id, what, about, address)


def note_in(conn: Connection, person_id: str | None, what: str, about: str = "", address: str = "") -> None:
    """Same as `note`, inside a write transaction."""
    row = {
        "id": new_id("aud"),
        "person_id": person_id,
        "what": mended(what[:64]),
        "about": mended(about),
        "address": address,
        "created_at": time.time(),
    }
    conn.execute(insert(t.audit_entry).values(row))


def entries(store: Store, before: float | None = None, limit: int = 100) -> list[Entry]:
    """Return the lines, newest first. `before`: only lines before this time, for paging."""
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
