"""What people decided, in order, so that it can be undone and redone: across reloads, per person.

Undo never deletes: it appends a correction, a blame, a selection or a version of the cuts that
brings the earlier state back, so the history shows it too. A new decision ends what could be
redone. What somebody else has changed since is left alone: then the decision leaves the list,
so that the next undo goes on to the one before it.

Each save of a text as it is typed is one change; those of one visit of the field are one step,
until the person rests for `REST_S` seconds (`visit` names the visit, the page makes it up).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from sqlalchemy import Connection, insert, select, update

from annotation.errors import NotFound, StaleEdit
from annotation.permissions import require
from annotation.records import Correction, Json, Person, new_id
from annotation.store import tables as t
from annotation.store.decisions import KINDS
from annotation.store.store import Current, Store

REST_S = 30.0
"""Seconds without a save after which more typing in the same field is another step."""
JUST_AFTER_S = 1e-6

ChangeKind = Literal[
    "value", "text", "blame", "exclusion", "keyframes", "action", "cuts", "assignment", "waiver",
    "frame_label", "study_choice",
]  # fmt: skip
State = Literal["done", "undone", "dropped"]
"""`dropped`: neither undone nor redone any more."""


@dataclass(frozen=True, slots=True)
class Change:
    """One subject of a decision, before and after it."""

    kind: ChangeKind
    subject: tuple[str, ...]
    """`value`: subject type, id, field. `text`: video, author, kind, what it is about. `blame`: the
    verdict. `exclusion`: question. `keyframes`: video, person. `action`, `cuts`: video. `assignment`:
    video, person, task. `waiver`: finding, person. `frame_label`: video, first and second frame, person.
    `study_choice`: study, sequence, frame, person."""
    before: Json
    after: Json
    """`value`: {"cleared", "value", "revision"}. `text`: the text's id or None. `blame`: {"kind",
    "note"}. `exclusion`: the reason or "". `keyframes`: list of frame indices. `action`: the label.
    `cuts`: id of a scene list. `assignment`: {"state", "note"} or None. `waiver`: the reason or None.
    `frame_label`: the label or "". `study_choice`: {"best", "second"} or None."""


@dataclass(frozen=True, slots=True)
class Action:
    """One decision of a person: what one press of undo takes back."""

    id: str
    person_id: str
    video_id: str | None
    """None for a decision on several videos."""
    what: str
    """As a toast says it: "corrected the content of scene 3"."""
    changes: tuple[Change, ...]
    state: State
    visit: str
    """The visit of a text field that it belongs to, else empty."""
    created_at: float
    updated_at: float


def value_change(before: Current, after: Correction) -> Change:
    """The change that a correction made to a value."""
    return Change(
        "value", (after.subject_type, after.subject_id, after.field),
        {"cleared": not before.corrected, "value": before.value if before.corrected else None,
         "revision": before.revision},
        {"cleared": after.cleared, "value": after.value, "revision": after.revision},
    )  # fmt: skip


def record(
    store: Store, person: Person, video_id: str | None, what: str, changes: Sequence[Change], visit: str = ""
) -> Action | None:
    """Write down a decision that is already in the store; None when it changed nothing."""
    with store.writing() as conn:
        return record_in(conn, person.id, video_id, what, changes, visit)


def record_in(
    conn: Connection, person_id: str, video_id: str | None, what: str, changes: Sequence[Change],
    visit: str = "",
) -> Action | None:  # fmt: skip
    """As `record`, inside the write transaction of the decision itself: both are there or neither."""
    changes = tuple(change for change in changes if _differs(change))
    if not changes:
        return None
    _end_redo(conn, person_id)
    last = _top(conn, person_id, None, "done")
    now = time.time()
    if last and visit and last.visit == visit and now - last.updated_at < REST_S:
        merged = _merged(last, changes)
        if merged:
            return _replace(conn, last, merged, now)
    after_last = last.created_at + JUST_AFTER_S if last else 0.0  # the order holds if the clock does not
    action = Action(
        new_id("act"), person_id, video_id, what, changes, "done", visit, max(now, after_last), now
    )
    conn.execute(insert(t.action), [_to_row(action)])
    return action


def undo(store: Store, person: Person | None, video_id: str | None = None) -> Action | None:
    """Take the person's last decision back (on one video, if given). None when there is none.

    Raises NotAllowed, StaleEdit when somebody else has changed the same since, NotFound when what
    it was about is gone.
    """
    return _turn(store, require(person, "edit"), video_id, back=True)


def redo(store: Store, person: Person | None, video_id: str | None = None) -> Action | None:
    """Bring back what was undone last. None when there is none. Raises as `undo`."""
    return _turn(store, require(person, "edit"), video_id, back=False)


def actions(store: Store, person_id: str, video_id: str | None = None, limit: int = 50) -> list[Action]:
    """A person's decisions, newest first, without those that can be neither undone nor redone."""
    with store.reading() as conn:
        query = _stack(person_id, video_id, "done", "undone").order_by(t.action.c.created_at.desc())
        return [_from_row(row) for row in conn.execute(query.limit(limit)).mappings()]


# --- one step -------------------------------------------------------------------------


def _turn(store: Store, person: Person, video_id: str | None, *, back: bool) -> Action | None:
    action = None
    try:
        with store.writing() as conn:
            action = _top(conn, person.id, video_id, "done" if back else "undone")
            if action:
                for change in reversed(action.changes) if back else action.changes:
                    _lay(store, conn, action, change, back=back)
                _set_state(conn, action, "undone" if back else "done")
    except (StaleEdit, NotFound):
        if action:
            with store.writing() as conn:
                _set_state(conn, action, "dropped")
        raise
    return action


def _lay(store: Store, conn: Connection, action: Action, change: Change, *, back: bool) -> None:
    kind = KINDS[change.kind]
    wanted, expected = (change.before, change.after) if back else (change.after, change.before)
    now = kind.now(store, conn, change.subject)
    if not kind.same(store, conn, now, expected):
        raise StaleEdit(
            f"somebody else changed this since, so it stays as it is: {action.what}",
            current=now, revision=0,
        )  # fmt: skip
    kind.lay(store, conn, change.subject, wanted, action.person_id)


def _differs(change: Change) -> bool:
    if change.kind != "value":
        return bool(change.before != change.after)
    return any(change.before[name] != change.after[name] for name in ("cleared", "value"))


def _merged(last: Action, changes: Sequence[Change]) -> tuple[Change, ...] | None:
    """The last step with one more save of the same text in it; None when they do not follow."""
    if len(changes) != 1 or len(last.changes) != 1:
        return None
    old, new = last.changes[0], changes[0]
    follows = old.kind == new.kind == "value" and old.subject == new.subject
    if not follows or old.after["revision"] != new.before["revision"]:
        return None
    return (Change("value", new.subject, old.before, new.after),)


def _replace(conn: Connection, last: Action, changes: tuple[Change, ...], now: float) -> Action | None:
    """The step after one more save; None, and no step, when the text is back where it began."""
    there = any(_differs(change) for change in changes)
    values = {
        "changes": [asdict(change) for change in changes], "updated_at": now,
        "state": "done" if there else "dropped",
    }  # fmt: skip
    conn.execute(update(t.action).where(t.action.c.id == last.id).values(**values))
    if not there:
        return None
    return Action(last.id, last.person_id, last.video_id, last.what, changes, "done", last.visit,
                  last.created_at, now)  # fmt: skip


# --- the table ------------------------------------------------------------------------


def _stack(person_id: str, video_id: str | None, *states: State) -> Any:
    c = t.action.c
    query = select(t.action).where(c.person_id == person_id, c.state.in_(states))
    return query if video_id is None else query.where(c.video_id == video_id)


def _top(conn: Connection, person_id: str, video_id: str | None, state: State) -> Action | None:
    """What undo (`done`: the last) or redo (`undone`: the first) takes next."""
    at = t.action.c.created_at
    query = _stack(person_id, video_id, state).order_by(at.desc() if state == "done" else at).limit(1)
    row = conn.execute(query).mappings().one_or_none()
    return _from_row(row) if row else None


def _end_redo(conn: Connection, person_id: str) -> None:
    c = t.action.c
    where = (c.person_id == person_id, c.state == "undone")
    conn.execute(update(t.action).where(*where).values(state="dropped"))


def _set_state(conn: Connection, action: Action, state: State) -> None:
    # What was undone and redone is another step than the typing that follows.
    conn.execute(update(t.action).where(t.action.c.id == action.id).values(state=state, visit=""))


def _to_row(action: Action) -> dict[str, Any]:
    return asdict(action) | {"changes": [asdict(change) for change in action.changes]}


def _from_row(row: Any) -> Action:
    changes = tuple(Change(c["kind"], tuple(c["subject"]), c["before"], c["after"]) for c in row["changes"])
    return Action(**{**row, "changes": changes})
