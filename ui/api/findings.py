"""Findings: dismissing them; checking a split while it is typed, and proposing one."""

from __future__ import annotations

import time

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.editing import dismissed_findings
from annotation.editing.dismissed_findings import Found
from annotation.records.allowed_values import SubjectType
from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import NotFound
from annotation.records.videos import Video
from annotation.systems.carebench.ask_for_split_proposal import propose_split
from annotation.systems.carebench.split_checks.finding import Side
from ui.api.api_wire_types import Dismissed, ProposedSplit
from ui.lib.findings_as_json import dismissal_json
from ui.pages.split.findings_view import split_findings
from ui.pages.split.view import aligned
from ui.pages.split.wire_types import SplitChecked
from ui.requests.dependencies import PartsOf, TextSightOf, Who

router = APIRouter(prefix="/api")


class FoundBody(BaseModel):
    """A finding as it was sent to the page."""

    video_id: str = Field(max_length=64)
    check: str = Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")
    subject_type: SubjectType
    subject_id: str = Field(max_length=64)
    text: str = Field("", max_length=4000)
    key: str = Field("", max_length=4000)
    start: int | None = Field(None, ge=0)
    end: int | None = Field(None, ge=0)
    why: str = Field("", max_length=1000)


class DismissBody(BaseModel):
    finding: FoundBody
    reason: str = Field("", max_length=dismissed_findings.LONGEST_REASON)
    """Why the finding is dismissed; empty: it is open again."""


@router.post("/dismiss")
def dismiss(body: DismissBody, parts: PartsOf, who: Who) -> Dismissed:
    """Dismiss a finding of any check with a reason; an empty reason reopens it."""
    found = Found(**body.finding.model_dump())
    now = dismissed_findings.dismiss(parts.store, who, found, body.reason)
    return {
        "id": found.id,
        "dismissal": dismissal_json(now, parts.store) if now else None,
        "saved_at": now.created_at if now else time.time(),
    }


MOST = 50_000


class TypedBody(BaseModel):
    """The three texts as the page shows them, saved or not."""

    full: str = Field("", max_length=MOST)
    spatial: str = Field("", max_length=MOST)
    temporal: str = Field("", max_length=MOST)
    findings: bool = True
    """Whether to return the findings too, and not only the rows."""


@router.post("/split/{video_id}/check")
def check(video_id: str, body: TypedBody, parts: PartsOf, texts: TextSightOf) -> SplitChecked:
    """Align texts by clause and check them. Stores nothing."""
    video = parts.store.get(Video, video_id)
    rows = aligned(body.full, body.spatial, body.temporal)
    if not body.findings:
        return {"rows": rows}
    values: dict[Side, str] = {"full": body.full, "spatial": body.spatial, "temporal": body.temporal}
    return {"rows": rows, **split_findings(parts.store, video, values, texts)}


class ProposalBody(BaseModel):
    text_id: str = Field(max_length=64)
    """The full caption to split."""


@router.post("/split/{video_id}/proposal")
def proposal(
    video_id: str, body: ProposalBody, parts: PartsOf, who: Who, texts: TextSightOf
) -> ProposedSplit:
    """What the rewriting model proposes for every clause, each with its reason. Changes nothing."""
    texts.require(parts.store, body.text_id)
    if parts.store.get(Text, body.text_id).video_id != parts.store.get(Video, video_id).id:
        raise NotFound("this full caption belongs to another video; reload the page")
    full = str(parts.store.current("text", body.text_id, "value").value)
    with parts.model_context() as context:
        made = propose_split(context, who, full)
    return {
        "model": made.model,
        "baseline": made.baseline,
        "full": full,
        "clauses": [
            {
                "full": (made.clauses[p.index].start, made.clauses[p.index].end),
                "spatial": p.spatial,
                "temporal": p.temporal,
                "reason": p.reason,
            }
            for p in made.proposed
        ],
    }
