"""Undo and redo of what the person decided, and the list of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from annotation import journal
from annotation.errors import StaleEdit
from annotation.journal import Action
from annotation.records import Person, Video
from annotation.store.store import Store
from ui.routes.deps import PartsOf, Who

router = APIRouter(prefix="/api")


class TurnBody(BaseModel):
    video_id: str = ""
    """Only decisions on this video; empty: the last one, wherever it was."""


@router.post("/undo")
def undo(body: TurnBody, parts: PartsOf, who: Who) -> dict[str, Any]:
    """Take the last decision back; 409 when somebody else has changed the same since."""
    return {"action": _json(parts.store, _turned(journal.undo, parts.store, who, body))}


@router.post("/redo")
def redo(body: TurnBody, parts: PartsOf, who: Who) -> dict[str, Any]:
    """Bring back what was undone last."""
    return {"action": _json(parts.store, _turned(journal.redo, parts.store, who, body))}


@router.get("/actions")
def actions(parts: PartsOf, who: Who, video: str = "", limit: int = 50) -> list[dict[str, Any] | None]:
    """One's own decisions, newest first, with what can be undone and redone."""
    found = journal.actions(parts.store, who.id, video or None, max(1, min(limit, 500)))
    return [_json(parts.store, action) for action in found]


def _turned(
    turn: Callable[[Store, Person, str | None], Action | None], store: Store, who: Person, body: TurnBody
) -> Action | None:
    """A refusal says that somebody changed the value, not to what: it may be a text not to be seen yet."""
    try:
        return turn(store, who, body.video_id or None)
    except StaleEdit as error:
        raise StaleEdit(str(error), current=None, revision=0) from None


def _json(store: Store, action: Action | None) -> dict[str, Any] | None:
    if action is None:
        return None
    videos = store.find(Video, id=action.video_id) if action.video_id else []
    return {
        "id": action.id, "what": action.what, "state": action.state, "at": action.created_at,
        "video_id": action.video_id, "video_title": videos[0].title if videos else "",
        "changes": [{"kind": change.kind, "subject": list(change.subject)} for change in action.changes],
    }  # fmt: skip
