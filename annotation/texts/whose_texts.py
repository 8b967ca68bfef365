"""Parse the option that selects whose texts to use, for commands, pages and programs."""

from __future__ import annotations

from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.store.store import Store
from annotation.texts.which_text_counts import COUNTING, REFERENCES, Whose
from backends.errors import UsageError

NAMED = {"": COUNTING, "counting": COUNTING, "references": REFERENCES}


def read_whose(store: Store, words: str) -> Whose:
    """Parse `counting` (or empty), `references`, or a person's name or id.

    Raises NotFound with the choices, and UsageError if a person has the name of a choice.
    """
    people = store.find(Person, order_by=["name"])
    if words in NAMED:
        if any(words == person.name for person in people):
            ids = ", ".join(person.id for person in people if person.name == words)
            raise UsageError(
                f"{words!r} is also the name of a person; use the person's id, {ids}, or leave it out"
            )
        return NAMED[words]
    for person in people:
        if words in (person.id, person.name):
            return Whose("person", person.id)
    names = ", ".join(repr(person.name) for person in people) or "none yet"
    raise NotFound(f"person {words!r} not found; choose counting, references, or a person: {names}")
