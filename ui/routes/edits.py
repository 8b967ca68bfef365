"""Changes by people: autosave, verdicts, blame, keyframes. Small requests, answered at once."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation import fingerprints, services
from annotation.aspect_sight import require_sight
from annotation.errors import StaleEdit
from annotation.records import SubjectType, Text
from annotation.services import Edit
from ui.routes.deps import PartsOf, SightOf, Who
from ui.views.common import history_json, people_by_id, value_json

router = APIRouter(prefix="/api")


class EditBody(BaseModel):
    subject: tuple[SubjectType, str, str]
    value: Any = None
    base_revision: int
    reason: str = Field("", max_length=2000)
    cleared: bool = False
    visit: str = Field("", max_length=64)
    """Saves of one visit of a text field are undone together; the page makes the name up."""


class BlameBody(BaseModel):
    judgement_id: str
    kind: str
    note: str = Field("", max_length=2000)


class TextBody(BaseModel):
    video_id: str
    kind: str
    value: str
    scene: str = ""
    source_text_id: str = ""
    """The text that it is made from: when that one changes, this one is stale."""


@router.post("/edit")
def edit(body: EditBody, parts: PartsOf, who: Who, seen: SightOf) -> dict[str, Any]:
    """Lay a value over the machine's; 409 with what is there now when somebody was faster."""
    subject_type, subject_id, field = body.subject
    change = Edit(subject_type, subject_id, field, body.value, body.base_revision, body.reason, body.cleared,
                  body.visit)  # fmt: skip
    try:
        correction = services.apply_edit(parts.store, who, change)
    except StaleEdit as error:
        if subject_type == "judgement" and not seen.sees(subject_id):
            raise StaleEdit(str(error), current=None, revision=error.revision) from None
        raise
    now = parts.store.current(subject_type, subject_id, field)
    # Another person's edit may lie over this one already: the answer is about this one.
    value = now.machine if correction.cleared else correction.value
    mine = replace(now, value=value, revision=correction.revision, corrected=not correction.cleared)
    return value_json(mine, subject_type, subject_id, field) | {"saved_at": time.time()}


@router.get("/history/{subject_type}/{subject_id}/{field}")
def history(
    subject_type: SubjectType, subject_id: str, field: str, parts: PartsOf, who: Who, seen: SightOf
) -> list[dict[str, Any]]:
    """All changes of one value, newest first; none of what the asker may not see yet."""
    if subject_type == "text":
        require_sight(parts.store, who, subject_id)
    if subject_type == "judgement" and not seen.sees(subject_id):
        return []
    return history_json(parts.store.history(subject_type, subject_id, field), people_by_id(parts.store))


@router.post("/blame")
def blame(body: BlameBody, parts: PartsOf, who: Who) -> dict[str, Any]:
    """Whose fault a verdict is; an empty kind takes it back."""
    row = services.blame(parts.store, who, body.judgement_id, body.kind, body.note)
    return {"blame": row.kind, "saved_at": row.created_at}


@router.post("/text")
def text(body: TextBody, parts: PartsOf, who: Who) -> dict[str, Any]:
    """A text of one's own where there is none yet."""
    source, fingerprint = None, ""
    if body.source_text_id:
        source = parts.store.get(Text, body.source_text_id).id
        fingerprint = fingerprints.of_text(str(parts.store.current("text", source, "value").value))
    new = services.write_text(
        parts.store, who, body.video_id, body.kind, body.value, source, fingerprint, body.scene
    )
    now = parts.store.current("text", new.id, "value")
    return value_json(now, "text", new.id, "value") | {"id": new.id, "saved_at": new.created_at}
