"""Edits by people: correct, clear, set error sources, exclude, pick frames. All check `require` first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args

from sqlalchemy import Connection

from annotation.editing import undo_and_redo
from annotation.editing.decision_kinds import KINDS, opinion_of
from annotation.editing.decision_log import Change
from annotation.editing.display_names import named, quote, text_words, verdict_words
from annotation.editing.newest_record import newest
from annotation.editing.newest_row import ERROR_SOURCE, KEYFRAMES
from annotation.people import audit_log, hidden_texts
from annotation.people.permissions import require
from annotation.people.who_labels_blind import gives_blind
from annotation.records.allowed_values import VERDICT_LABELS, ErrorSourceKind, OpinionRule, SubjectType
from annotation.records.captions_to_verdicts import Question, Text, Verdict
from annotation.records.decisions import Correction, ErrorSource, Exclusion, Person, Selection, is_again
from annotation.records.elements import Element
from annotation.records.errors import NotAllowed, NotFound
from annotation.records.ids import Json, new_id
from annotation.records.system_facts import require_kind
from annotation.records.videos import Scene, Video
from annotation.store.check_corrected_value import check_value
from annotation.store.current_table import FIELDS
from annotation.store.exclusions import exclusions
from annotation.store.opinion_rules import RULES, rule_of, set_rule, verdicts_of_people
from annotation.store.store import Current, Store
from backends.errors import UsageError

ERROR_SOURCES: tuple[ErrorSourceKind, ...] = get_args(ErrorSourceKind)
LONGEST_TEXT = 100_000
"""Maximum number of characters. Longer texts are usually pasted by mistake."""
LONGEST_REASON = 2000
WHY_NO_VERDICT_ON_A_MEAN = (
    "The log keeps one mean for all questions here: import its question set and judge its captions "
    "(“Judge or fill” on Scores), then correct those verdicts."
)
"""Also shown on the page."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A requested change of a value."""

    subject_type: SubjectType
    subject_id: str
    field: str
    value: Json
    base_revision: int
    reason: str = ""
    cleared: bool = False
    visit: str = ""
    """Id of a visit of the text field, chosen by the page, for saves while a text is being typed."""


def apply_edit(store: Store, person: Person | None, edit: Edit) -> Correction:
    """Store the change. Raises NotAllowed, StaleEdit, NotFound, UsageError.

    An unchanged value is not stored again: pages save when they are closed, and again from a draft.
    """
    if edit.subject_type not in FIELDS:
        raise UsageError(f"a {edit.subject_type} cannot be corrected")
    owner = _owner(store, edit)
    editor = require(person, "edit", owner)
    if edit.subject_type == "text":
        hidden_texts.require_sight(store, editor, edit.subject_id)
    _require_short(edit.value)
    what = named(store, edit.subject_type, edit.subject_id, edit.field)
    subject = (edit.subject_type, edit.subject_id, edit.field)
    with store.writing() as conn:
        if edit.subject_type == "text" and (
            why := hidden_texts.closed_for(conn, editor.id, [edit.subject_id])
        ):
            raise NotAllowed(why)
        before = store.current_in(conn, *subject)
        if repeated := _repeated(store, conn, before, edit, editor):
            return repeated
        opinion = _opinion(store, conn, edit, editor)
        correction = store.correct_in(
            conn,
            subject,
            edit.value,
            person_id=editor.id,
            reason=edit.reason,
            base_revision=edit.base_revision,
            cleared=edit.cleared,
            blind=edit.subject_type == "verdict" and gives_blind(store, editor, edit.subject_id),
        )
        if edit.subject_type == "verdict":
            done = f"{_given(correction, before, opinion)} {what.words}"
            after = opinion_of(None if correction.cleared else correction)
            change = Change("opinion", (edit.subject_id, editor.id), opinion, after)
        else:
            done = f"{_done(correction, own=owner == editor.id)} {what.words}"
            change = undo_and_redo.value_change(before, correction)
        typed = "" if edit.reason or edit.cleared else edit.visit
        undo_and_redo.record_in(conn, editor.id, what.video_id, done, [change], typed)
    return correction


def _repeated(
    store: Store, conn: Connection, before: Current, edit: Edit, editor: Person
) -> Correction | None:
    """Return the person's earlier correction if it is current and has the same value; else None."""
    if edit.cleared or not before.corrected:
        return None
    if edit.subject_type == "verdict":
        given = verdicts_of_people(conn, [edit.subject_id]).get(edit.subject_id, [])
    else:
        given = store.history(edit.subject_type, edit.subject_id, edit.field)
    last = given[-1] if given else None
    if last is None or last.person_id != editor.id or edit.reason not in ("", last.reason):
        return None
    if is_again(last):  # restored by undo or redo, perhaps with another person's words
        return None
    return last if last.value == check_value(edit.subject_type, edit.field, edit.value) else None


def _opinion(store: Store, conn: Connection, edit: Edit, editor: Person) -> Json:
    """Return the person's current opinion on a verdict.

    Raises UsageError if they withdraw another person's opinion, if the record is a mean of verdicts, or for
    a label that no score counts.
    """
    if edit.subject_type != "verdict":
        return None
    if not edit.cleared:
        _require_countable(store.get(Verdict, edit.subject_id), edit.value)
    opinion = KINDS["opinion"].now(store, conn, (edit.subject_id, editor.id))
    if edit.cleared and opinion["cleared"]:
        raise UsageError("you have no verdict to clear here; give one, and those of others stay unchanged")
    return opinion


def _require_countable(verdict: Verdict, value: Json) -> None:
    if verdict.is_mean:
        raise UsageError(WHY_NO_VERDICT_ON_A_MEAN)
    labels = VERDICT_LABELS.get(verdict.value_type)
    label = check_value("verdict", "verdict", value)["label"]
    if labels and label not in labels:
        raise UsageError(
            f"a verdict here must be {', '.join(labels[:-1])} or {labels[-1]}, not {label[:40]!r}"
        )


def _given(correction: Correction, before: Current, opinion: Json) -> str:
    """Return the text for a toast about an opinion on a verdict."""
    value = opinion["value"] if correction.cleared else correction.value
    confirmed = value == before.machine
    if correction.cleared:
        return f"cleared the {'confirmation' if confirmed else 'correction'} of"
    return "confirmed" if confirmed else "corrected"


def _done(correction: Correction, *, own: bool) -> str:
    """Return the text for a toast about an edit. `own`: the person edited their own text."""
    if correction.cleared:
        return "cleared the correction of"
    return "changed" if own else "corrected"


def _require_short(value: Json) -> None:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        raise UsageError(f"a text has at most {LONGEST_TEXT:,} characters; this one has {len(value):,}")


def _owner(store: Store, edit: Edit) -> str | None:
    """Return the person who wrote the subject; None if it is from a model or a dataset."""
    if edit.subject_type == "text":
        return store.get(Text, edit.subject_id).person_id
    if edit.subject_type == "question":
        return store.get(Question, edit.subject_id).person_id
    if edit.subject_type == "element":
        return store.get(Element, edit.subject_id).person_id
    return None


def set_error_source(
    store: Store, person: Person | None, verdict_id: str, kind: str, note: str = "", proposed: str = ""
) -> ErrorSource:
    """Set why an answer failed; an empty kind withdraws it. `proposed` is the page's proposal at the time.

    Raises NotAllowed, NotFound, UsageError.
    """
    editor = require(person, "edit")
    for one in (kind, proposed):
        if one and one not in ERROR_SOURCES:
            raise UsageError(f"error source {one!r} not found; choose from {', '.join(ERROR_SOURCES)}")
    verdict = store.get(Verdict, verdict_id)
    done = f"{'set' if kind else 'took back'} the error source of {verdict_words(store, verdict)}"
    with store.writing() as conn:
        subject, state = (verdict.id, editor.id), {"kind": kind, "note": note, "proposed": proposed}
        before = KINDS["error_source"].now(store, conn, subject)
        last = newest(conn, ErrorSource, verdict_id=verdict.id)
        if last and last.person_id == editor.id and state | {"since": last.created_at} == before:
            return last
        row = ERROR_SOURCE.append(store, conn, subject, state)
        change = Change("error_source", subject, before, KINDS["error_source"].now(store, conn, subject))
        undo_and_redo.record_in(conn, editor.id, verdict.video_id, done, [change])
    return row


def set_opinion_rule(store: Store, person: Person | None, rule: str) -> OpinionRule:
    """Set which of several people's opinions counts in this workspace. Raises NotAllowed, UsageError."""
    editor = require(person, "assign")
    if rule not in RULES:
        raise UsageError(f"rule {rule!r} not found; choose from {', '.join(RULES)}")
    with store.writing() as conn:
        before = rule_of(conn)
        set_rule(conn, cast(OpinionRule, rule))
        if rule != before:
            audit_log.note_in(conn, editor.id, "opinion rule", f"{before} to {rule}")
    return cast(OpinionRule, rule)


def exclude(store: Store, person: Person | None, question_id: str, reason: str) -> Exclusion | None:
    """Exclude a question, or include it again with an empty reason. Returns the current exclusion.

    Raises NotAllowed, NotFound, UsageError for a reason that is too long.
    """
    editor = require(person, "edit")
    question, reason = store.get(Question, question_id), reason.strip()
    if len(reason) > LONGEST_REASON:
        raise UsageError(f"a reason has at most {LONGEST_REASON:,} characters; this one has {len(reason):,}")
    done = f"{'excluded' if reason else 'counts again:'} the question “{quote(question.text)}”"
    with store.writing() as conn:
        kind, subject = KINDS["exclusion"], (question.id,)
        before = kind.now(store, conn, subject)
        if before != reason:
            kind.restore(store, conn, subject, reason, editor.id)
            change = Change("exclusion", subject, before, reason)
            undo_and_redo.record_in(conn, editor.id, question.video_id, done, [change])
    return exclusions(store, [question.id]).get(question.id)


@dataclass(frozen=True, slots=True)
class OwnText:
    """A person's text for a place where they may not have one yet."""

    video_id: str
    kind: str
    value: str
    scene_key: str = ""
    """Empty: the text is about the video."""
    source_text_id: str | None = None
    """The text that it is based on."""
    source_hash: str = ""
    base_revision: int = 0
    """Revision of the person's text that the page showed; 0: none."""
    visit: str = ""
    """Same as in `Edit`."""
    anew: bool = False
    """Whether to replace the person's record at this place with a new one."""


def write_text(store: Store, person: Person | None, own: OwnText) -> Correction:
    """Write the person's text at this place: create it, or change it if another window has created it.

    A new record is empty. The words are stored as a correction, like all later changes. Raises NotAllowed,
    NotFound, UsageError, StaleEdit.
    """
    editor = require(person, "edit")
    text = _new_text(store, editor, own)
    subject = (text.video_id, editor.id, text.kind, text.subject_id)
    with store.writing() as conn:
        there = KINDS["text"].now(store, conn, subject)
        if there and not own.anew:
            edit = Edit("text", str(there), "value", own.value, own.base_revision, visit=own.visit)
            return apply_edit(store, editor, edit)
        if text.kind in hidden_texts.PARTS and (
            why := hidden_texts.closed_on(conn, editor.id, [text.video_id])
        ):
            raise NotAllowed(why)
        store.add_in(conn, [text])
        words = store.correct_in(
            conn, ("text", text.id, "value"), own.value, person_id=editor.id, base_revision=0
        )
        now = KINDS["text"].now(store, conn, subject)  # a record without words does not count as a text
        change, done = Change("text", subject, there, now), f"wrote {text_words(store, text)}"
        undo_and_redo.record_in(conn, editor.id, text.video_id, done, [change], own.visit)
    return words


def _new_text(store: Store, editor: Person, own: OwnText) -> Text:
    """Return an empty record. Raises NotAllowed, NotFound, UsageError."""
    video = store.get(Video, own.video_id)
    if own.scene_key and not store.find(Scene, video_id=video.id, key=own.scene_key, limit=1):
        raise NotFound(f"{video.title} has no scene {own.scene_key!r}; the cuts changed, reload the page")
    require_kind(own.kind)
    _require_short(own.value)
    if own.source_text_id:
        hidden_texts.require_sight(store, editor, own.source_text_id)
    return Text(
        id=new_id("txt"),
        video_id=video.id,
        kind=own.kind,
        subject_type="scene" if own.scene_key else "video",
        subject_id=own.scene_key or video.id,
        value="",
        created_at=time.time(),
        person_id=editor.id,
        source_text_id=own.source_text_id,
        source_hash=own.source_hash,
    )


def pick_frames(store: Store, person: Person | None, video_id: str, frames: Sequence[int]) -> Selection:
    """Store a person's own keyframes; the newest row counts. Raises NotAllowed, NotFound, UsageError."""
    editor = require(person, "edit")
    video = store.get(Video, video_id)
    require_frames(video, frames)
    subject = (video.id, editor.id)
    with store.writing() as conn:
        before = KINDS["keyframes"].now(store, conn, subject)
        selection = KEYFRAMES.append(store, conn, subject, sorted(set(frames)))
        change = Change("keyframes", subject, before, list(selection.frames))
        undo_and_redo.record_in(conn, editor.id, video.id, "picked keyframes", [change])
    return selection


def require_frames(video: Video, frames: Sequence[int]) -> None:
    """Raise UsageError for frames that the video does not have."""
    count = video.facts.frames if video.facts else 0
    if any(not 0 <= index < count for index in frames):
        known = f"frames 0 to {count - 1}" if count else "no file, and therefore no frames"
        raise UsageError(f"{video.title} has {known}")
