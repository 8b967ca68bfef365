"""What people do: correct, clear, blame, exclude, pick frames, re-run. Every function asks `may` first."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

from annotation import aspect_sight, journal
from annotation.errors import NotAllowed, NotFound, UsageError
from annotation.journal import Change
from annotation.naming import named, quote, text_words, verdict_words
from annotation.permissions import require
from annotation.pipeline import systems
from annotation.pipeline.context import Context
from annotation.pipeline.readiness import make_ready
from annotation.records import (
    Answer,
    Blame,
    BlameKind,
    Correction,
    Element,
    Evaluation,
    EvaluationRun,
    Exclusion,
    Json,
    Judgement,
    Person,
    Question,
    Run,
    Scene,
    Selection,
    SubjectType,
    Text,
    TextKind,
    Video,
    new_id,
)
from annotation.store.decisions import KINDS, lay_blame, lay_frames
from annotation.store.exclusions import exclusions
from annotation.store.overlay import FIELDS
from annotation.store.store import Store

BLAMES: tuple[BlameKind, ...] = ("caption_omits", "caption_wrong", "extraction", "judge", "question")
LONGEST_TEXT = 100_000
"""Characters; longer ones are pasted by mistake."""
LONGEST_REASON = 2000


@dataclass(frozen=True, slots=True)
class Edit:
    """A change that a person asks for."""

    subject_type: SubjectType
    subject_id: str
    field: str
    value: Json
    base_revision: int
    reason: str = ""
    cleared: bool = False
    visit: str = ""
    """Of saves while a text is being typed: which visit of the field, made up by the page."""


def apply_edit(store: Store, person: Person | None, edit: Edit) -> Correction:
    """Lay the change over the value. Raises NotAllowed, StaleEdit, NotFound, UsageError."""
    if edit.subject_type not in FIELDS:
        raise UsageError(f"a {edit.subject_type} cannot be corrected")
    editor = require(person, "edit", _owner(store, edit))
    if edit.subject_type == "text":
        aspect_sight.require_sight(store, editor, edit.subject_id)
    if isinstance(edit.value, str) and len(edit.value) > LONGEST_TEXT:
        raise UsageError(f"a text has at most {LONGEST_TEXT:,} characters; this one has {len(edit.value):,}")
    what = named(store, edit.subject_type, edit.subject_id, edit.field)
    subject = (edit.subject_type, edit.subject_id, edit.field)
    with store.writing() as conn:
        ids = [edit.subject_id] if edit.subject_type == "text" else []
        if why := aspect_sight.closed_for(conn, editor.id, ids):
            raise NotAllowed(why)
        before = store.current_in(conn, *subject)
        correction = store.correct_in(
            conn, subject, edit.value, person_id=editor.id, reason=edit.reason,
            base_revision=edit.base_revision, cleared=edit.cleared,
        )  # fmt: skip
        done = f"{'took back the correction of' if edit.cleared else 'corrected'} {what.words}"
        change = journal.value_change(before, correction)
        typed = "" if edit.reason or edit.cleared else edit.visit
        journal.record_in(conn, editor.id, what.video_id, done, [change], typed)
    return correction


def _owner(store: Store, edit: Edit) -> str | None:
    """The person who wrote the thing itself; None for what a machine or a dataset wrote."""
    if edit.subject_type == "text":
        return store.get(Text, edit.subject_id).person_id
    if edit.subject_type == "question":
        return store.get(Question, edit.subject_id).person_id
    if edit.subject_type == "element":
        return store.get(Element, edit.subject_id).person_id
    return None


def blame(store: Store, person: Person | None, judgement_id: str, kind: str, note: str = "") -> Blame:
    """Say whose fault a verdict is; an empty kind withdraws. Raises NotAllowed, NotFound, UsageError."""
    editor = require(person, "edit")
    if kind and kind not in BLAMES:
        raise UsageError(f"no such blame {kind!r}; choose from {', '.join(BLAMES)}")
    judgement = store.get(Judgement, judgement_id)
    done = f"{'blamed' if kind else 'took back the blame for'} {verdict_words(store, judgement)}"
    with store.writing() as conn:
        subject, state = (judgement.id,), {"kind": kind, "note": note}
        before = KINDS["blame"].now(store, conn, subject)
        row = lay_blame(store, conn, subject, state, editor.id)
        change = Change("blame", subject, before, state)
        journal.record_in(conn, editor.id, judgement.video_id, done, [change])
    return row


def exclude(store: Store, person: Person | None, question_id: str, reason: str) -> Exclusion | None:
    """Take a question out of the count, or back in with an empty reason; what holds now.

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
            kind.lay(store, conn, subject, reason, editor.id)
            change = Change("exclusion", subject, before, reason)
            journal.record_in(conn, editor.id, question.video_id, done, [change])
    return exclusions(store, [question.id]).get(question.id)


def write_text(
    store: Store, person: Person | None, video_id: str, kind: str, value: str,
    source_text_id: str | None = None, source_hash: str = "", scene_key: str = "",
) -> Text:  # fmt: skip
    """A text of a person's own, where there is none yet: on the video, or on one scene of it.

    Raises NotAllowed, NotFound, UsageError.
    """
    editor = require(person, "edit")
    video = store.get(Video, video_id)
    if scene_key and not store.find(Scene, video_id=video.id, key=scene_key, limit=1):
        raise NotFound(f"{video.title} has no scene {scene_key!r}; the cuts changed, reload the page")
    if kind not in get_args(TextKind):
        raise UsageError(f"no kind of text {kind!r}; choose from {', '.join(get_args(TextKind))}")
    text = Text(
        id=new_id("txt"), video_id=video.id, kind=cast(TextKind, kind),
        subject_type="scene" if scene_key else "video", subject_id=scene_key or video.id, value=value,
        created_at=time.time(), person_id=editor.id, source_text_id=source_text_id, source_hash=source_hash,
    )  # fmt: skip
    subject = (video.id, editor.id, text.kind, text.subject_id)
    done = f"wrote {text_words(store, text)}"
    if source_text_id:
        aspect_sight.require_sight(store, editor, source_text_id)
    with store.writing() as conn:
        if kind in aspect_sight.PARTS and (why := aspect_sight.closed_on(conn, editor.id, [video.id])):
            raise NotAllowed(why)
        before = KINDS["text"].now(store, conn, subject)
        store.add_in(conn, [text])
        journal.record_in(conn, editor.id, video.id, done, [Change("text", subject, before, text.id)])
    return text


def pick_frames(store: Store, person: Person | None, video_id: str, frames: Sequence[int]) -> Selection:
    """A person's own keyframes; the newest row counts. Raises NotAllowed, NotFound, UsageError."""
    editor = require(person, "edit")
    video = store.get(Video, video_id)
    count = video.facts.frames if video.facts else 0
    if any(not 0 <= index < count for index in frames):
        raise UsageError(f"{video.title} has frames 0 to {count - 1}")
    subject = (video.id, editor.id)
    with store.writing() as conn:
        before = KINDS["keyframes"].now(store, conn, subject)
        selection = lay_frames(store, conn, subject, sorted(set(frames)))
        change = Change("keyframes", subject, before, list(selection.frames))
        journal.record_in(conn, editor.id, video.id, "picked keyframes", [change])
    return selection


@dataclass(frozen=True, slots=True)
class Rerun:
    """What an action "run extraction and judging again" gave."""

    evaluation_id: str
    judgements: tuple[str, ...]
    failed: int


def rerun(
    context: Context, person: Person | None, evaluation_id: str, questions: Sequence[Question]
) -> Rerun:
    """Extract and judge these questions again, from the captions as they stand now.

    Earlier answers and verdicts stay. The new ones belong to the evaluation itself when its
    engines are the ones at hand, else to one beside it.
    Raises NotAllowed, NotFound, BackendUnavailable, Stopped.
    """
    require(person, "run")
    store = context.store
    evaluation = store.get(Evaluation, evaluation_id)
    links = store.find(EvaluationRun, evaluation_id=evaluation_id)
    runs = {link.role: store.get(Run, link.run_id) for link in links}
    if "captions" not in runs:
        raise UsageError(f"{evaluation.name} holds no captions, so nothing can be extracted again")
    make_ready(context, ["answers", "verdicts"])
    failed = 0
    before = time.time()
    for video_id in sorted({q.video_id for q in questions}):
        mine = [q for q in questions if q.video_id == video_id]
        failed += _rerun_video(context, store.get(Video, video_id), runs, mine)
    beside = systems.name_again(context, f"{evaluation.name}, run again")
    fresh = [
        j.id for j in store.find(Judgement, run_id=context.runs["verdicts"].id) if j.created_at >= before
    ]
    return Rerun(beside.id, tuple(fresh), failed)


def _rerun_video(context: Context, video: Video, runs: dict[str, Run], questions: Sequence[Question]) -> int:
    context.runs["captions"] = runs["captions"]
    if "questions" in runs:
        context.runs["questions"] = runs["questions"]
    return systems.answer_and_judge(context, video, runs["captions"], questions)


def questions_of(store: Store, evaluation_id: str, *, video_id: str = "", kind: str = "") -> list[Question]:
    """The questions that an evaluation's answers belong to, narrowed to a video or an aspect."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id, role="answers")
    if not links:
        raise NotFound("this evaluation has no answers")
    where: dict[str, Any] = {"run_id": [link.run_id for link in links]}
    if video_id:
        where["video_id"] = video_id
    wanted = {a.question_id for a in store.find(Answer, **where)}
    more: dict[str, Any] = {"kind": kind} if kind else {}
    return store.find(Question, id=sorted(wanted), order_by=["video_id", "kind", "index"], **more)
