"""Stages of Video-MMLU: notes, answers from the notes, answers from the video, two strict judges.

Its runs and its evaluation (LOVEU track 1B) form a chain separate from that of VDC.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from annotation.records import fingerprints
from annotation.records.allowed_values import TextKind
from annotation.records.captions_to_verdicts import Answer, Question, Text
from annotation.records.disciplines import discipline
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, Run, RunRole
from annotation.records.videos import Video
from annotation.stages import link_evaluation
from annotation.stages.facts_for_baseline import video_facts
from annotation.stages.frames_shown_to_models import shown_frames
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_answer, new_text, sample_id, work_off
from annotation.stages.newest_screen_texts import screen_texts, words_shown
from annotation.stages.stage_context import Context, model_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.store.current_speech import spoken
from annotation.store.store import Store
from annotation.systems.vdc import requests as vdc
from annotation.systems.vdc import scoring_stages as scoring
from annotation.systems.video_mmlu import requests as video_mmlu
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from annotation.texts.which_text_counts import REFERENCES, counting_texts
from backends.digest import digest
from backends.protocols import ChatModel, ChatRequest

FRAMES = 32
"""Number of uniformly spaced frames per video, for notes and for answers, as in the published table."""
TASK = "video-mmlu"


def runs_of(context: Context) -> dict[str, Run]:
    """The runs of the Video-MMLU chain in this pass: notes, extraction, direct, verdicts."""
    return context.system_runs.setdefault("video_mmlu", {})


def _start(context: Context, name: str, run: Run) -> Run:
    """Like `Context.start_run`, for this chain; its runs carry a mark that VDC's runs lack."""
    context.caller.keep([run])
    runs_of(context)[name] = run
    context.runs.setdefault(run.stage, run)
    return run


# --- notes ----------------------------------------------------------------------------


def run_notes(context: Context, video: Video) -> StageResults:
    """Write review notes if a question asks about them, or will."""
    model, prompt = context.engines.captioner, context.prompts[video_mmlu.NOTES_PROMPT]
    params: dict[str, Any] = {"frames": FRAMES, "task": TASK, "max_tokens": video_mmlu.NOTES_TOKENS}
    run = _start(
        context, "notes", model_run("captions", model, prompt.hash, **params, **context.reader_params)
    )
    asked = context.store.count(Question, video_id=video.id, kind=NOTES)
    items = [_notes_item(context, run, video)] if asked or reference_notes(context.store, video.id) else []
    if not items:
        return skipped("no questions about notes, and no reference notes")
    return work_off(context, video, "captions", run, model, Text, items)


def _notes_item(context: Context, run: Run, video: Video) -> Item:
    frames = shown_frames(video, FRAMES)
    speech = "\n".join(line.text for line in spoken(context.store, video.id))
    on_screen = words_shown(screen_texts(context.store, video.id))
    facts = video_facts(context, video)
    shown = (on_screen,) if on_screen else ()
    inputs = digest("notes", frames, speech, facts if run.baseline else None, *shown)
    parts = ("txt", run.id, video.id, NOTES, inputs)

    def build() -> ChatRequest:
        pictures = context.pictures(video, frames)
        return video_mmlu.notes_request(context.prompts, pictures, frames, speech, on_screen, facts)

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = vdc.read_caption(called.reply) if called.reply else None
        values = (reading.state, reading.value, reading.reason) if reading else FAILED
        return [
            new_text(
                sample_id(parts, sample),
                called,
                run,
                video,
                NOTES,
                ("video", video.id),
                values,
                source_hash=inputs,
                frames=frames,
            )
        ]

    return Item(parts, build, read)


# --- questions ------------------------------------------------------------------------


def run_questions(context: Context, video: Video) -> StageResults:
    """Write questions of both kinds from the reference notes, unless a dataset already provides questions."""
    store, model = context.store, context.engines.writer
    if given := _given(store, video):
        return scoring.note_imported(context, video, given)
    names = video_mmlu.QUESTIONS_PROMPTS.values()
    params: dict[str, Any] = {"task": TASK, "count": video_mmlu.QUESTIONS_PER_KIND}
    run = _start(context, "questions", model_run("questions", model, context.prompts.hash(*names), **params))
    source = reference_notes(store, video.id)
    items = [_questions_item(context, run, video, source, kind) for kind in _writable(model) if source]
    if not items:
        return skipped("no reference notes to ask about")
    return work_off(context, video, "questions", run, model, Question, items)


def reference_notes(store: Store, video_id: str) -> Text | None:
    """The current reference notes of a video."""
    found = counting_texts(store, [NOTES], REFERENCES, video_ids=[video_id]).get(video_id, {})
    return found[NOTES].text if NOTES in found else None


def _writable(model: ChatModel) -> tuple[TextKind, ...]:
    """The baseline only asks about facts in the notes; it cannot write reasoning questions."""
    return (NOTES,) if model.baseline else (NOTES, REASONING)


def _questions_item(context: Context, run: Run, video: Video, source: Text, kind: TextKind) -> Item:
    reference = str(context.store.current("text", source.id, "value").value)
    inputs = fingerprints.of_text(reference)
    parts = ("qst", run.id, video.id, kind, inputs)

    def build() -> ChatRequest:
        return video_mmlu.questions_request(context.prompts, kind, reference, discipline(video.discipline))

    def read(called: Called, _sample: int) -> Sequence[Record]:
        reading = vdc.read_questions(called.reply) if called.reply else None
        return [
            Question(
                id=record_id(*parts, index),
                video_id=video.id,
                kind=kind,
                index=index,
                text=item.question,
                reference=item.answer,
                category=item.category,
                created_at=time.time(),
                run_id=run.id,
                source_text_id=source.id,
                source_hash=inputs,
                call_id=called.call_id,
                baseline=run.baseline,
            )
            for index, item in enumerate(reading.items if reading else ())
        ]

    return Item(
        (*parts, 0), build, read, of_none=lambda called: vdc.none_read(called.reply, baseline=run.baseline)
    )


def _given(store: Store, video: Video) -> list[Question]:
    """Questions imported with datasets."""
    questions = store.find(Question, video_id=video.id, kind=[NOTES, REASONING], order_by=["kind", "index"])
    return [question for question in questions if question.dataset_id]


def questions_to_answer(context: Context, video: Video) -> list[Question]:
    """The datasets' questions if there are any, else those of this chain's questions run."""
    run = runs_of(context).get("questions")
    if given := _given(context.store, video):
        return given
    found = scoring.questions_to_answer(context.store, video.id, run)
    return [question for question in found if question.kind in (NOTES, REASONING)]


# --- answers --------------------------------------------------------------------------


def run_answers(context: Context, video: Video) -> StageResults:
    """Answer every question, from the notes or from the video."""
    notes = runs_of(context).get("notes")
    if notes is None:
        return skipped("no notes; run the stage captions first")
    questions = questions_to_answer(context, video)
    answered = answer_questions(context, video, notes.id, questions)
    return answered if questions else skipped("no questions")


def answer_questions(
    context: Context, video: Video, notes_run: str, questions: Sequence[Question]
) -> StageResults:
    """Answer these questions; those about the notes from the current notes of one run."""
    extraction = _start(context, "extraction", scoring.extraction_run(context, notes_run))
    direct = _start(context, "direct", _direct_run(context))
    on_notes = [q for q in questions if q.kind == NOTES]
    nothing = StageResults()
    found = scoring.extract_answers(context, video, extraction, notes_run, on_notes) if on_notes else nothing
    return found + _answer_from_video(context, video, direct, [q for q in questions if q.kind == REASONING])


def _direct_run(context: Context) -> Run:
    prompt = context.prompts[video_mmlu.DIRECT_PROMPT]
    params: dict[str, Any] = {"frames": FRAMES, "task": TASK, "max_tokens": video_mmlu.DIRECT_TOKENS}
    return model_run("answers", context.engines.captioner, prompt.hash, **params, **context.reader_params)


def _answer_from_video(
    context: Context, video: Video, run: Run, questions: Sequence[Question]
) -> StageResults:
    """Send all questions with the same frames, one after the other, so that a server prepares them once."""
    if not questions:
        return StageResults()
    frames = shown_frames(video, FRAMES)
    facts = video_facts(context, video)
    now = context.store.currents("question", [q.id for q in questions], "text")
    items = [_direct_item(context, run, video, q, str(now[q.id].value), frames, facts) for q in questions]
    return work_off(context, video, "answers", run, context.engines.captioner, Answer, items)


def _direct_item(
    context: Context,
    run: Run,
    video: Video,
    question: Question,
    asked: str,
    frames: tuple[int, ...],
    facts: dict[str, Any],
) -> Item:
    inputs = fingerprints.of_answer("", asked)
    parts = ("ans", run.id, question.id, inputs, digest(frames, facts if run.baseline else None))

    def build() -> ChatRequest:
        pictures = context.pictures(video, frames)
        return video_mmlu.direct_request(context.prompts, pictures, frames, asked, facts)

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = vdc.read_answer(called.reply) if called.reply else None
        values = (reading.state, reading.value, reading.reason) if reading else FAILED
        record = sample_id(parts, sample)
        return [new_answer(record, called, run, question, "video", values, source_hash=inputs)]

    return Item(parts, build, read)


# --- verdicts -------------------------------------------------------------------------


def run_verdicts(context: Context, video: Video) -> StageResults:
    """Judge every current answer of both kinds."""
    if "extraction" not in runs_of(context):
        return skipped("no answers; run the stage answers first")
    found = current_answers(context, video)
    judged = judge_answers(context, video, found)
    name_evaluation(context)
    return judged if found else skipped("no answers to judge")


def current_answers(context: Context, video: Video) -> list[Answer]:
    """The current answers of this pass, without replaced ones."""
    runs = [runs_of(context)[name].id for name in ("extraction", "direct")]
    return [a for run in runs for a in scoring.store_answers(context.store, video.id, run)]


def judge_answers(
    context: Context, video: Video, answers: Sequence[Answer], upstream: tuple[str, ...] = ()
) -> StageResults:
    """Judge each answer with the prompt of its question's kind; all verdicts belong to one run.

    `upstream` are the runs that the answers belong to, if they are not of this pass.
    """
    prompts = context.prompts.hash(*video_mmlu.VERDICT_PROMPTS.values())
    upstream = upstream or tuple(runs_of(context)[name].id for name in ("extraction", "direct"))
    run = _start(
        context,
        "verdicts",
        model_run("verdicts", context.engines.judge, prompts, upstream, task=TASK, max_tokens=256),
    )
    return scoring.judge_in_run(context, video, run, answers, video_mmlu.VERDICT_PROMPTS.__getitem__)


def name_evaluation(context: Context, name: str = "") -> Evaluation:
    """Name the evaluation of this chain."""
    runs: list[tuple[RunRole, Run]] = [("captions", runs_of(context)["notes"])]
    asked = runs_of(context).get("questions") or context.runs.get("questions")
    if asked:
        runs.append(("questions", asked))
    runs += [("answers", runs_of(context)["extraction"]), ("answers", runs_of(context)["direct"])]
    runs.append(("verdicts", runs_of(context)["verdicts"]))
    mine = runs_of(context)
    wanted = name or link_evaluation.default_name("Video-MMLU", mine["notes"], mine["verdicts"])
    return link_evaluation.link_evaluation(context.store, runs, wanted)
