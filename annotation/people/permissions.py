"""Permissions: `may` decides for all pages, routes and commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from annotation.records.allowed_values import Role
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed

Action = Literal[
    "read",
    "edit",  # correct, set an error source, exclude a question, select keyframes
    "edit_others",  # correct a text that another person wrote
    "run",  # start, stop and repeat model runs
    "add",  # add videos, import files
    "export",
    "assign",  # assign work to people, add people
    "blind",  # switch blind labelling on and off for others
    "remove",  # remove videos from the workspace
    "manage",  # manage accounts, roles and passwords, read the audit log
]

ALLOWED: dict[Role, frozenset[Action]] = {
    "annotator": frozenset(("read", "edit", "export")),
    "expert": frozenset(("read", "edit", "edit_others", "export", "assign")),
    "researcher": frozenset(("read", "edit", "edit_others", "run", "add", "export", "assign", "blind")),
    "admin": frozenset(get_args(Action)),
}


Scope = Literal["read", "write"]
"""Which of the person's permissions a personal token has."""
NOT_BY_TOKEN: frozenset[Action] = frozenset(("manage",))
BY_READING: frozenset[Action] = frozenset(("read", "export"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPerson(Person):
    """A person who is authenticated with a personal token (`annotation.people.personal_tokens`)."""

    token_id: str
    token_name: str
    scope: Scope


def actions_of(person: Person) -> frozenset[Action]:
    """Return the actions that a person may do; with a token, only those of its scope."""
    allowed = ALLOWED[person.role]
    if not isinstance(person, TokenPerson):
        return allowed
    return (allowed & BY_READING) if person.scope == "read" else (allowed - NOT_BY_TOKEN)


def may(person: Person | None, action: Action, owner_id: str | None = None) -> bool:
    """Whether `person` may do `action` on something written by `owner_id` (None: not by a person)."""
    if person is None:
        return False
    allowed = actions_of(person)
    if action == "edit" and owner_id not in (None, person.id):
        return "edit_others" in allowed
    return action in allowed


def require(person: Person | None, action: Action, owner_id: str | None = None) -> Person:
    """Return the person if the action is allowed. Raises NotAllowed otherwise."""
    if person is None:
        raise NotAllowed("choose who you are first (top right)")
    if not may(person, action, owner_id):
        raise NotAllowed(_why_not(person, action))
    return person


def _why_not(person: Person, action: Action) -> str:
    words = action.replace("_", " ")
    if not isinstance(person, TokenPerson) or action not in ALLOWED[person.role]:
        return f"{person.name} ({person.role}) may not {words} here; ask an admin"
    if action in NOT_BY_TOKEN:
        return f"tokens may not {words}; do this on the page, or with python app.py account"
    return f"the token {person.token_name!r} may only read, not {words}; use one with the scope write"
