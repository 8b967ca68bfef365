"""Elements that people add to a caption (CapST). They are changed with `/api/edit`, like others."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.people.hidden_texts import require_sight
from annotation.systems.carebench.element_edits import LONGEST, add_element
from ui.requests.dependencies import PartsOf, Who
from ui.systems.carebench.wire_types import ElementAdded

router = APIRouter(prefix="/api/elements")


class ElementBody(BaseModel):
    text_id: str
    kind: str
    words: str = Field(max_length=LONGEST * 4)


@router.post("")
def add(body: ElementBody, parts: PartsOf, who: Who) -> ElementAdded:
    """Add an event or object that the extraction missed. The next run of the stage judges it."""
    require_sight(parts.store, who, body.text_id)
    element = add_element(parts.store, who, body.text_id, body.kind, body.words)
    return {"id": element.id, "saved_at": element.created_at}
