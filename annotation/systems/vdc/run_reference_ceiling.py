"""The ceiling: the score of the reference captions, treated like a model's captions.

Their answers are extracted and judged like any others. If a question's own reference gets a "no", the
question cannot be answered from the caption it was made from. The question, the extraction or the judge
is at fault, and a model's "no" to it means little.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan
from annotation.store.find_ceiling_evaluations import BACKEND, MODEL
from annotation.store.store import Store
from annotation.systems.vdc import scoring_stages as scoring
from annotation.systems.vdc.system import ANSWERS, VERDICTS
from backends.errors import UsageError
from backends.text.plural import plural

NAME = "ceiling"


def plan_ceiling(store: Store, videos: Sequence[Video] = ()) -> Plan:
    """Plan the ceiling over every question with a reference caption, of these videos or of all.

    Raises UsageError if no question has a reference caption.
    """
    chosen = {video.id for video in videos}
    questions = [q for q in _questions(store) if not chosen or q.video_id in chosen]
    kinds = _referenced(store)
    asked: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        if (question.video_id, question.kind) in kinds:
            asked[question.video_id].append(question)
    with_one = sum(len(each) for each in asked.values())
    if not with_one:
        raise UsageError(
            f"none of the {len(questions)} questions here has a reference caption; import the dataset's "
            "captions: python app.py import FILE"
        )
    without = len(questions) - with_one
    return Plan(
        name=NAME,
        videos=_in_order(store, asked),
        stages=(
            replace(ANSWERS, run=partial(_run_answers, asked=asked)),
            replace(VERDICTS, run=_run_verdicts),
        ),
        settle=_settle,
        notes=(f"left out: {plural(without, 'question')} without a reference caption",) if without else (),
    )


def _questions(store: Store) -> list[Question]:
    """All VDC questions except those made from a text that has changed since."""
    kinds = [f"vdc:{aspect}" for aspect in VDC_ASPECTS]
    found = store.find(Question, kind=kinds, order_by=["video_id", "kind", "index"])
    now = store.currents("question", [q.id for q in found if q.source_text_id], "text")
    return [q for q in found if q.id not in now or not now[q.id].stale]


def _referenced(store: Store) -> set[tuple[str, str]]:
    """(video, kind) of the captions imported with datasets."""
    texts = [t for t in store.find(Text, run_id=None, person_id=None) if t.dataset_id]
    now = store.currents("text", [t.id for t in texts], "value")
    return {(t.video_id, t.kind) for t in texts if str(now[t.id].value).strip()}


def _in_order(store: Store, asked: Mapping[str, Sequence[Question]]) -> tuple[Video, ...]:
    found = [video for video in store.find(Video) if video.id in asked]
    return tuple(sorted(found, key=lambda video: (video.title, video.id)))


def references(store: Store, video_id: str) -> dict[str, tuple[Text, str]]:
    """`{kind: (text, current value)}` of the newest of its datasets, with corrections.

    Texts written by people are excluded: the ceiling is that of the published captions.
    """
    texts = store.find(Text, video_id=video_id, run_id=None, person_id=None, order_by=["created_at"])
    pairs = store.not_superseded(text for text in texts if text.dataset_id)
    return {text.kind: (text, str(now.value)) for text, now in pairs if str(now.value).strip()}


def _run_answers(context: Context, video: Video, *, asked: Mapping[str, Sequence[Question]]) -> StageResults:
    run = context.start_run(make_run("captions", backend=BACKEND, model=MODEL))
    found = references(context.store, video.id)
    answers = context.start_run(scoring.extraction_run(context, run.id))
    return scoring.extract_from(context, video, answers, found, asked[video.id])


def _run_verdicts(context: Context, video: Video) -> StageResults:
    answers = scoring.store_answers(context.store, video.id, context.runs["answers"].id)
    return scoring.judge_answers(context, video, answers)


def _settle(context: Context) -> Evaluation | None:
    if "verdicts" not in context.runs:
        return None
    return scoring.name_evaluation(context, f"{NAME}, judged by {context.runs['verdicts'].model}")
