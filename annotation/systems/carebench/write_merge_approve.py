"""CaReBench captions by people: two write four parts each, an expert merges them, returns and approves.

Source: CaReBench (ICLR 2026), annotation stage I: each video is described by two annotators and refined
by an expert; overview, objects, actions, misc, together 150 to 300 words.
Every function checks `may` first. Undo reverts its changes through the journal like other decisions.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from annotation.editing import assignments, undo_and_redo
from annotation.editing.assignments import Place
from annotation.editing.decision_kinds import KINDS
from annotation.editing.decision_log import Change
from annotation.people.hidden_texts import ASPECTS, FINISHED, MERGE, PARTS, UNFINISHED, WRITE
from annotation.people.permissions import require
from annotation.records import fingerprints
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Assignment, Merge, Person
from annotation.records.errors import NotAllowed, StaleEdit
from annotation.records.ids import new_id, record_id
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.carebench.origin_of_merged_part import (
    Part,
    came_from,
    values_since_empty,
    versions_at,
)
from backends.errors import UsageError

FULL = "carebench:full"
HEADS: Mapping[str, str] = {"overview": "Overview", "object": "Objects", "action": "Actions", "misc": "Misc"}
"""Names of the four parts."""


def parts_of(store: Store, video_id: str, person_id: str) -> dict[str, Part]:
    """A person's own parts by name; parts that were never begun are omitted."""
    found = store.find(Text, video_id=video_id, person_id=person_id, kind=PARTS, order_by=["created_at"])
    return {_name(text): Part(text, now) for text, now in store.not_superseded(found)}


def _name(text: Text) -> str:
    return text.kind.partition(":")[2]


def work_on(store: Store, video_id: str, task: str) -> list[Assignment]:
    """Assignments of this task on a video, in order of assignment."""
    rows = assignments.current(store.find(Assignment, video_id=video_id, task=task)).values()
    return list(rows)


# --- writing -------------------------------------------------------------------------------


def begin(store: Store, person: Person | None, video_id: str) -> dict[str, Part]:
    """The person's four fields, empty until something is written. Raises NotAllowed, NotFound."""
    writer = require(person, "edit")
    video = store.get(Video, video_id)
    mine = next((w for w in work_on(store, video.id, WRITE) if w.person_id == writer.id), None)
    if mine is None:
        raise NotAllowed(f"the parts of {video.title} are not assigned to you; take the video in the Library")
    if mine.state in UNFINISHED:
        _make_fields(store, writer, video.id)
    return parts_of(store, video.id, writer.id)


def begin_merge(store: Store, person: Person | None, video_id: str) -> dict[str, Part]:
    """The fields of the merged caption, created and assigned to the first expert who opens them.

    Raises NotAllowed, NotFound, UsageError while someone is still writing or another expert merges.
    """
    expert = require(person, "assign")
    video = store.get(Video, video_id)
    with store.writing():
        _take_merge(store, expert, video)
        _make_fields(store, expert, video.id)
    return parts_of(store, video.id, expert.id)


def _take_merge(store: Store, expert: Person, video: Video) -> None:
    """Assign the merge to one of the experts who open it at once. Inside a write transaction."""
    writers = work_on(store, video.id, WRITE)
    if not writers or any(row.state not in FINISHED for row in writers):
        raise UsageError("the parts of this video are still being written; merge when all are done")
    mergers = work_on(store, video.id, MERGE)
    if mergers and all(row.person_id != expert.id for row in mergers):
        other = store.get(Person, mergers[0].person_id).name
        raise NotAllowed(f"{other} is merging {video.title}; withdraw that task in the Library first")
    if not mergers:
        assignments.assign(store, expert, [video.id], expert.id, MERGE)
    assignments.begin(store, expert, Place(video.id, expert.id, MERGE))


def _make_fields(store: Store, person: Person, video_id: str) -> None:
    """Create missing fields; fixed ids prevent duplicates if two windows open at once."""
    have = parts_of(store, video_id, person.id)
    missing = [name for name in ASPECTS if name not in have]
    with store.writing() as conn:
        for name in missing:
            text = _text(record_id("txt", "part", video_id, person.id, name), video_id, person, name, "")
            subject = (video_id, person.id, text.kind, video_id)
            if KINDS["text"].now(store, conn, subject) is None:
                store.add_in(conn, [text])
                KINDS["text"].restore(store, conn, subject, text.id, person.id)


def _text(text_id: str, video_id: str, person: Person, name: str, value: str) -> Text:
    return Text(
        id=text_id,
        video_id=video_id,
        kind=f"carebench:{name}",
        subject_type="video",
        subject_id=video_id,
        value=value,
        created_at=time.time(),
        person_id=person.id,
    )


# --- merging -------------------------------------------------------------------------------


def joined(parts: Mapping[str, str]) -> str:
    """The four parts as one caption, in order. Raises UsageError if one is empty."""
    empty = [HEADS[name] for name in ASPECTS if not parts.get(name, "").strip()]
    if empty:
        raise UsageError(f"{' and '.join(empty)} {'is' if len(empty) == 1 else 'are'} empty; write it first")
    return " ".join(parts[name].strip() for name in ASPECTS)


def write_full(store: Store, person: Person | None, video_id: str, base_revision: int = 0) -> Merge:
    """Join the expert's four parts to the full caption, and record which texts it came from.

    An existing full caption of theirs is changed, so its splits become stale.
    Raises NotAllowed, NotFound, UsageError, StaleEdit if it has changed since `base_revision`.
    """
    expert = require(person, "assign")
    with store.writing() as conn:
        _own_open_merge(store, expert, video_id)
        mine = parts_of(store, video_id, expert.id)
        value = joined({name: part.value for name, part in mine.items()})
        sources = _sources(store, video_id, mine)
        text_id = _write_full(store, conn, expert, video_id, value, base_revision)
        row = Merge(
            id=new_id("mrg"),
            video_id=video_id,
            person_id=expert.id,
            text_id=text_id,
            hash=fingerprints.of_text(value),
            parts=sources,
            created_at=time.time(),
        )
        store.add_in(conn, [row])
    return row


def _write_full(
    store: Store, conn: Connection, expert: Person, video_id: str, value: str, base_revision: int
) -> str:
    subject = (video_id, expert.id, FULL, video_id)
    text_id = KINDS["text"].now(store, conn, subject)
    if text_id is None:
        text = _text(new_id("txt"), video_id, expert, "full", value)
        store.add_in(conn, [text])
        change = Change("text", subject, None, text.id)
    else:
        before = store.current_in(conn, "text", text_id, "value")
        if before.value == value:
            return str(text_id)
        after = store.correct_in(
            conn,
            ("text", text_id, "value"),
            value,
            person_id=expert.id,
            reason="joined from its parts",
            base_revision=base_revision,
        )
        change = undo_and_redo.value_change(before, after)
    undo_and_redo.record_in(conn, expert.id, video_id, "joined the parts to the full caption", [change])
    return str(text_id) if text_id else text.id


def _sources(store: Store, video_id: str, mine: Mapping[str, Part]) -> dict[str, dict[str, Any]]:
    came = sources_of(store, video_id, mine)
    return {
        name: {"text_id": part.text.id, "revision": part.now.revision} | came[name]
        for name, part in mine.items()
    }


def sources_of(store: Store, video_id: str, mine: Mapping[str, Part]) -> dict[str, dict[str, Any]]:
    """Writer of the words in each part (`annotation.systems.carebench.origin_of_merged_part.came_from`).

    The writer may have rewritten these words since, so the search covers all versions that
    existed when the writer handed the work in.
    """
    writers = {
        row.person_id: (parts_of(store, video_id, row.person_id), _handed_in(store, row))
        for row in work_on(store, video_id, WRITE)
    }
    return {
        name: came_from(
            values_since_empty(store, part),
            {
                person: versions_at(store, parts[name], moments)
                for person, (parts, moments) in writers.items()
                if name in parts
            },
        )
        for name, part in mine.items()
    }


def _handed_in(store: Store, work: Assignment) -> list[float]:
    rows = store.find(Assignment, video_id=work.video_id, person_id=work.person_id, task=work.task)
    return [row.created_at for row in rows if row.state == "done"]


def _own_open_merge(store: Store, expert: Person, video_id: str) -> Assignment:
    for row in work_on(store, video_id, MERGE):
        if row.person_id == expert.id and row.state == "approved":
            raise UsageError("this caption is approved; reopen it before you change it")
        if row.person_id == expert.id:
            return row
    raise NotAllowed("merging this video is not assigned to you; open its Merge tab first")


def full_of(store: Store, video_id: str, person_id: str) -> Part | None:
    """The current full caption by a person."""
    found = store.find(Text, video_id=video_id, person_id=person_id, kind=FULL, order_by=["created_at"])
    parts = [Part(text, now) for text, now in store.not_superseded(found)]
    return parts[-1] if parts else None


def merge_of(store: Store, full: Part | None) -> Merge | None:
    """The parts from which the caption was joined; None if it was typed, or changed since."""
    if full is None:
        return None
    here = fingerprints.of_text(full.value)
    rows = store.find(Merge, text_id=full.text.id, hash=here, order_by=["created_at"])
    return rows[-1] if rows else None


# --- returning and approving ---------------------------------------------------------------


def comment(where: str, quote: str, words: str) -> str:
    """A comment prefixed with its place, as in `editing/assignments.py`: `Actions “he runs”: ...`."""
    quoted = f" “{quote.strip()}”" if quote.strip() else ""
    return f"{HEADS[where]}{quoted}: {words.strip()}" if where else words.strip()


def return_work(
    store: Store, person: Person | None, place: Place, words: str, where: str = "", quote: str = ""
) -> Assignment:
    """Return a writer's parts with a comment on one of them, or on the whole.

    Raises NotAllowed, UsageError.
    """
    require(person, "assign")
    if where and where not in HEADS:
        raise UsageError(f"part {where!r} not found; choose from {', '.join(HEADS)}")
    if not words.strip():
        raise UsageError("write a short comment on what to change")
    with store.writing():
        if any(row.state == "approved" for row in work_on(store, place.video_id, MERGE)):
            raise UsageError("the merged caption is approved; reopen it before you return a part of it")
        return assignments.set_state(store, person, place, "returned", comment(where, quote, words))


def approve(
    store: Store, person: Person | None, video_id: str, versions: Mapping[str, int]
) -> list[Assignment]:
    """Approve the current merged full caption and the texts it came from, as one decision.

    `versions`: the revisions that the expert has seen, by text id, of the full caption and of the parts of
    the writers and the merger; they are stored with the work. The expert who merges may approve (stage I has
    one expert), and so may another. Raises NotAllowed, UsageError, and StaleEdit if a text has changed.
    """
    expert = require(person, "assign")
    with store.writing():
        places = _to_approve(store, video_id)
        texts = {place: _texts(store, place) for place in places}
        _same_versions(store, texts, versions)
        seen = {place: {x.text.id: x.now.revision for x in found} for place, found in texts.items()}
        return assignments.set_states(store, expert, seen, "approved", "approved the merged caption")


def _texts(store: Store, place: Place) -> list[Part]:
    """Texts that are approved with this work."""
    full = full_of(store, place.video_id, place.person_id) if place.task == MERGE else None
    return [*parts_of(store, place.video_id, place.person_id).values(), *([full] if full else [])]


def _same_versions(store: Store, texts: Mapping[Place, list[Part]], versions: Mapping[str, int]) -> None:
    other = [
        f"{'the full caption' if part.text.kind == FULL else HEADS[_name(part.text)]} by {name}"
        for place, parts in texts.items()
        for part in parts
        if versions.get(part.text.id) != part.now.revision
        for name in [store.get(Person, place.person_id).name]
    ]
    if other:
        raise StaleEdit(
            f"changed since this page was shown: {', '.join(other)}; check the current text, then "
            "approve again",
            current=None,
            revision=0,
        )


def merge_to_approve(store: Store, video_id: str) -> Place | None:
    """The merger's work that is not approved yet."""
    rows = [row for row in work_on(store, video_id, MERGE) if row.state != "approved"]
    return assignments.place_of(rows[0]) if rows else None


def _to_approve(store: Store, video_id: str) -> list[Place]:
    """The writers' work and, last, the merger's. Raises UsageError while something is missing."""
    merge = merge_to_approve(store, video_id)
    if merge is None:
        raise UsageError("this video is not assigned for merging, or its caption is already approved")
    mine, full = parts_of(store, video_id, merge.person_id), full_of(store, video_id, merge.person_id)
    if full is None:
        raise UsageError("no full caption yet; join the four parts first")
    if merge_of(store, full) and full.value != joined({name: p.value for name, p in mine.items()}):
        raise UsageError("the parts have changed since they were joined; join them again, or undo")
    writers = work_on(store, video_id, WRITE)
    if any(w.state not in FINISHED for w in writers):
        raise UsageError("the parts of this video are still being written; approve when all are done")
    return [*(assignments.place_of(one) for one in writers if one.state != "approved"), merge]


def reopen(store: Store, person: Person | None, video_id: str) -> Assignment:
    """Withdraw the approval of the merged caption. Raises NotAllowed, UsageError."""
    require(person, "assign")
    for row in work_on(store, video_id, MERGE):
        if row.state in FINISHED:
            return assignments.set_state(store, person, assignments.place_of(row), "open")
    raise UsageError("this video's merged caption is not approved")
