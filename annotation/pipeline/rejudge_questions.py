"""Extracts and judges answers again, for questions that a person chose."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.people.permissions import require
from annotation.pipeline import question_chains
from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation, EvaluationRun, Run, RunRole
from annotation.records.videos import Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.start_models import make_ready
from annotation.store.store import Store
from backends.errors import UsageError


@dataclass(frozen=True, slots=True)
class Rerun:
    """Result of "run extraction and judging again"."""

    evaluation_id: str
    verdicts: tuple[str, ...]
    failed: int


def rerun(
    context: Context, person: Person | None, evaluation_id: str, questions: Sequence[Question]
) -> Rerun:
    """Extract and judge these questions again, from the current captions.

    Earlier answers and verdicts are kept. The new ones are added to the evaluation if its engines are the
    current ones, else to another evaluation.

    Raises NotAllowed, NotFound, BackendUnavailable, Stopped.
    """
    require(person, "run")
    store = context.store
    evaluation = store.get(Evaluation, evaluation_id)
    links = store.find(EvaluationRun, evaluation_id=evaluation_id)
    runs = {link.role: store.get(Run, link.run_id) for link in links}
    if "captions" not in runs:
        raise UsageError(f"{evaluation.name} has no captions, so nothing can be extracted again")
    make_ready(context, (question_chains.ANSWERS, question_chains.VERDICTS))
    failed = 0
    before = time.time()
    for video_id in sorted({q.video_id for q in questions}):
        mine = [q for q in questions if q.video_id == video_id]
        failed += _rerun_video(context, store.get(Video, video_id), runs, mine).failed
    made = question_chains.name_again(context, f"{evaluation.name}, run again")
    fresh = [j.id for j in store.find(Verdict, run_id=context.runs["verdicts"].id) if j.created_at >= before]
    return Rerun(made.id, tuple(fresh), failed)


def _rerun_video(
    context: Context, video: Video, runs: Mapping[RunRole, Run], questions: Sequence[Question]
) -> StageResults:
    context.runs["captions"] = runs["captions"]
    if "questions" in runs:
        context.runs["questions"] = runs["questions"]
    return question_chains.answer_and_judge(context, video, runs["captions"], questions)


def questions_of(store: Store, evaluation_id: str, *, video_id: str = "", kind: str = "") -> list[Question]:
    """Return the questions of an evaluation's answers, optionally of one video or aspect."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id, role="answers")
    if not links:
        raise NotFound("this evaluation has no answers")
    where: dict[str, Any] = {"run_id": [link.run_id for link in links]}
    if video_id:
        where["video_id"] = video_id
    wanted = {a.question_id for a in store.find(Answer, **where)}
    more: dict[str, Any] = {"kind": kind} if kind else {}
    return store.find(Question, id=sorted(wanted), order_by=["video_id", "kind", "index"], **more)
