"""Undoes and redoes people's decisions in order, per person and across reloads.

Undo never deletes: it appends a correction, an error source, a selection or a version of the cuts that
restores the earlier state, so the history shows it too. A new decision clears what could be redone. Subjects
that another person has changed since are skipped and reported; the rest of the decision is undone, and redo
repeats exactly that rest. If a decision cannot be undone at all, it is removed from the list, so that the
next undo takes the decision before it.

Each save of a text while it is typed is one change. Saves during one visit of the field form one step, until
the person pauses for `REST_S` seconds (`visit` is an id of the visit, chosen by the page).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import cast

from sqlalchemy import Connection, insert, select, update

from annotation.editing.decision_kinds import KINDS
from annotation.editing.decision_log import Action, Change, State, from_row, stack, to_row, top
from annotation.editing.display_names import Named, named
from annotation.editing.take_back_import import lost_of
from annotation.editing.undo_reach import EVERYWHERE, Reach, next_within
from annotation.people.permissions import require
from annotation.records.allowed_values import SubjectType
from annotation.records.decisions import Correction, Person
from annotation.records.elements import Finding
from annotation.records.errors import NeedsConsent, NotFound, StaleEdit
from annotation.records.ids import new_id
from annotation.records.videos import Video
from annotation.store import tables as t
from annotation.store.store import Current, Store
from backends.errors import UsageError

REST_S = 30.0
"""Seconds without a save after which more typing in the same field is another step."""
JUST_AFTER_S = 1e-6


@dataclass(frozen=True, slots=True)
class Left:
    """A change that undo or redo skipped."""

    change: Change
    where: str
    """For example "the content of scene 3"."""
    video_id: str
    video_title: str
    why: str
    """For example "changed since by Bob"."""

    def __str__(self) -> str:
        return (
            f"{self.video_title}, {self.where}: {self.why}"
            if self.video_title
            else f"{self.where}: {self.why}"
        )


@dataclass(frozen=True, slots=True)
class Turn:
    """The result of one undo or redo."""

    action: Action
    """The decision after it; `action.changes` were undone or redone."""
    left: tuple[Left, ...]
    """Skipped changes."""


@dataclass(frozen=True, slots=True)
class Beyond:
    """Result if nothing was undone or redone, because the next decision is out of reach."""

    action: Action


def value_change(before: Current, after: Correction) -> Change:
    """Return the change that a correction made to a value."""
    return Change(
        "value",
        (after.subject_type, after.subject_id, after.field),
        {
            "cleared": not before.corrected,
            "value": before.value if before.corrected else None,
            "revision": before.revision,
            "by": before.by,
        },
        {
            "cleared": after.cleared,
            "value": after.value,
            "revision": after.revision,
            "by": after.person_id,
        },
    )


def record(
    store: Store,
    person: Person,
    video_id: str | None,
    what: str,
    changes: Sequence[Change],
    *,
    whole: bool = False,
) -> Action | None:
    """Record a decision that is already stored. Returns None if nothing changed."""
    with store.writing() as conn:
        return record_in(conn, person.id, video_id, what, changes, whole=whole)


def record_in(
    conn: Connection,
    person_id: str,
    video_id: str | None,
    what: str,
    changes: Sequence[Change],
    visit: str = "",
    *,
    whole: bool = False,
) -> Action | None:
    """Same as `record`, inside the write transaction of the decision.

    `whole`: the changes depend on each other, so undo reverts all of them or none.
    """
    changes = tuple(change for change in changes if _differs(change))
    if not changes:
        return None
    _end_redo(conn, person_id)
    last = top(conn, person_id, None, "done")
    now = time.time()
    if last and visit and last.visit == visit and now - last.updated_at < REST_S:
        merged = _merged(last, changes)
        if merged:
            return _replace(conn, last, merged, now)
    after_last = last.created_at + JUST_AFTER_S if last else 0.0  # the clock may have been set back
    action = Action(
        new_id("act"), person_id, video_id, what, changes, "done", visit, max(now, after_last), now, whole
    )
    conn.execute(insert(t.action), [to_row(action)])
    return action


def undo(
    store: Store, person: Person | None, reach: Reach = EVERYWHERE, *, sure: bool = False
) -> Turn | Beyond | None:
    """Undo the person's last decision within reach. Returns None if there is none at all.

    If the last decision is out of reach, nothing is undone, and the result names the decision. Raises
    NotAllowed; StaleEdit if no part of the decision could be undone; NeedsConsent for an import, which cannot
    be redone, unless the person is `sure`.
    """
    return _turn(store, require(person, "edit"), reach, back=True, sure=sure)


def redo(store: Store, person: Person | None, reach: Reach = EVERYWHERE) -> Turn | Beyond | None:
    """Redo the decision undone last within reach. Returns and raises as `undo`."""
    return _turn(store, require(person, "edit"), reach, back=False)


def actions(store: Store, person_id: str, video_id: str | None = None, limit: int = 50) -> list[Action]:
    """Return a person's decisions, newest first, without those that can be neither undone nor redone."""
    with store.reading() as conn:
        query = stack(person_id, video_id, "done", "undone").order_by(t.action.c.created_at.desc())
        return [from_row(row) for row in conn.execute(query.limit(limit)).mappings()]


# --- one step -------------------------------------------------------------------------


def _turn(
    store: Store, person: Person, reach: Reach, *, back: bool, sure: bool = True
) -> Turn | Beyond | None:
    with store.writing() as conn:
        found, beyond = next_within(conn, person.id, reach, "done" if back else "undone")
        if found is None:
            return Beyond(beyond) if beyond else None
        if not sure:
            _require_consent(conn, found)
        refused = _restore_all(store, found, back=back)
        action = _turned(conn, found, [change for change, _ in refused], back=back)
        in_order = refused[::-1] if back else refused
        left = tuple(_left(store, found, change, why) for change, why in in_order)
    if not action.changes:
        raise StaleEdit(_nothing_done(found, left, back=back), current=None, revision=0)
    return Turn(action, left)


def _require_consent(conn: Connection, action: Action) -> None:
    """Raise NeedsConsent for an import."""
    imports = [change.subject[0] for change in action.changes if change.kind == "import"]
    if not imports:
        return
    lost = lost_of(conn, imports[0])
    counts = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in lost.items())
    more = f"; this also removes later work on it: {counts}" if lost else ""
    raise NeedsConsent(f"{action.what}: undoing it cannot be redone{more}", lost)


def _restore_all(store: Store, action: Action, *, back: bool) -> list[tuple[Change, str]]:
    """Restore every change that can be restored; return the others, each with the reason."""
    changes = action.changes[::-1] if back else action.changes
    refused = []
    for group in [changes] if action.whole else [(change,) for change in changes]:
        try:
            with store.writing() as conn:  # a savepoint: dependent changes are all restored, or none
                for change in group:
                    _restore(store, conn, action, change, back=back)
        except NotFound:
            refused += [(change, "removed since") for change in group]
        except (StaleEdit, UsageError) as error:
            refused += [(change, str(error)) for change in group]
    return refused


def _restore(store: Store, conn: Connection, action: Action, change: Change, *, back: bool) -> None:
    kind = KINDS[change.kind]
    wanted, expected = (change.before, change.after) if back else (change.after, change.before)
    now = kind.now(store, conn, change.subject)
    if not kind.same(store, conn, now, expected):
        by = conn.scalar(select(t.person.c.name).where(t.person.c.id == kind.by(conn, change.subject)))
        raise StaleEdit(f"changed since by {by}" if by else "changed since", current=None, revision=0)
    kind.restore(store, conn, change.subject, wanted, action.person_id)


def _left(store: Store, action: Action, change: Change, why: str) -> Left:
    try:
        thing = _named(store, action, change)
    except NotFound:
        thing = Named("something that no longer exists", "")
    titles = [video.title for video in store.find(Video, id=thing.video_id)]
    return Left(change, thing.words, thing.video_id, titles[0] if titles else "", why)


def _named(store: Store, action: Action, change: Change) -> Named:
    """Return the name of a change's subject. Raises NotFound."""
    if change.kind == "value":
        subject_type, subject_id, field = change.subject
        return named(store, cast(SubjectType, subject_type), subject_id, field)
    if change.kind == "opinion":
        return named(store, "verdict", change.subject[0], "verdict")
    if change.kind == "assignment":
        video_id, person_id, task = change.subject
        return Named(f"{task} by {store.get(Person, person_id).name}", video_id)
    if change.kind == "dismissal":
        finding = store.get(Finding, change.subject[0])
        return Named(f"the finding “{finding.check.replace('_', ' ')}”", finding.video_id)
    return Named(action.what, action.video_id or "")


def _nothing_done(action: Action, left: Sequence[Left], *, back: bool) -> str:
    done = "undone" if back else "redone"
    if len({one.why for one in left}) == 1:
        return f"{action.what}: not {done}; {left[0].why}"
    more = f" and {len(left) - 2} more" if len(left) > 2 else ""
    return f"{action.what}: not {done}; {'; '.join(map(str, left[:2]))}{more}"


def _turned(conn: Connection, action: Action, refused: Sequence[Change], *, back: bool) -> Action:
    """Return the decision afterwards: without skipped changes, `dropped` if none remain."""
    changes = tuple(change for change in action.changes if change not in refused)
    for_good = any(change.kind == "import" for change in changes)
    state: State = ("undone" if back else "done") if changes and not for_good else "dropped"
    # Typing that follows is a separate step from what was undone and redone.
    after = replace(action, changes=changes, left_alone=(*action.left_alone, *refused), state=state, visit="")
    conn.execute(update(t.action).where(t.action.c.id == action.id).values(**to_row(after)))
    return after


def _differs(change: Change) -> bool:
    if change.kind != "value":
        return bool(change.before != change.after)
    before, after = change.before, change.after
    if before["cleared"] and after["cleared"]:
        return False
    return any(before.get(name) != after.get(name) for name in ("cleared", "value", "by"))


def _merged(last: Action, changes: Sequence[Change]) -> tuple[Change, ...] | None:
    """Return the last step merged with one more save of the same text; None if they are separate steps."""
    if len(changes) != 1 or len(last.changes) != 1:
        return None
    old, new = last.changes[0], changes[0]
    if old.kind == "text" and new.kind == "value" and new.subject == ("text", old.after, "value"):
        # More typing in a new text: undo removes the whole text, unless another person wrote in it meanwhile.
        return last.changes if new.before["by"] == last.person_id else None
    follows = old.kind == new.kind == "value" and old.subject == new.subject
    if not follows or old.after["revision"] != new.before["revision"]:
        return None
    return (Change("value", new.subject, old.before, new.after),)


def _replace(conn: Connection, last: Action, changes: tuple[Change, ...], now: float) -> Action | None:
    """Store the step after one more save. If the text is unchanged again, remove it and return None."""
    there = any(_differs(change) for change in changes)
    values = {
        "changes": [asdict(change) for change in changes],
        "updated_at": now,
        "state": "done" if there else "dropped",
    }
    conn.execute(update(t.action).where(t.action.c.id == last.id).values(**values))
    if not there:
        return None
    return Action(
        last.id, last.person_id, last.video_id, last.what, changes, "done", last.visit, last.created_at, now
    )


def _end_redo(conn: Connection, person_id: str) -> None:
    c = t.action.c
    where = (c.person_id == person_id, c.state == "undone")
    conn.execute(update(t.action).where(*where).values(state="dropped"))
