"""Accounts: who can log in, with which role, and who may change that."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, get_args

from sqlalchemy import Connection, RowMapping, delete, func, insert, or_, select, update

from annotation.people.audit_log import note_in
from annotation.people.passwords import hash_password
from annotation.people.permissions import require
from annotation.records.allowed_values import Role
from annotation.records.decisions import Person
from annotation.store import tables as t
from annotation.store.opinion_rules import roles_changed
from annotation.store.rows import from_row
from annotation.store.store import Store
from backends.errors import UsageError


@dataclass(frozen=True, slots=True)
class Account:
    """A person and their account, as shown to admins."""

    person: Person
    has_password: bool
    disabled: bool
    seen_at: float | None
    """Time of the last visit; None if there was none."""


def accounts(store: Store) -> list[Account]:
    """Return all people, oldest first, including people without a password."""
    seen = select(func.max(t.login_session.c.seen_at)).where(t.login_session.c.person_id == t.person.c.id)
    query = select(
        t.person, t.account.c.password, t.account.c.disabled, seen.scalar_subquery().label("seen")
    ).outerjoin(t.account, t.account.c.person_id == t.person.c.id)
    with store.reading() as conn:
        people = conn.execute(query.order_by(t.person.c.created_at, t.person.c.id)).mappings().all()
    return [Account(person_in(p), bool(p["password"]), bool(p["disabled"]), p["seen"]) for p in people]


def is_disabled(store: Store, person_id: str) -> bool:
    with store.reading() as conn:
        query = select(t.account.c.disabled).where(t.account.c.person_id == person_id)
        return bool(conn.execute(query).scalar_one_or_none())


def has_admin(store: Store) -> bool:
    """Whether an admin can log in."""
    return any(a.person.role == "admin" and a.has_password and not a.disabled for a in accounts(store))


def set_password(store: Store, person_id: str, password: str, *, by: Person | None = None) -> None:
    """Set a password and end all sessions of the person.

    `by` is the person making the request; None for the command line. Raises NotAllowed unless `by` is the
    person or an admin, NotFound, UsageError.
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
    """Set the role of a person.

    Raises NotAllowed, NotFound, UsageError for an unknown role, or for the last admin unless `last`.
    """
    _may_manage(by)
    if role not in get_args(Role):
        raise UsageError(f"unknown role {role!r}; choose {', '.join(get_args(Role))}")
    with store.writing() as conn:
        person = store.get(Person, person_id)
        if person.role == "admin" and role != "admin" and not last:
            _keep_an_admin(conn, person)
        conn.execute(update(t.person).where(t.person.c.id == person.id).values(role=role))
        roles_changed(conn)
        note_in(conn, by.id if by else None, "role set", f"{person.name}: {person.role} to {role}")
    return store.get(Person, person_id)


def set_disabled(store: Store, person_id: str, disabled: bool, *, by: Person | None = None) -> None:
    """Disable or enable an account. Disabling ends its sessions; the person's work is kept.

    Raises NotAllowed, NotFound, and UsageError for the last admin.
    """
    _may_manage(by)
    with store.writing() as conn:
        person = store.get(Person, person_id)
        if disabled and person.role == "admin":
            _keep_an_admin(conn, person)
        _upsert(conn, person.id, disabled=disabled)
        if disabled:
            conn.execute(delete(t.login_session).where(t.login_session.c.person_id == person.id))
        note_in(conn, by.id if by else None, "disabled" if disabled else "enabled", person.name)


def _may_manage(by: Person | None) -> None:
    if by is not None:
        require(by, "manage")


def _keep_an_admin(conn: Connection, leaving: Person) -> None:
    """Raise UsageError if there is no other enabled admin."""
    others = (
        select(func.count())
        .select_from(t.person.join(t.account, t.account.c.person_id == t.person.c.id, isouter=True))
        .where(t.person.c.role == "admin", t.person.c.id != leaving.id)
        .where(or_(t.account.c.disabled.is_(None), t.account.c.disabled.is_(False)))
    )
    if not conn.execute(others).scalar_one():
        raise UsageError(f"{leaving.name} is the only admin; give someone else this role first")


def _upsert(conn: Connection, person_id: str, **values: Any) -> None:
    row = {"changed_at": time.time()} | values
    changed = conn.execute(update(t.account).where(t.account.c.person_id == person_id).values(row))
    if not changed.rowcount:
        whole = {"person_id": person_id, "password": "", "disabled": False} | row
        conn.execute(insert(t.account).values(whole))


def person_in(row: RowMapping) -> Person:
    """Return the person of a row that also has other columns."""
    return from_row(Person, {name: row[name] for name in ("id", "name", "role", "created_at")})
