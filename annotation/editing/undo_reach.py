"""Selects the decision that undo or redo takes next: the nearest one within the reach of a page."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, or_, select

from annotation.editing.decision_log import Action, ChangeKind, State, from_row, stack, top
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks

OF_WORKSPACE: tuple[ChangeKind, ...] = ("import", "join", "prompt")
"""Decisions that affect more than the page of one video shows."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The decisions that a page may undo."""

    video_id: str = ""
    """Only decisions on this video alone; empty: on any number of videos."""
    workspace: bool = True
    """Whether imports, joined videos and prompt versions are included; never with a `video_id`."""
    action_id: str = ""
    """Only this decision, on any page."""

    def holds(self, action: Action) -> bool:
        if self.action_id:
            return action.id == self.action_id
        about_workspace = any(change.kind in OF_WORKSPACE for change in action.changes)
        if self.video_id:
            return action.video_id == self.video_id and not about_workspace
        return self.workspace or not about_workspace


EVERYWHERE = Reach()


def next_within(
    conn: Connection, person_id: str, reach: Reach, state: State
) -> tuple[Action | None, Action | None]:
    """Return the decision within reach, else None; then the next one out of reach, else None.

    A decision on several videos that also changed this one blocks earlier decisions, because these cannot be
    undone before it.
    """
    at = t.action.c.created_at
    query = stack(person_id, None, state).order_by(at.desc() if state == "done" else at)
    if reach.action_id:
        query = query.where(t.action.c.id == reach.action_id)
    elif reach.video_id:
        query = query.where(or_(t.action.c.video_id == reach.video_id, t.action.c.video_id.is_(None)))
    with conn.execute(query).mappings() as rows:
        for row in rows:
            action = from_row(row)
            if reach.holds(action):
                return action, None
            if reach.video_id and action.video_id is None and _changed(conn, action, reach.video_id):
                return None, action
    return None, None if reach.action_id else top(conn, person_id, None, state)


def _changed(conn: Connection, action: Action, video_id: str) -> bool:
    """Return whether a decision on several videos changed this one."""
    if any(change.kind == "assignment" and change.subject[0] == video_id for change in action.changes):
        return True
    c = t.current.c
    ids = [change.subject[1] for change in action.changes if change.kind == "value"]
    return any(
        conn.scalar(select(c.subject_id).where(c.video_id == video_id, among(c.subject_id, some)).limit(1))
        for some in chunks(ids)
    )
