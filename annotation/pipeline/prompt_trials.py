"""Tests a version of a prompt on labelled verdicts: one half to work with, the other held back until opened.

The runs are ordinary runs with this prompt. If the version is put into use, their replies are reused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from annotation.editing.write_prompt_versions import known_prompt, open_held_back
from annotation.pipeline.backfill_and_second_judge import runs_by_role
from annotation.pipeline.question_chains import ANSWERS, VERDICTS, verdict_prompt
from annotation.prompts.prompt_files import Prompt, Prompts
from annotation.records.captions_to_verdicts import Question
from annotation.records.decisions import Person
from annotation.records.prompt_versions import PromptVersion
from annotation.records.runs import Evaluation, Run, RunRole
from annotation.records.videos import Video
from annotation.scores.held_back_half import halves
from annotation.scores.scored_item import Item
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan
from annotation.store.store import Store
from annotation.store.verdicts.cached_score_items import kept_items
from annotation.systems.vdc import scoring_stages as scoring
from annotation.workspace.prompts_in_use import as_prompt
from annotation.workspace.workspace import Workspace
from backends.errors import UsageError

EXTRACTION = "vdc_answer"
OF_TRIAL = "prompt trial"
"""Key under which a pass stores the answers of each prompt."""


def labelled(store: Store, evaluation_id: str, prompt: str) -> dict[str, Item]:
    """Return the verdicts by this prompt that people have judged, by question. Raises NotFound."""
    store.get(Evaluation, evaluation_id)
    items = kept_items(store, evaluation_id).items
    found = {item.question: item for item in items if item.question and item.label_accuracy is not None}
    mine = [q.id for q in store.find(Question, id=sorted(found)) if verdict_prompt(q.kind) == judging(prompt)]
    return {question: found[question] for question in mine}


def judging(prompt: str) -> str:
    """Return the prompt whose verdicts measure this one: VDC's judge for the extractor, else itself.

    Raises UsageError.
    """
    return "vdc_verdict" if known_prompt(prompt) == EXTRACTION else prompt


@dataclass(frozen=True, slots=True)
class _Trial:
    """The questions and prompts of a trial."""

    questions: tuple[Question, ...]
    prompts: tuple[Prompt, ...]
    runs: Mapping[RunRole, tuple[Run, ...]]
    judged: str

    def each(self, context: Context) -> Iterator[Prompt]:
        """Yield the prompts one after the other, each set in the context of the pass."""
        usual = context.prompts
        for prompt in self.prompts:
            context.prompts = usual.with_([prompt])
            yield prompt
        context.prompts = usual

    def of(self, video: Video) -> list[Question]:
        return [question for question in self.questions if question.video_id == video.id]


def trial_of(
    space: Workspace,
    person: Person,
    evaluation_id: str,
    prompt: str,
    version: PromptVersion | None,
    *,
    held_back: bool = False,
) -> Plan:
    """Return `plan_trial` for one version (None: the usual prompt).

    Opening the held back half is recorded. The usual prompt is tested on it too, as a comparison.
    Raises as `plan_trial`, NotAllowed.
    """
    store, versions = space.store, [version]
    if held_back:
        if version is None:
            raise UsageError(
                "choose a version to test on the held back half; the usual prompt is tested with it"
            )
        versions = [None, version]
    plan = plan_trial(store, space.prompts, evaluation_id, prompt, versions, held_back=held_back)
    if held_back and version:
        questions = halves(labelled(store, evaluation_id, prompt))[True]
        open_held_back(store, person, prompt, version, evaluation_id, questions)
    return plan


def plan_trial(
    store: Store,
    files: Prompts,
    evaluation_id: str,
    prompt: str,
    versions: Sequence[PromptVersion | None],
    *,
    held_back: bool = False,
) -> Plan:
    """Plan to test each version (None: the prompt of the files) on one half of the labelled questions.

    Raises NotFound; UsageError if that half has no labels.
    """
    judged = judging(prompt)
    evaluation = store.get(Evaluation, evaluation_id)
    chosen = halves(labelled(store, evaluation_id, prompt))[held_back]
    if not chosen:
        half = "half held back" if held_back else "half to work with"
        raise UsageError(
            f"the {half} has no labelled verdict by {judged} yet; label some on the Verdicts page first"
        )
    questions = tuple(store.find(Question, id=sorted(chosen), order_by=["kind", "index"]))
    runs = runs_by_role(store, evaluation_id)
    read: RunRole = "captions" if prompt == EXTRACTION else "answers"
    if not runs[read]:
        raise UsageError(f"{evaluation.name} has no {read} to run again")
    asked = tuple(as_prompt(version) if version else files[prompt] for version in versions)
    trial = _Trial(questions, asked, runs, judged)
    answers = replace(ANSWERS, run=partial(_answers, trial=trial))
    verdicts = replace(VERDICTS, run=partial(_verdicts, trial=trial))
    return Plan(
        name=f"{' and '.join(one.label or 'the usual prompt' for one in asked)} on {len(questions)} labels",
        videos=tuple(store.find(Video, id=sorted({q.video_id for q in questions}), order_by=["title"])),
        stages=(answers, verdicts) if prompt == EXTRACTION else (verdicts,),
        settle=lambda _context: None,
    )


def _answers(context: Context, video: Video, *, trial: _Trial) -> StageResults:
    captions, results = trial.runs["captions"][-1], StageResults()
    for prompt in trial.each(context):
        results += scoring.answer_questions(context, video, captions.id, trial.of(video))
        context.system_runs.setdefault(OF_TRIAL, {})[prompt.hash] = context.runs["answers"]
    return results


def _verdicts(context: Context, video: Video, *, trial: _Trial) -> StageResults:
    ids, results = {question.id for question in trial.of(video)}, StageResults()
    for prompt in trial.each(context):
        own = context.system_runs.get(OF_TRIAL, {}).get(prompt.hash)
        runs = [own] if own else trial.runs["answers"]
        answers = [a for run in runs for a in scoring.store_answers(context.store, video.id, run.id)]
        mine = [answer for answer in answers if answer.question_id in ids]
        results += scoring.judge_answers(context, video, mine, trial.judged)
    return results
