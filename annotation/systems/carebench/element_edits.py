"""Elements that people add. Correcting and removing elements use ordinary corrections (CapST)."""

from __future__ import annotations

import time

from annotation.editing import undo_and_redo
from annotation.editing.display_names import quote
from annotation.people.permissions import require
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.elements import Element
from annotation.records.ids import new_id
from annotation.store.store import Store
from annotation.systems.carebench.capst_requests import KINDS, ElementKind
from backends.errors import UsageError

LONGEST = 300
"""Maximum length of an element, in characters; longer text is more than one element."""


def add_element(store: Store, person: Person | None, text_id: str, kind: str, words: str) -> Element:
    """Add an element that the extraction of a caption missed. Undo removes it.

    Raises NotAllowed, NotFound, UsageError.
    """
    editor = require(person, "edit")
    if kind not in KINDS:
        raise UsageError(f"kind of element {kind!r} not found; choose from {', '.join(KINDS)}")
    words = " ".join(words.split())
    if not words or len(words) > LONGEST:
        raise UsageError(f"an element must be a short text of at most {LONGEST} characters")
    text = store.get(Text, text_id)
    with store.writing() as conn:
        element = Element(
            id=new_id("elm"),
            video_id=text.video_id,
            text_id=text.id,
            kind=_kind(kind),
            index=_next_index(store, text.id, kind),
            value="",
            created_at=time.time(),
            person_id=editor.id,
        )
        store.add_in(conn, [element])
        before = store.current_in(conn, "element", element.id, "value")
        correction = store.correct_in(
            conn, ("element", element.id, "value"), words, person_id=editor.id, base_revision=0
        )
        change = undo_and_redo.value_change(before, correction)
        undo_and_redo.record_in(
            conn, editor.id, text.video_id, f"added the {kind} “{quote(words)}”", [change]
        )
    return element


def _kind(kind: str) -> ElementKind:
    return "event" if kind == "event" else "object"


def _next_index(store: Store, text_id: str, kind: str) -> int:
    return max((e.index for e in store.find(Element, text_id=text_id, kind=kind)), default=-1) + 1
