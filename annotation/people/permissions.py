"""Who may do what: the one function that every page, route and command asks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from annotation.records.allowed_values import Role
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed

Action = Literal[
    "read",  # look at anything
    "edit",  # correct, set an error source, exclude a question, select keyframes
    "edit_others",  # lay a correction over a text that another person wrote
    "run",  # start, stop and repeat model runs
    "add",  # add videos, import files
    "export",
    "assign",  # give work to people, add people
    "blind",  # let others label without seeing the judge, and end it
    "remove",  # take videos out of the workspace
    "manage",  # let people in and out, change roles and passwords, read the audit log
]

ALLOWED: dict[Role, frozenset[Action]] = {
    "annotator": frozenset(("read", "edit", "export")),
    "expert": frozenset(("read", "edit", "edit_others", "export", "assign")),
    "researcher": frozenset(("read", "edit", "edit_others", "run", "add", "export", "assign", "blind")),
    "admin": frozenset(get_args(Action)),
}


Scope = Literal["read", "write"]
"""What a personal token may do of what its person may."""
NOT_BY_TOKEN: frozenset[Action] = frozenset(("manage",))
BY_READING: frozenset[Action] = frozenset(("read", "export"))


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPerson(Person):
    """A person for whom one of their tokens speaks (`annotation.people.personal_tokens`)."""

    token_id: str
    token_name: str
    scope: Scope


def actions_of(person: Person) -> frozenset[Action]:
    """What somebody may do; with a token, what it may do for them."""
    allowed = ALLOWED[person.role]
    if not isinstance(person, TokenPerson):
        return allowed
    return (allowed & BY_READING) if person.scope == "read" else (allowed - NOT_BY_TOKEN)


def may(person: Person | None, action: Action, owner_id: str | None = None) -> bool:
    """Whether `person` may do `action` on something that `owner_id` wrote (None: no person)."""
    if person is None:
        return False
    allowed = actions_of(person)
    if action == "edit" and owner_id not in (None, person.id):
        return "edit_others" in allowed
    return action in allowed


def require(person: Person | None, action: Action, owner_id: str | None = None) -> Person:
    """The person, when allowed. Raises NotAllowed otherwise."""
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
        return f"tokens may not {words}; do this in the page, or with python app.py account"
    return f"the token {person.token_name!r} may only read, not {words}; use one with the scope write"
