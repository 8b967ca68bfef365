"""Stages of VDCscore: questions from a reference, answers from captions, verdicts (AuroraCap, section 4)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.records import fingerprints
from annotation.records.allowed_values import VDC_ASPECTS, VdcAspect
from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Evaluation, Run
from annotation.records.videos import Video
from annotation.stages.facts_for_baseline import video_facts
from annotation.stages.link_evaluation import RUN_ROLES, default_name, link_evaluation
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_answer, new_verdict, sample_id, work_off
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.stages.stage_context import Context, make_run, model_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.store.store import Store
from annotation.systems.vdc import requests as vdc
from annotation.systems.vdc.supporting_spans import supporting_span
from annotation.texts.which_text_counts import REFERENCES, counting_texts
from backends.protocols import ChatRequest

QUESTIONS_PER_ASPECT = 20
"""The number of questions on the LOVEU page; the real files hold 11 to 38."""


# --- questions ------------------------------------------------------------------------


def run_questions(context: Context, video: Video) -> StageResults:
    """Write questions from each aspect's reference, unless a dataset already provides questions."""
    store, model = context.store, context.engines.writer
    given = [q for q in store.find(Question, video_id=video.id) if q.dataset_id]
    if given:
        return note_imported(context, video, given)
    prompts = context.prompts
    run = context.start_run(
        model_run("questions", model, prompts["vdc_questions"].hash, count=QUESTIONS_PER_ASPECT)
    )
    references = {aspect: reference_for(store, video.id, aspect) for aspect in VDC_ASPECTS}
    items = [
        _questions_item(context, run, video, aspect, text, value)
        for aspect, (text, value) in references.items()
        if value
    ]
    if not items:
        return skipped("no reference captions and no readable script to ask about")
    return work_off(context, video, "questions", run, model, Question, items)


def note_imported(context: Context, video: Video, given: Sequence[Question]) -> StageResults:
    """Record the datasets whose questions are used as the run of this stage, without sending requests."""
    context.start_run(make_run("questions", backend="import", model=_dataset_names(given)))
    context.progress(video, "questions", 1, 1)
    return StageResults()


def _dataset_names(given: Sequence[Question]) -> str:
    return "+".join(sorted({q.dataset_id or "" for q in given}))


def reference_for(store: Store, video_id: str, aspect: VdcAspect) -> tuple[Text | None, str]:
    """The current reference caption; if there is none, the machine script's text on the aspect.

    Questions from the machine's own script test an evaluation chain and do not measure correctness. Their
    `source_text_id` is None, and pages show this.
    """
    kind = f"vdc:{aspect}"
    found = counting_texts(store, [kind], REFERENCES, video_ids=[video_id]).get(video_id, {})
    if kind in found:
        return found[kind].text, found[kind].value
    fields = ("shot_type", "camera_movement") if aspect == "camera" else ("content",)
    if aspect == "short":
        fields = ("scene_title",)
    kinds = [f"script:{name}" for name in fields]
    texts = [t for t in store.find(Text, video_id=video_id, kind=kinds, order_by=["created_at"]) if t.run_id]
    # Replies arrive in any order, and requests must not depend on it.
    order = {scene.key: scene.index for scene in current_scenes(store, video_id)}
    texts.sort(key=lambda t: (order.get(t.subject_id, len(order)), kinds.index(t.kind)))
    now = store.not_superseded(text for text in texts if text.state == "done")
    return None, "\n".join(str(one.value) for _, one in now)


def _questions_item(
    context: Context, run: Run, video: Video, aspect: VdcAspect, source: Text | None, reference: str
) -> Item:
    inputs = fingerprints.of_text(reference)
    parts = ("qst", run.id, video.id, aspect, inputs)
    kind = f"vdc:{aspect}"

    def build() -> ChatRequest:
        return vdc.questions_request(
            context.prompts,
            aspect,
            reference,
            QUESTIONS_PER_ASPECT,
            {"video": video_facts(context, video)} if source is None and run.baseline else None,
        )

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
                source_text_id=source.id if source else None,
                source_hash=inputs,
                call_id=called.call_id,
                baseline=run.baseline,
            )
            for index, item in enumerate(reading.items if reading else ())
        ]

    return Item(
        (*parts, 0), build, read, of_none=lambda called: vdc.none_read(called.reply, baseline=run.baseline)
    )


def questions_to_answer(store: Store, video_id: str, run: Run | None) -> list[Question]:
    """The datasets' questions if there are any, else those of the questions run; by aspect, in order."""
    questions = store.find(Question, video_id=video_id, order_by=["kind", "index"])
    given = [q for q in questions if q.dataset_id]
    made = [q for q in questions if run and q.run_id == run.id]
    current = store.currents("question", [q.id for q in made], "text")
    return given or [q for q in made if not current[q.id].stale]


# --- answers --------------------------------------------------------------------------


def run_answers(context: Context, video: Video) -> StageResults:
    """Extract every question's answer from the caption of its aspect (VDCscore, step 2)."""
    captions, asked = context.runs.get("captions"), context.runs.get("questions")
    if captions is None:
        return skipped("no captions; run the stage captions first")
    questions = questions_to_answer(context.store, video.id, asked)
    questions = [question for question in questions if question.kind.startswith("vdc:")]
    answered = answer_questions(context, video, captions.id, questions)
    return answered if questions else skipped("no questions")


def answer_questions(
    context: Context, video: Video, captions_run: str, questions: Sequence[Question]
) -> StageResults:
    """Extract answers to these questions from the current captions of one run."""
    run = context.start_run(extraction_run(context, captions_run))
    return extract_answers(context, video, run, captions_run, questions)


def extraction_run(context: Context, captions_run: str) -> Run:
    """The run of answers that are extracted from the captions of a run."""
    prompt = context.prompts["vdc_answer"]
    return model_run("answers", context.engines.extractor, prompt.hash, (captions_run,), max_tokens=256)


def extract_answers(
    context: Context, video: Video, run: Run, captions_run: str, questions: Sequence[Question]
) -> StageResults:
    """Like `answer_questions`, for a run that is already started."""
    return extract_from(context, video, run, _captions_now(context.store, video.id, captions_run), questions)


def extract_from(
    context: Context,
    video: Video,
    run: Run,
    captions: Mapping[str, tuple[Text, str]],
    questions: Sequence[Question],
) -> StageResults:
    """Like `extract_answers`, from given captions: `{kind: (text, its current value)}`."""
    store = context.store
    now = store.currents("question", [q.id for q in questions], "text")
    items, missing = [], []
    for question in questions:
        text, value = captions.get(question.kind, (None, ""))
        if text is None or text.state != "done":
            missing.append(_missing_answer(run, question, text))
        else:
            items.append(_answer_item(context, run, question, text, value, str(now[question.id].value)))
    context.caller.keep(missing)
    asked_for = work_off(context, video, "answers", run, context.engines.extractor, Answer, items)
    return asked_for + StageResults.of(("missing", answer.reason) for answer in missing)


def _captions_now(store: Store, video_id: str, run_id: str) -> dict[str, tuple[Text, str]]:
    """`{kind: (text, current value)}` of one captions run."""
    found = store.not_superseded(store.find(Text, video_id=video_id, run_id=run_id))
    return {text.kind: (text, str(now.value)) for text, now in found}


def _missing_answer(run: Run, question: Question, text: Text | None) -> Answer:
    reason = "no caption of this aspect" if text is None else f"the caption is {text.state}: {text.reason}"
    return Answer(
        id=record_id("ans", run.id, question.id, "missing", reason),
        video_id=question.video_id,
        question_id=question.id,
        run_id=run.id,
        source="caption",
        value="",
        created_at=time.time(),
        state="missing",
        reason=reason,
        text_id=text.id if text else None,
        baseline=run.baseline,
    )


def _answer_item(
    context: Context, run: Run, question: Question, text: Text, caption: str, asked: str
) -> Item:
    inputs = fingerprints.of_answer(caption, asked)
    parts = ("ans", run.id, question.id, text.id, inputs)

    def build() -> ChatRequest:
        return vdc.answer_request(context.prompts, caption, asked)

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = vdc.read_answer(called.reply) if called.reply else None
        values = (reading.state, reading.value, reading.reason) if reading else FAILED
        span = supporting_span(caption, asked, values[1]) if values[1] else None
        return [
            new_answer(
                sample_id(parts, sample),
                called,
                run,
                question,
                "caption",
                values,
                text_id=text.id,
                source_hash=inputs,
                span_start=span[0] if span else None,
                span_end=span[1] if span else None,
            )
        ]

    return Item(parts, build, read)


# --- verdicts -------------------------------------------------------------------------


def run_verdicts(context: Context, video: Video) -> StageResults:
    """Judge every current answer of the answers run (VDCscore, step 3)."""
    answers = context.runs.get("answers")
    if answers is None:
        return skipped("no answers; run the stage answers first")
    found = store_answers(context.store, video.id, answers.id)
    judged = judge_answers(context, video, found)
    name_evaluation(context)
    return judged if found else skipped("no answers to judge")


def store_answers(store: Store, video_id: str, run_id: str) -> list[Answer]:
    """The current answers of a run, without replaced ones."""
    found = store.not_superseded(store.find(Answer, video_id=video_id, run_id=run_id))
    return [answer for answer, _ in found]


def judge_answers(
    context: Context, video: Video, answers: Sequence[Answer], prompt: str = "vdc_verdict"
) -> StageResults:
    """Send these answers, in their current form, to the judge."""
    upstream = tuple(sorted({a.run_id for a in answers})) or (context.runs["answers"].id,)
    hash_ = context.prompts[prompt].hash
    run = context.start_run(model_run("verdicts", context.engines.judge, hash_, upstream, max_tokens=256))
    return judge_in_run(context, video, run, answers, lambda _kind: prompt)


@dataclass(frozen=True, slots=True)
class Repeat:
    """A further verdict on the same answer."""

    number: int = 0
    """From 1; 0 is the first verdict. It is the seed."""
    temperature: float = 0.0


FIRST = Repeat()


def judge_in_run(
    context: Context,
    video: Video,
    run: Run,
    answers: Sequence[Answer],
    prompt_of: Callable[[str], str],
    repeat: Repeat = FIRST,
) -> StageResults:
    """Like `judge_answers`, for a run that is already started; the question's kind selects the prompt."""
    store = context.store
    questions = {q.id: q for q in store.find(Question, id=[a.question_id for a in answers])}
    asked = store.currents("question", list(questions), "text")
    references = store.currents("question", list(questions), "reference")
    values = store.currents("answer", [a.id for a in answers], "value")
    items, missing = [], []
    for answer in answers:
        inputs = tuple(
            str(x.value)
            for x in (asked[answer.question_id], references[answer.question_id], values[answer.id])
        )
        if answer.state == "done" or values[answer.id].corrected:
            prompt = prompt_of(questions[answer.question_id].kind)
            items.append(_verdict_item(context, run, answer, inputs, prompt, repeat))
        else:
            missing.append(_missing_verdict(run, answer))
    context.caller.keep(missing)
    judged = work_off(context, video, "verdicts", run, context.engines.judge, Verdict, items)
    return judged + StageResults.of(("missing", verdict.reason) for verdict in missing)


def _missing_verdict(run: Run, answer: Answer) -> Verdict:
    return Verdict(
        id=record_id("jdg", run.id, answer.id, "missing"),
        video_id=answer.video_id,
        run_id=run.id,
        subject_type="answer",
        subject_id=answer.id,
        value_type="yes_no_score",
        created_at=time.time(),
        state="missing",
        reason=f"the answer is {answer.state}: {answer.reason}",
        baseline=run.baseline,
    )


def _verdict_item(
    context: Context,
    run: Run,
    answer: Answer,
    read_by_judge: tuple[str, ...],
    prompt: str,
    repeat: Repeat,
) -> Item:
    question, reference, value = read_by_judge
    inputs = fingerprints.of_verdict(question, reference, value)
    parts = ("jdg", run.id, answer.id, inputs)

    def build() -> ChatRequest:
        request = vdc.verdict_request(context.prompts, question, reference, value, prompt)
        return replace(request, seed=repeat.number, temperature=repeat.temperature)

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = vdc.read_verdict_reply(called.reply) if called.reply else None
        return [
            new_verdict(
                sample_id(parts, sample),
                called,
                run,
                answer.video_id,
                ("answer", answer.id),
                "yes_no_score",
                (reading.state, reading.pred, reading.reason) if reading else FAILED,
                score=reading.score if reading else None,
                raw=called.raw,
                source_hash=inputs,
            )
        ]

    return Item(parts, build, read)


# --- evaluation -----------------------------------------------------------------------


def name_evaluation(context: Context, name: str = "") -> Evaluation:
    """Name the chain of this pass, so that it can be displayed, scored and compared."""
    runs = [(role, context.runs[role]) for role in RUN_ROLES if role in context.runs]
    wanted = name or default_name("VDC", context.runs.get("captions"), context.runs["verdicts"])
    return link_evaluation(context.store, runs, wanted)
