"""Identities of people at OpenID providers.

Issuer and subject identify a person (OpenID Connect Core 1.0, section 5.7). Names do not: they change, and
two people may have the same one. Therefore an equal name never gives access to an account.
"""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

from sqlalchemy import Connection, insert, select
from sqlalchemy.exc import IntegrityError

from annotation.people import accounts, audit_log, login_sessions
from annotation.records.allowed_values import Role
from annotation.records.decisions import Person
from annotation.records.errors import FormatError, NotAllowed
from annotation.records.ids import new_id, record_id
from annotation.store import tables as t
from annotation.store.rows import from_row
from annotation.store.store import Store
from backends.errors import UsageError

LONGEST_NAME, LONGEST_SUBJECT = 80, 255


@dataclass(frozen=True, slots=True)
class Identity:
    """A person's identity as given by a provider."""

    issuer: str
    subject: str
    name: str
    """Display name at the provider, at most 80 characters."""
    role: Role | None = None
    """None if roles are not read from the provider."""


def log_in(store: Store, known: Identity, new_role: Role, address: str) -> str:
    """Log in and return the token of the new session. Unknown people are added.

    New people get `new_role`, unless the provider gives a role, which is applied at every login. Raises
    NotAllowed if the account is disabled, or if the name belongs to another account.
    """
    person = person_of(store, known.issuer, known.subject) or _welcome(store, known, new_role)
    with store.writing():
        if accounts.is_disabled(store, person.id):
            raise NotAllowed(f"the account of {person.name} is disabled; an admin can enable it")
        if known.role and known.role != person.role:
            accounts.set_role(store, person.id, known.role, last=True)
        return login_sessions.begin(
            store, person.id, address, "logged in", f"through {host_of(known.issuer)}"
        )


def person_of(store: Store, issuer: str, subject: str) -> Person | None:
    """Return the person with this identity, or None."""
    with store.reading() as conn:
        return _find(conn, issuer, subject)


def has_identity(store: Store, person_id: str) -> bool:
    """Whether a person logs in through a provider."""
    with store.reading() as conn:
        query = select(t.identity.c.id).where(t.identity.c.person_id == person_id)
        return conn.execute(query.limit(1)).scalar_one_or_none() is not None


def link(store: Store, person: Person, issuer: str, subject: str) -> None:
    """Link an identity to an existing account. Raises UsageError if it is already linked."""
    if not issuer.strip() or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise UsageError(f"give an issuer, and a subject of 1 to {LONGEST_SUBJECT} characters")
    with store.writing() as conn:
        taken = _find(conn, issuer, subject)
        if taken is not None:
            raise UsageError(f"{subject} of {issuer} is already linked to {taken.name!r}")
        _insert(conn, person.id, issuer, subject)
        audit_log.note_in(conn, None, "linked", f"{person.name}: {subject} of {issuer}")


def host_of(issuer: str) -> str:
    """Return the host of an issuer, for display."""
    return urlsplit(issuer).netloc.rpartition("@")[2]


def _welcome(store: Store, known: Identity, new_role: Role) -> Person:
    """Add person and identity in one transaction."""
    role = known.role or new_role
    person = Person(id=record_id("per", known.name), name=known.name, role=role, created_at=time.time())
    try:
        with store.writing() as conn:
            _refuse_taken(conn, known)
            store.add_in(conn, [person])
            _insert(conn, person.id, known.issuer, known.subject)
            audit_log.note_in(conn, person.id, "came first", f"through {host_of(known.issuer)}: {role}")
    except (FormatError, IntegrityError) as error:  # another process was faster
        found = person_of(store, known.issuer, known.subject)
        if found is None:
            raise _taken(known) from error
        return found
    return person


def _refuse_taken(conn: Connection, known: Identity) -> None:
    query = select(t.person.c.id).where(t.person.c.name == known.name)
    if conn.execute(query).scalar_one_or_none() is not None:
        raise _taken(known)


def _taken(known: Identity) -> NotAllowed:
    # The provider's values become part of a command that people copy.
    name, issuer, subject = (shlex.quote(word) for word in (known.name, known.issuer, known.subject))
    return NotAllowed(
        f"there is already an account called {known.name!r}; an equal name does not give access to it. "
        f"If the account is yours, ask an admin to type: python app.py account link {name} "
        f"--issuer {issuer} --subject {subject} (if it is not, replace {known.name!r} with another name "
        "to create a new account)"
    )


def _find(conn: Connection, issuer: str, subject: str) -> Person | None:
    i = t.identity.c
    query = select(t.person).join(t.identity, i.person_id == t.person.c.id)
    row = conn.execute(query.where(i.issuer == issuer, i.subject == subject)).mappings().one_or_none()
    return from_row(Person, dict(row)) if row else None


def _insert(conn: Connection, person_id: str, issuer: str, subject: str) -> None:
    row = {
        "id": new_id("idn"),
        "person_id": person_id,
        "issuer": issuer,
        "subject": subject,
        "created_at": time.time(),
    }
    conn.execute(insert(t.identity).values(row))
