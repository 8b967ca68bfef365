"""The systems whose questions a video has, and the stages that they share: captions to verdicts.

Every video has the chain of the first system, unless all its questions come from others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial

from annotation.pipeline.system_list import SYSTEMS
from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.runs import Evaluation, Run
from annotation.records.system_facts import text_facts
from annotation.records.videos import Video
from annotation.scores.scored_item import Item
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import StageSpec
from annotation.stages.system_spec import QuestionChain
from annotation.store.store import Store
from annotation.store.verdicts.score_items import evaluations_on

CHAINS: tuple[QuestionChain, ...] = tuple(system.chain for system in SYSTEMS if system.chain)
FIRST, *OTHERS = CHAINS


def chains_of(store: Store, video_id: str) -> list[QuestionChain]:
    """Return the chains of a video, from the questions and the reference captions of datasets."""
    kinds = {q.kind for q in store.find(Question, video_id=video_id) if q.dataset_id}
    kinds |= {t.kind for t in store.find(Text, video_id=video_id) if t.dataset_id}
    found = [chain for chain in CHAINS if any(kind.startswith(chain.prefix) for kind in kinds)]
    return found if any(chain in OTHERS for chain in found) else [FIRST]


def chain_of(kind: str) -> QuestionChain:
    """Return the chain of a kind of question; the first one for kinds of no system."""
    return next((chain for chain in CHAINS if kind.startswith(chain.prefix)), FIRST)


def chain_of_all(questions: Sequence[Question]) -> QuestionChain:
    """Return the chain of these questions. Those of one evaluation belong to one chain."""
    return next((chain for q in questions if (chain := chain_of(q.kind)) in OTHERS), FIRST)


def chain_of_items(items: Iterable[Item]) -> QuestionChain:
    """Return the chain of the questions behind these items to score."""
    parts = {item.aspect for item in items}
    return next(
        (chain for chain in OTHERS if any(chain.prefix + part in text_facts() for part in parts)), FIRST
    )


def chain_of_evaluation(store: Store, evaluation_id: str) -> QuestionChain:
    """Return the chain of an evaluation."""
    return next((c for c in OTHERS if evaluation_id in evaluations_on(store, kinds_of(c))), FIRST)


def kinds_of(chain: QuestionChain) -> list[str]:
    """Return the kinds of its questions."""
    return [kind for kind in text_facts() if kind.startswith(chain.prefix)]


def verdict_prompt(kind: str) -> str:
    """Return the name of the prompt that judges answers to questions of this kind."""
    return chain_of(kind).verdict_prompt(kind)


def shared(spec: StageSpec) -> StageSpec:
    """Return the stage as it runs for every chain that has it; other stages are returned unchanged."""
    return replace(spec, run=partial(_run, spec.name)) if spec.name in FIRST.stages else spec


def _run(name: str, context: Context, video: Video) -> StageResults:
    results = StageResults()
    for chain in chains_of(context.store, video.id):
        results += chain.stages[name](context, video) or StageResults()
    return results


QUESTIONS, ANSWERS, VERDICTS = (
    shared(spec)
    for system in SYSTEMS
    if system.chain is FIRST
    for spec in system.stages
    if spec.name in ("questions", "answers", "verdicts")
)


# --- again, for questions that a person chose -------------------------------------------


def answer_and_judge(
    context: Context, video: Video, captions: Run, questions: Sequence[Question]
) -> StageResults:
    """Answer these questions again, from the current captions of one run, and judge the answers."""
    return chain_of_all(questions).answer_again(context, video, captions, questions)


def name_again(context: Context, name: str) -> Evaluation:
    """Return the evaluation of the new results: the same one if the engines are the same."""
    chain = next((chain for chain in OTHERS if chain.has_run(context)), FIRST)
    return chain.name_evaluation(context, name)
