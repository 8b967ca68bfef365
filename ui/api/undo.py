"""Undo and redo of a person's decisions, and the list of them."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel

from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Action, Change
from annotation.editing.undo_and_redo import Beyond, Left, Turn
from annotation.editing.undo_reach import Reach
from annotation.intake.files_of_one_person import remove_files_of_none
from annotation.records.videos import Video
from annotation.store.store import Store
from ui.api.api_wire_types import ChangedSubject, Decision, LeftAlone, Turned
from ui.requests.dependencies import PartsOf, Who

router = APIRouter(prefix="/api")


class TurnBody(BaseModel):
    video_id: str = ""
    """Only decisions on this video; empty: on any video."""
    workspace: bool = True
    """Whether to undo imports, joined videos and prompt versions too; with a video they are never included.
    """
    action_id: str = ""
    """Only this decision, wherever it was made."""
    sure: bool = False
    """Whether to undo what cannot be redone.

    Otherwise the answer is 409, with what others would lose under `lost`.
    """

    @property
    def reach(self) -> Reach:
        return Reach(self.video_id, self.workspace, self.action_id)


@router.post("/undo")
def undo(body: TurnBody, parts: PartsOf, who: Who) -> Turned:
    """Undo the last decision within reach, and name values that others have changed since.

    Answers 409 if others have changed all of them. If no decision is within reach, `beyond` names the one
    that comes next.
    """
    turn = undo_and_redo.undo(parts.store, who, body.reach, sure=body.sure)
    if isinstance(turn, Turn) and any(change.kind == "import" for change in turn.action.changes):
        remove_files_of_none(parts.workspace)
    return _turned(parts.store, turn)


@router.post("/redo")
def redo(body: TurnBody, parts: PartsOf, who: Who) -> Turned:
    """Redo the last decision that was undone."""
    return _turned(parts.store, undo_and_redo.redo(parts.store, who, body.reach))


@router.get("/actions")
def actions(parts: PartsOf, who: Who, video: str = "", limit: int = 50) -> list[Decision]:
    """One's own decisions, newest first, with what can be undone and redone."""
    found = undo_and_redo.actions(parts.store, who.id, video or None, max(1, min(limit, 500)))
    return [_json(parts.store, action) for action in found]


def _turned(store: Store, turn: Turn | Beyond | None) -> Turned:
    if not isinstance(turn, Turn):
        return {"action": None, "left": [], "beyond": _json(store, turn.action) if turn else None}
    left = [_left(one) for one in turn.left]
    return {"action": _json(store, turn.action), "left": left, "beyond": None}


def _left(one: Left) -> LeftAlone:
    return {
        "video_id": one.video_id,
        "video_title": one.video_title,
        "where": one.where,
        "why": one.why,
        "changes": [_change(one.change)],
    }


def _json(store: Store, action: Action) -> Decision:
    videos = store.find(Video, id=action.video_id) if action.video_id else []
    return {
        "id": action.id,
        "what": action.what,
        "state": action.state,
        "at": action.created_at,
        "video_id": action.video_id,
        "video_title": videos[0].title if videos else "",
        "changes": [_change(change) for change in action.changes],
        "of": len(action.changes) + len(action.left_alone),
    }


def _change(change: Change) -> ChangedSubject:
    return {"kind": change.kind, "subject": list(change.subject)}
