"""Reads whose texts a person asks for, as commands, pages and programs say it."""

from __future__ import annotations

from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.store.store import Store
from annotation.texts.which_text_counts import COUNTING, REFERENCES, Whose

NAMED = {"": COUNTING, "counting": COUNTING, "references": REFERENCES}


def read_whose(store: Store, words: str) -> Whose:
    """`counting` (or empty), `references`, or a person's name or id. Raises NotFound naming the choices."""
    if words in NAMED:
        return NAMED[words]
    people = store.find(Person, order_by=["name"])
    for person in people:
        if words in (person.id, person.name):
            return Whose("person", person.id)
    names = ", ".join(repr(person.name) for person in people) or "none yet"
    raise NotFound(f"no person {words!r}; choose counting, references, or a person: {names}")
