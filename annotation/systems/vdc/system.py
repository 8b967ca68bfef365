"""VDC and VDCscore as a system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotation.records.captions_to_verdicts import Answer, Question
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.replies.verdict_reply import read_verdict
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import StageSpec
from annotation.stages.system_spec import QuestionChain, SystemSpec
from annotation.systems.vdc import scoring_stages as scoring
from annotation.systems.vdc.caption_stage import run_captions
from annotation.systems.vdc.scoring_stages import run_answers, run_questions, run_verdicts
from backends.protocols import ChatReply

CAPTIONS = StageSpec(
    "captions",
    "the five captions",
    run_captions,
    doing="writing the five captions",
    engines=("captioner",),
    pictures=("captioner",),
)
QUESTIONS = StageSpec("questions", "questions from the reference", run_questions, engines=("writer",))
ANSWERS = StageSpec(
    "answers",
    "answers taken from the captions",
    run_answers,
    engines=("extractor",),
    needs=("captions", "questions"),
)
VERDICTS = StageSpec(
    "verdicts",
    "a judge for every answer",
    run_verdicts,
    engines=("judge",),
    needs=("captions", "questions", "answers"),
)


def _answer_again(
    context: Context, video: Video, captions: Run, questions: Sequence[Question]
) -> StageResults:
    wanted = {question.id for question in questions}
    answered = scoring.answer_questions(context, video, captions.id, questions)
    found = scoring.store_answers(context.store, video.id, context.runs["answers"].id)
    return answered + scoring.judge_answers(context, video, [a for a in found if a.question_id in wanted])


def _judge(context: Context, video: Video, answers: Sequence[Answer], _runs: Sequence[Run]) -> StageResults:
    return scoring.judge_answers(context, video, answers)


def _read(reply: ChatReply, _row: Mapping[str, Any]) -> dict[str, Any]:
    return asdict(read_verdict(reply.text, reply.finish_reason, reply.prompt))


STAGES = (CAPTIONS, QUESTIONS, ANSWERS, VERDICTS)
CHAIN = QuestionChain(
    prefix="vdc:",
    benchmark="vdc",
    metric="VDCscore",
    stages={spec.name: spec.run for spec in STAGES},
    verdict_prompt=lambda _kind: "vdc_verdict",
    answer_again=_answer_again,
    judge=_judge,
    name_evaluation=scoring.name_evaluation,
    has_run=lambda context: "answers" in context.runs,
)
SYSTEM = SystemSpec(
    name="vdc",
    label="VDC",
    stages=STAGES,
    chain=CHAIN,
    reply_kinds={"vdc": _read},
)
