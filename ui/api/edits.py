"""Changes by people: autosaved texts, verdicts, error sources, and whose opinion counts."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from annotation.editing import edits as services
from annotation.editing.edits import Edit, OwnText
from annotation.people.hidden_texts import require_sight
from annotation.records import fingerprints
from annotation.records.allowed_values import SubjectType
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Correction
from annotation.records.errors import StaleEdit
from annotation.store.store import Current
from annotation.texts.writers import Writer, author
from ui.lib.shared_wire_types import (
    ErrorSourceNow,
    HistoryEntry,
    NamedErrorSource,
    OpinionRuleNow,
    SavedText,
    SavedValue,
)
from ui.lib.view_parts import history_json, people_by_id, text_json, value_json
from ui.pages.verdicts.one_verdict_view import error_sources_json
from ui.requests.dependencies import Parts, PartsOf, Revision, SightOf, Who

router = APIRouter(prefix="/api")


class EditBody(BaseModel):
    subject: tuple[SubjectType, str, str]
    value: Any = None
    base_revision: Revision
    reason: str = Field("", max_length=2000)
    cleared: bool = False
    visit: str = Field("", max_length=64)
    """Saves with the same value are undone together; the page generates one per visit of a text field."""


class ErrorSourceBody(BaseModel):
    verdict_id: str
    kind: str
    note: str = Field("", max_length=2000)
    proposed: str = ""
    """What the page proposed; empty: no proposal."""


class RuleBody(BaseModel):
    rule: str


class TextBody(BaseModel):
    video_id: str
    kind: str
    value: str
    scene: str = ""
    source_text_id: str = ""
    """The text from which this one is made: if that one changes, this one becomes stale."""
    base_revision: Revision = 0
    """Revision of the person's own text that the page showed; 0: none."""
    visit: str = Field("", max_length=64)
    anew: bool = False
    """Whether to write a new record instead of changing the person's existing text."""


@router.post("/edit")
def edit(body: EditBody, parts: PartsOf, who: Who, seen: SightOf) -> SavedValue | SavedText:
    """Correct a value of the machine; answers 409 with the current value if it has changed meanwhile."""
    subject_type, subject_id, field = body.subject
    change = Edit(
        subject_type, subject_id, field, body.value, body.base_revision, body.reason, body.cleared, body.visit
    )
    try:
        correction = services.apply_edit(parts.store, who, change)
    except StaleEdit as error:
        if subject_type == "verdict" and not seen.sees(subject_id):
            raise StaleEdit(str(error), current=None, revision=error.revision) from None
        raise
    return _saved(parts, correction)


def _saved(parts: Parts, correction: Correction) -> SavedValue | SavedText:
    """The value after this change; another person's correction may override it."""
    subject = (correction.subject_type, correction.subject_id, correction.field)
    now = parts.store.current(*subject)
    if correction.subject_type == "verdict":  # of several opinions another person's may count
        given = _opinion(now, correction)
        return {**value_json(now, *subject), "saved_at": time.time(), "given": given}
    value = now.machine if correction.cleared else correction.value
    mine = replace(
        now,
        value=value,
        revision=correction.revision,
        corrected=not correction.cleared,
        by=correction.person_id,
    )
    if correction.subject_type != "text":
        return {**value_json(mine, *subject), "saved_at": time.time(), "given": ""}
    text = parts.store.get(Text, correction.subject_id)
    by = author(text) if correction.cleared else Writer("person", correction.person_id)
    return {**text_json(text, mine, people_by_id(parts.store), by), "saved_at": time.time()}


def _opinion(now: Current, correction: Correction) -> str:
    """What the person did with their verdict, for the notice on the page."""
    if correction.cleared:
        return "taken back"
    return "confirmed" if correction.value == now.machine else "corrected"


@router.post("/opinion-rule")
def set_opinion_rule(body: RuleBody, parts: PartsOf, who: Who) -> OpinionRuleNow:
    """Set which of several people's opinions counts in this workspace."""
    return {"rule": services.set_opinion_rule(parts.store, who, body.rule)}


@router.get("/history/{subject_type}/{subject_id}/{field}")
def history(
    subject_type: SubjectType, subject_id: str, field: str, parts: PartsOf, who: Who, seen: SightOf
) -> list[HistoryEntry]:
    """All changes of one value, newest first, without those that the person may not see yet."""
    if subject_type == "text":
        require_sight(parts.store, who, subject_id)
    if subject_type == "verdict" and not seen.sees(subject_id):
        return []
    return history_json(parts.store.history(subject_type, subject_id, field), people_by_id(parts.store))


@router.post("/error-source")
def set_error_source(body: ErrorSourceBody, parts: PartsOf, who: Who, seen: SightOf) -> ErrorSourceNow:
    """Set one's own error source of a verdict; an empty kind removes it.

    Returns the one that counts now and what each person named; of a verdict that is still hidden from the
    person only their own.
    """
    row = services.set_error_source(parts.store, who, body.verdict_id, body.kind, body.note, body.proposed)
    mine: NamedErrorSource = {"person": row.person_id, "by": who.name, "kind": row.kind}
    kind: str = row.kind
    named = [mine] if kind else []
    if seen.sees(row.verdict_id):
        now = parts.store.current("verdict", row.verdict_id, "verdict")
        kind, named = now.error_source, error_sources_json(parts.store, row.verdict_id)
    return {"error_source": kind, "named": named, "saved_at": row.created_at}


@router.post("/text")
def text(body: TextBody, parts: PartsOf, who: Who) -> SavedValue | SavedText:
    """Write one's own text, found by its place: creates it or changes it.

    Answers 409 with the current text if another window has changed it meanwhile.
    """
    source, fingerprint = None, ""
    if body.source_text_id:
        source = parts.store.get(Text, body.source_text_id).id
        words = str(parts.store.current("text", source, "value").value)
        # An accepted text is independent: later changes of its source do not make it stale.
        fingerprint = "" if body.anew and body.value == words else fingerprints.of_text(words)
    own = OwnText(
        body.video_id,
        body.kind,
        body.value,
        body.scene,
        source,
        fingerprint,
        body.base_revision,
        body.visit,
        body.anew,
    )
    return _saved(parts, services.write_text(parts.store, who, own))
