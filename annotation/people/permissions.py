"""Who may do what: the one function that every page, route and command asks."""

from __future__ import annotations

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


def may(person: Person | None, action: Action, owner_id: str | None = None) -> bool:
    """Whether `person` may do `action` on something that `owner_id` wrote (None: no person)."""
    if person is None:
        return False
    allowed = ALLOWED[person.role]
    if action == "edit" and owner_id not in (None, person.id):
        return "edit_others" in allowed
    return action in allowed


def require(person: Person | None, action: Action, owner_id: str | None = None) -> Person:
    """The person, when allowed. Raises NotAllowed otherwise."""
    if person is None:
        raise NotAllowed("choose who you are first (top right)")
    if not may(person, action, owner_id):
        raise NotAllowed(
            f"{person.name} ({person.role}) may not {action.replace('_', ' ')} here; ask an admin"
        )
    return person
