"""The systems that apply to a video: always VDC, unless all its questions come from Video-MMLU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.constants_of_systems import is_mmlu
from annotation.records.runs import Evaluation, Run
from annotation.records.videos import Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.store.store import Store
from annotation.systems.vdc import caption_stage
from annotation.systems.vdc import scoring_stages as scoring
from annotation.systems.vdc import system as vdc
from annotation.systems.video_mmlu import stages as mmlu

System = Literal["vdc", "mmlu"]
_Stage = Callable[[Context, Video], StageResults]


def systems_of(store: Store, video_id: str) -> set[System]:
    """Return the systems, from the questions and the reference captions of datasets."""
    kinds = {q.kind for q in store.find(Question, video_id=video_id) if q.dataset_id}
    kinds |= {t.kind for t in store.find(Text, video_id=video_id) if t.dataset_id}
    if not any(is_mmlu(kind) for kind in kinds):
        return {"vdc"}
    return {"mmlu", "vdc"} if any(kind.startswith("vdc:") for kind in kinds) else {"mmlu"}


def run_captions(context: Context, video: Video) -> StageResults:
    """Run the five captions of VDC and the notes of Video-MMLU."""
    return _each(context, video, caption_stage.run_captions, mmlu.run_notes)


def run_questions(context: Context, video: Video) -> StageResults:
    """Write questions from the references of both systems."""
    return _each(context, video, scoring.run_questions, mmlu.run_questions)


def run_answers(context: Context, video: Video) -> StageResults:
    """Answer from the captions and the notes, and from the video itself."""
    return _each(context, video, scoring.run_answers, mmlu.run_answers)


def run_verdicts(context: Context, video: Video) -> StageResults:
    """Run the judges, with the prompts of each system."""
    return _each(context, video, scoring.run_verdicts, mmlu.run_verdicts)


def _each(context: Context, video: Video, vdc_stage: _Stage, mmlu_stage: _Stage) -> StageResults:
    systems = systems_of(context.store, video.id)
    stages: Sequence[tuple[System, _Stage]] = (("vdc", vdc_stage), ("mmlu", mmlu_stage))
    found = [stage(context, video) for name, stage in stages if name in systems]
    return sum(found, StageResults())


CAPTIONS = replace(vdc.CAPTIONS, run=run_captions)
QUESTIONS = replace(vdc.QUESTIONS, run=run_questions)
ANSWERS = replace(vdc.ANSWERS, run=run_answers)
VERDICTS = replace(vdc.VERDICTS, run=run_verdicts)


# --- again, for questions that a person chose -------------------------------------------


def answer_and_judge(
    context: Context, video: Video, captions: Run, questions: Sequence[Question]
) -> StageResults:
    """Answer these questions again, from the current captions of one run, and judge the answers."""
    asked = {question.id for question in questions}
    if _mmlu(questions):
        mmlu.runs_of(context)["notes"] = captions
        answered = mmlu.answer_questions(context, video, captions.id, questions)
        answers = [a for a in mmlu.current_answers(context, video) if a.question_id in asked]
        return answered + mmlu.judge_answers(context, video, answers)
    answered = scoring.answer_questions(context, video, captions.id, questions)
    found = scoring.store_answers(context.store, video.id, context.runs["answers"].id)
    return answered + scoring.judge_answers(context, video, [a for a in found if a.question_id in asked])


def name_again(context: Context, name: str) -> Evaluation:
    """Return the evaluation of the new results: the same one if the engines are the same."""
    return (
        mmlu.name_evaluation(context, name)
        if mmlu.runs_of(context)
        else scoring.name_evaluation(context, name)
    )


def _mmlu(questions: Sequence[Question]) -> bool:
    return bool(questions) and all(is_mmlu(question.kind) for question in questions)
