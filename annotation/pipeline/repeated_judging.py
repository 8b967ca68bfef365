"""Judges the same answers several times with one judge, to measure how consistent its verdicts are.

Each repeat is a separate run with its seed and temperature, linked to the evaluation by the role `repeats`.
At temperature 0 the evaluation's verdicts count as the first repeat. At higher temperatures they do not
count as one, because they were made under different conditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from annotation.pipeline.backfill_and_second_judge import plan_fill
from annotation.pipeline.question_chains import verdict_prompt
from annotation.records.ids import record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Video
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan, StageFunction
from annotation.store.store import Store
from annotation.systems.vdc import scoring_stages as scoring
from annotation.systems.vdc.scoring_stages import Repeat
from backends.errors import UsageError

MOST = 25
HOTTEST = 2.0
"""Maximum temperature that chat servers accept."""
SYSTEM = "repeats"


def plan_repeats(store: Store, evaluation_id: str, times: int, temperature: float = 0.0) -> Plan:
    """Plan `times` verdicts of the current judge on each answer. Raises as `plan_fill`."""
    if not 2 <= times <= MOST:
        raise UsageError(f"judge each answer 2 to {MOST} times, not {times}")
    if not 0 <= temperature <= HOTTEST:
        raise UsageError(f"the temperature must be 0 to {HOTTEST:.0f}, not {temperature}")
    once = plan_fill(store, evaluation_id, ["verdicts"])
    (judging,) = once.stages
    further = range(1, times if temperature == 0 else times + 1)
    repeats = [Repeat(number, temperature) for number in further]
    return replace(
        once,
        name=f"{once.name}, {times} times each at temperature {temperature:g}",
        stages=(replace(judging, run=partial(_judge, once=judging.run, repeats=repeats)),),
        settle=partial(_settle, once=once),
    )


def _judge(context: Context, video: Video, *, once: StageFunction, repeats: Sequence[Repeat]) -> StageResults:
    results = once(context, video) or StageResults()
    first = context.runs["verdicts"]
    answers = [a for run in first.upstream for a in scoring.store_answers(context.store, video.id, run)]
    for repeat in repeats:
        run = repeat_run(first, repeat)
        context.caller.keep([run])
        context.system_runs.setdefault(SYSTEM, {})[run.id] = run
        results += scoring.judge_in_run(context, video, run, answers, verdict_prompt, repeat)
    return results


def repeat_run(first: Run, repeat: Repeat) -> Run:
    """Return the run of the first verdicts with another seed and temperature."""
    run = make_run(
        "verdicts",
        backend=first.backend,
        model=first.model,
        endpoint=first.endpoint,
        prompt_hash=first.prompt_hash,
        upstream=first.upstream,
        baseline=first.baseline,
        params={**first.params, "temperature": repeat.temperature, "repeat": repeat.number},
    )
    return replace(run, seed=repeat.number)


def _settle(context: Context, *, once: Plan) -> Evaluation | None:
    evaluation = once.settle(context)
    if evaluation:
        context.caller.keep(
            [
                EvaluationRun(
                    id=record_id("evr", evaluation.id, "repeats", run),
                    evaluation_id=evaluation.id,
                    role="repeats",
                    run_id=run,
                )
                for run in context.system_runs.get(SYSTEM, {})
            ]
        )
    return evaluation
