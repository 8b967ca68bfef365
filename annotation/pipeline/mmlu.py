"""Stages of Video-MMLU: notes, answers out of the notes, answers from the video, two strict judges.

Its runs are a chain of their own beside that of VDC, and so is its evaluation (LOVEU track 1B).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import Any

from annotation import fingerprints, vdc, video_mmlu
from annotation.pipeline import scoring
from annotation.pipeline.calls import Called
from annotation.pipeline.context import Context, model_run
from annotation.pipeline.footage import facts_of
from annotation.pipeline.items import Item, failed_id, sampled, vote, work_off
from annotation.pipeline.media import spread
from annotation.pipeline.writing import FAILED, new_text, video_facts
from annotation.records import (
    Answer,
    Evaluation,
    Question,
    Record,
    ResultState,
    Run,
    Text,
    Video,
    digest,
    record_id,
)
from annotation.speech_lines import spoken
from annotation.video_mmlu import NOTES, REASONING
from backends.protocols import ChatRequest

FRAMES = 32
"""Frames per video, uniform, for notes and answers alike: as in the published table."""
TASK = "video-mmlu"


def _start(context: Context, name: str, run: Run) -> Run:
    """Like `Context.start_run`, for this chain; its runs are marked where VDC has none."""
    context.caller.keep([run])
    context.mmlu[name] = run
    context.runs.setdefault(run.stage, run)
    return run


# --- notes ----------------------------------------------------------------------------


def run_notes(context: Context, video: Video) -> int:
    """Review notes, where a question asks about them."""
    model, prompt = context.engines.captioner, context.workspace.prompts[video_mmlu.NOTES_PROMPT]
    params: dict[str, Any] = {"frames": FRAMES, "task": TASK, "max_tokens": video_mmlu.NOTES_TOKENS}
    run = _start(
        context, "notes", model_run("captions", model, prompt.hash, **params, **context.reader_params)
    )
    asked = context.store.count(Question, video_id=video.id, kind=NOTES)
    items = [_notes_item(context, run, video)] if asked else []
    return work_off(context, video, "captions", model, Text, items)


def _notes_item(context: Context, run: Run, video: Video, sample: int = 0) -> Item:
    frames = spread(facts_of(video).frames, FRAMES)
    speech = "\n".join(line.text for line in spoken(context.store, video.id))
    facts = video_facts(context, video)
    inputs = digest("notes", frames, speech, facts if run.baseline else None)
    record = record_id("txt", run.id, video.id, NOTES, inputs, *vote(sample))

    def build() -> ChatRequest:
        pictures = context.pictures(video, frames)
        request = video_mmlu.notes_request(context.workspace.prompts, pictures, frames, speech, facts)
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        reading = vdc.read_caption(called.reply) if called.reply else None
        values = (reading.state, reading.value, reading.reason) if reading else FAILED
        return [
            new_text(record, called, run, video, NOTES, ("video", video.id), values,
                     source_hash=inputs, frames=frames)
        ]  # fmt: skip

    return Item(record, build, read, partial(_notes_item, context, run, video))


# --- answers --------------------------------------------------------------------------


def run_answers(context: Context, video: Video) -> int:
    """Every question's answer: out of the notes, or from the video."""
    notes = context.mmlu.get("notes")
    if notes is None:
        return 0
    kinds = [NOTES, REASONING]
    questions = context.store.find(Question, video_id=video.id, kind=kinds, order_by=["kind", "index"])
    given = [q for q in questions if q.dataset_id]
    return answer_questions(context, video, notes.id, given)


def answer_questions(context: Context, video: Video, notes_run: str, questions: Sequence[Question]) -> int:
    """Answers to these questions; those about the notes from one run's notes as they stand now."""
    extraction = _start(context, "extraction", scoring.extraction_run(context, notes_run))
    direct = _start(context, "direct", _direct_run(context))
    on_notes = [q for q in questions if q.kind == NOTES]
    failed = scoring.extract_answers(context, video, extraction, notes_run, on_notes) if on_notes else 0
    return failed + _answer_from_video(context, video, direct, [q for q in questions if q.kind == REASONING])


def _direct_run(context: Context) -> Run:
    prompt = context.workspace.prompts[video_mmlu.DIRECT_PROMPT]
    params: dict[str, Any] = {"frames": FRAMES, "task": TASK, "max_tokens": video_mmlu.DIRECT_TOKENS}
    return model_run("answers", context.engines.captioner, prompt.hash, **params, **context.reader_params)


def _answer_from_video(context: Context, video: Video, run: Run, questions: Sequence[Question]) -> int:
    """All with the same frames, one after the other, so that a server prepares the frames once."""
    if not questions:
        return 0
    frames = spread(facts_of(video).frames, FRAMES)
    facts = video_facts(context, video)
    now = context.store.currents("question", [q.id for q in questions], "text")
    items = [_direct_item(context, run, video, q, str(now[q.id].value), frames, facts) for q in questions]
    return work_off(context, video, "answers", context.engines.captioner, Answer, items)


def _direct_item(
    context: Context, run: Run, video: Video, question: Question, asked: str, frames: tuple[int, ...],
    facts: dict[str, Any], sample: int = 0,
) -> Item:  # fmt: skip
    inputs = fingerprints.of_answer("", asked)
    seen = digest(frames, facts if run.baseline else None)
    record = record_id("ans", run.id, question.id, inputs, seen, *vote(sample))

    def build() -> ChatRequest:
        pictures = context.pictures(video, frames)
        request = video_mmlu.direct_request(context.workspace.prompts, pictures, frames, asked, facts)
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        state: ResultState = "failed"
        value, reason = "", called.failure
        if called.reply:
            reading = vdc.read_answer(called.reply)
            state, value, reason = reading.state, reading.value, reading.reason or called.fewer
        return [
            Answer(
                id=record if called.reply else failed_id(record), video_id=video.id,
                question_id=question.id, run_id=run.id, source="video", value=value,
                created_at=time.time(), state=state, reason=reason, source_hash=inputs,
                call_id=called.call_id, baseline=run.baseline,
            )
        ]  # fmt: skip

    again = partial(_direct_item, context, run, video, question, asked, frames, facts)
    return Item(record, build, read, again)


# --- verdicts -------------------------------------------------------------------------


def run_verdicts(context: Context, video: Video) -> int:
    """A verdict on every current answer of both kinds."""
    if "extraction" not in context.mmlu:
        return 0
    failed = judge_answers(context, video, current_answers(context, video))
    name_evaluation(context)
    return failed


def current_answers(context: Context, video: Video) -> list[Answer]:
    """The answers of this pass that nothing newer replaces."""
    runs = [context.mmlu[name].id for name in ("extraction", "direct")]
    return [a for run in runs for a in scoring.store_answers(context.store, video.id, run)]


def judge_answers(
    context: Context, video: Video, answers: Sequence[Answer], upstream: tuple[str, ...] = ()
) -> int:
    """Each under the judge of its question's kind; both belong to one run.

    `upstream` are the runs that the answers are of, where they are not of this pass.
    """
    prompts = context.workspace.prompts.hash(*video_mmlu.VERDICT_PROMPTS.values())
    upstream = upstream or tuple(context.mmlu[name].id for name in ("extraction", "direct"))
    run = _start(
        context,
        "verdicts",
        model_run("verdicts", context.engines.judge, prompts, upstream, task=TASK, max_tokens=256),
    )
    return scoring.judge_in_run(context, video, run, answers, video_mmlu.VERDICT_PROMPTS.__getitem__)


def name_evaluation(context: Context, name: str = "") -> Evaluation:
    """Give the chain a name of its own."""
    runs: list[tuple[scoring.Role, Run]] = [("captions", context.mmlu["notes"])]
    if "questions" in context.runs:
        runs.append(("questions", context.runs["questions"]))
    runs += [("answers", context.mmlu["extraction"]), ("answers", context.mmlu["direct"])]
    runs.append(("verdicts", context.mmlu["verdicts"]))
    who = scoring.default_name(context.mmlu["notes"], context.mmlu["verdicts"])
    return scoring.link_evaluation(context.store, runs, name or f"Video-MMLU: {who}")
