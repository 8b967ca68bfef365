"""Video-MMLU as a system: its chain of questions beside that of VDC."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.records.captions_to_verdicts import Answer, Question
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.system_spec import QuestionChain, SystemSpec
from annotation.systems.video_mmlu import stages
from annotation.systems.video_mmlu.requests import VERDICT_PROMPTS
from annotation.systems.video_mmlu.scores import PEER, mmlu_table


def _answer_again(
    context: Context, video: Video, captions: Run, questions: Sequence[Question]
) -> StageResults:
    wanted = {question.id for question in questions}
    stages.runs_of(context)["notes"] = captions
    answered = stages.answer_questions(context, video, captions.id, questions)
    answers = [answer for answer in stages.current_answers(context, video) if answer.question_id in wanted]
    return answered + stages.judge_answers(context, video, answers)


def _judge(context: Context, video: Video, answers: Sequence[Answer], runs: Sequence[Run]) -> StageResults:
    return stages.judge_answers(context, video, answers, tuple(run.id for run in runs))


CHAIN = QuestionChain(
    prefix="mmlu:",
    benchmark=PEER,
    metric="Video-MMLU score",
    group="discipline",
    table=mmlu_table,
    stages={
        "captions": stages.run_notes,
        "questions": stages.run_questions,
        "answers": stages.run_answers,
        "verdicts": stages.run_verdicts,
    },
    verdict_prompt=lambda kind: VERDICT_PROMPTS.get(kind, "vdc_verdict"),
    answer_again=_answer_again,
    judge=_judge,
    name_evaluation=stages.name_evaluation,
    has_run=lambda context: bool(stages.runs_of(context)),
    from_captions=False,
)
SYSTEM = SystemSpec(
    name="video_mmlu",
    label="Video-MMLU",
    chain=CHAIN,
)
