"""Evaluations: the runs of a pass under a name, so that they can be looked at, scored and compared."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Literal

from annotation.records.ids import record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.store.store import Store
from annotation.workspace.prompt_versions import labels_by_hash, others_among
from backends.digest import digest

RunRole = Literal["captions", "questions", "answers", "elements", "verdicts", "repeats"]


def link_evaluation(store: Store, runs: Sequence[tuple[RunRole, Run]], wanted: str) -> Evaluation:
    """The evaluation of these runs, named after versions of prompts too; a name that is taken is marked."""
    evaluation_id = record_id("evl", *(run.id for _, run in runs))
    others = others_among(runs, labels_by_hash(store))
    wanted = ", ".join([wanted, *(f"{one.role}'s prompt {one.label}" for one in others if one.label)])
    with store.writing():  # what ends at the same moment, here or elsewhere, may want the same name
        return _named(store, evaluation_id, runs, wanted)


def _named(store: Store, evaluation_id: str, runs: Sequence[tuple[RunRole, Run]], wanted: str) -> Evaluation:
    taken = {e.name for e in store.find(Evaluation) if e.id != evaluation_id}
    if wanted in taken:
        wanted = f"{wanted} ({digest(evaluation_id)[:4]})"
    evaluation = Evaluation(
        id=evaluation_id, name=wanted, created_at=time.time(), baseline=any(run.baseline for _, run in runs)
    )
    links = [
        EvaluationRun(
            id=record_id("evr", evaluation_id, role, run.id),
            evaluation_id=evaluation_id,
            role=role,
            run_id=run.id,
        )
        for role, run in runs
    ]
    store.add([evaluation, *links])
    return evaluation


def default_name(captions: Run | None, verdicts: Run) -> str:
    """The model under test, and the judge where it is another."""
    captioner = captions.model if captions else "imported captions"
    return captioner if captioner == verdicts.model else f"{captioner}, judged by {verdicts.model}"


RUN_ROLES: tuple[RunRole, ...] = ("captions", "questions", "answers", "verdicts")
