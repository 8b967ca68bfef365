"""Which decision undo or redo takes next: the nearest one within the reach of a page, never one beyond it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, or_, select

from annotation.editing.decision_log import Action, ChangeKind, State, from_row, stack, top
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks

OF_WORKSPACE: tuple[ChangeKind, ...] = ("import", "join", "prompt")
"""Decisions that change more than what a page of one video shows."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The decisions that a page may take back."""

    video_id: str = ""
    """Only decisions on this video alone; empty: on any number of videos."""
    workspace: bool = True
    """Whether imports, joined videos and prompt versions belong to it; to one video they never do."""
    action_id: str = ""
    """Exactly this decision, wherever it was made."""

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
    """The decision within reach, else None; then the one beyond it that comes next, else None.

    A decision on several videos that changed this one, too, is in the way of those before it: they cannot be
    taken back under it.
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
    """Whether a decision on several videos changed something of this one."""
    if any(change.kind == "assignment" and change.subject[0] == video_id for change in action.changes):
        return True
    c = t.current.c
    ids = [change.subject[1] for change in action.changes if change.kind == "value"]
    return any(
        conn.scalar(select(c.subject_id).where(c.video_id == video_id, among(c.subject_id, some)).limit(1))
        for some in chunks(ids)
    )
