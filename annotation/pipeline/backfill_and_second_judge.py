"""Runs single stages over an existing evaluation: to complete a log, or to add another judge.

Videos need no file. If the evaluation has no results of a stage, its chain is completed. If it has results of
other engines, they stay, and the new results form another evaluation that shares the captions (and the
answers, if only the judge differs).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from annotation.pipeline.question_chains import ANSWERS, QUESTIONS, VERDICTS, chain_of, chain_of_all
from annotation.pipeline.system_list import SYSTEMS
from annotation.records.allowed_values import Stage
from annotation.records.captions_to_verdicts import Answer, Question, Text
from annotation.records.ids import record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run, RunRole
from annotation.records.videos import Video
from annotation.stages.link_evaluation import JUDGED_BY, RUN_ROLES, link_evaluation
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan, names_of
from annotation.store.find_ceiling_evaluations import BACKEND as REFERENCE
from annotation.store.store import Store
from annotation.systems.vdc import scoring_stages as scoring
from backends.errors import UsageError
from backends.text.plural import plural

FILLABLE = names_of((QUESTIONS, ANSWERS, VERDICTS))


@dataclass(frozen=True, slots=True)
class _Base:
    """The evaluation to build on."""

    evaluation: Evaluation
    runs: Mapping[RunRole, tuple[Run, ...]]

    @property
    def answers(self) -> list[Run]:
        """Return answer runs: first from captions, then from the video, as in Video-MMLU's chain."""
        return sorted(self.runs["answers"], key=lambda run: "frames" in run.params)


def plan_fill(store: Store, evaluation_id: str, stages: Sequence[str] = ()) -> Plan:
    """Plan the stages. Default: those that the evaluation lacks, or the verdicts if it is complete.

    Raises NotFound; UsageError for stages that cannot be run over an evaluation, or that have no input.
    """
    for one in (one for system in SYSTEMS for one in system.passes):
        names = names_of(one.stages)
        if set(stages) & set(names):
            if set(stages) - set(names):
                raise UsageError(f"{' and '.join(names)} run over an evaluation on their own")
            return one.plan(store, evaluation_id, one.stages)
    base = _Base(store.get(Evaluation, evaluation_id), runs_by_role(store, evaluation_id))
    wanted = _stages(base, stages)
    videos = _videos(store, base, wanted)
    asked = _asked(store, base, videos) if "answers" in wanted and "questions" not in wanted else {}
    there = [video for video in videos if asked.get(video.id, True)]
    left_out = len(videos) - len(there)
    fillable = (
        QUESTIONS,
        replace(ANSWERS, run=partial(_run_answers, base=base, asked=asked)),
        replace(VERDICTS, run=partial(_run_verdicts, base=base)),
    )
    return Plan(
        name=f"{' and '.join(wanted)} of {base.evaluation.name}",
        videos=tuple(there),
        stages=tuple(spec for spec in fillable if spec.name in wanted),
        settle=partial(_settle, base=base, wanted=wanted),
        notes=(f"left out: {plural(left_out, 'video')} without questions",) if left_out else (),
    )


# --- what to run ------------------------------------------------------------------------


def runs_by_role(store: Store, evaluation_id: str) -> dict[RunRole, tuple[Run, ...]]:
    """Return the runs of an evaluation's chain."""
    links = store.find(EvaluationRun, evaluation_id=evaluation_id)
    known = {run.id: run for run in store.find(Run, id=[link.run_id for link in links])}
    return {role: tuple(known[x.run_id] for x in links if x.role == role) for role in RUN_ROLES}


def _stages(base: _Base, names: Sequence[str]) -> tuple[Stage, ...]:
    unknown = [name for name in names if name not in FILLABLE]
    if unknown:
        raise UsageError(
            f"{', '.join(unknown)} cannot be run over an evaluation; choose from {', '.join(FILLABLE)}"
        )
    if not names:
        return ("verdicts",) if base.runs["answers"] else ("answers", "verdicts")
    wanted = tuple(stage for stage in FILLABLE if stage in names)
    if "verdicts" in wanted and "answers" not in wanted and not base.runs["answers"]:
        raise UsageError(f"{base.evaluation.name} has no answers to judge; add the stage: answers,verdicts")
    if "answers" in wanted and not base.runs["captions"]:
        raise UsageError(
            f"{base.evaluation.name} has no captions to extract answers from; import its captions"
        )
    if "answers" in wanted and any(run.backend == REFERENCE for run in base.runs["captions"]):
        raise UsageError("this is a ceiling; extract its answers again with: python app.py ceiling")
    if "answers" in wanted and any("task" in run.params for run in base.runs["captions"]):
        raise UsageError(
            f"some answers of {base.evaluation.name} come from the video; run the pipeline over the videos"
        )
    return wanted


def _videos(store: Store, base: _Base, wanted: Sequence[Stage]) -> list[Video]:
    """Return the videos with captions in the evaluation, or with answers if the stages only read answers."""
    if "answers" in wanted or "questions" in wanted:
        rows: Sequence[Text | Answer] = store.find(Text, run_id=[run.id for run in base.runs["captions"]])
    else:
        rows = store.find(Answer, run_id=[run.id for run in base.runs["answers"]])
    ids = sorted({row.video_id for row in rows})
    if not ids:
        raise UsageError(
            f"{base.evaluation.name} has no captions and no answers, so nothing can run; import them first"
        )
    return sorted(store.find(Video, id=ids), key=lambda video: (video.title, video.id))


def _asked(store: Store, base: _Base, videos: Sequence[Video]) -> dict[str, list[Question]]:
    """Return the questions to answer, by video."""
    found = {video.id: _questions(store, base, video.id) for video in videos}
    if not any(found.values()):
        raise UsageError(
            f"none of the {len(videos)} videos of {base.evaluation.name} has questions; import them "
            "(VDCscore_qa), or add the stage: questions,answers,verdicts"
        )
    return found


def _questions(store: Store, base: _Base, video_id: str) -> list[Question]:
    """Return the questions answered before, to compare engines on the same ones; else the video's."""
    answers = store.find(Answer, video_id=video_id, run_id=[run.id for run in base.runs["answers"]])
    if answers:
        ids = sorted({answer.question_id for answer in answers})
        return store.find(Question, id=ids, order_by=["kind", "index"])
    made = base.runs["questions"]
    return scoring.questions_to_answer(store, video_id, made[-1] if made else None)


# --- the stages -------------------------------------------------------------------------


def _run_answers(
    context: Context, video: Video, *, base: _Base, asked: Mapping[str, Sequence[Question]]
) -> StageResults:
    captions = base.runs["captions"][-1]
    questions = asked.get(video.id)
    if questions is None:  # created by the previous stage
        questions = scoring.questions_to_answer(context.store, video.id, context.runs.get("questions"))
    mine = [question for question in questions if chain_of(question.kind).from_captions]
    return scoring.answer_questions(context, video, captions.id, mine)


def _run_verdicts(context: Context, video: Video, *, base: _Base) -> StageResults:
    fresh = context.runs.get("answers")
    runs = [fresh] if fresh else base.answers
    answers = [a for run in runs for a in scoring.store_answers(context.store, video.id, run.id)]
    questions = context.store.find(Question, id=sorted({answer.question_id for answer in answers}))
    return chain_of_all(questions).judge(context, video, answers, runs)


# --- linking the results -----------------------------------------------------------------


def _settle(context: Context, *, base: _Base, wanted: Sequence[Stage]) -> Evaluation | None:
    """Complete the evaluation's chain, or create another evaluation."""
    if not all(stage in context.runs for stage in wanted):
        return None
    fresh = {cast(RunRole, stage): context.runs[stage] for stage in wanted}
    if _completes(base, fresh):
        return _complete(context, base, fresh)
    if "verdicts" not in fresh:
        return None
    chain: list[tuple[RunRole, Run]] = []
    for role in RUN_ROLES:
        kept = base.answers if role == "answers" else base.runs[role]
        chain += [(role, run) for run in ([fresh[role]] if role in fresh else kept)]
    return link_evaluation(context.store, chain, _beside(base, fresh))


def _completes(base: _Base, fresh: Mapping[RunRole, Run]) -> bool:
    """Return whether the runs are missing from the evaluation, or already part of it."""
    if any(run.baseline for run in fresh.values()) and not base.evaluation.baseline:
        return False  # baseline results do not complete the evaluation of a real model
    # Verdicts on different answers would otherwise be added to the earlier ones.
    return all(not base.runs[role] or _among(run, base.runs[role]) for role, run in fresh.items())


def _among(run: Run, others: Sequence[Run]) -> bool:
    return run.id in {other.id for other in others}


def _complete(context: Context, base: _Base, fresh: Mapping[RunRole, Run]) -> Evaluation:
    links = [
        EvaluationRun(
            id=record_id("evr", base.evaluation.id, role, run.id),
            evaluation_id=base.evaluation.id,
            role=role,
            run_id=run.id,
        )
        for role, run in fresh.items()
    ]
    context.caller.keep(links)
    return base.evaluation


def _beside(base: _Base, fresh: Mapping[RunRole, Run]) -> str:
    """Return the name for another judge: `gpt-4o, judged by llama` becomes `gpt-4o, judged by qwen`."""
    name = base.evaluation.name.partition(JUDGED_BY)[0]
    if "answers" in fresh and base.runs["answers"] and not _among(fresh["answers"], base.runs["answers"]):
        name = f"{name}, answers by {fresh['answers'].model}"
    return f"{name}{JUDGED_BY}{fresh['verdicts'].model}" if "verdicts" in fresh else name
