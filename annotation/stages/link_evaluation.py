"""Groups the runs of a pass into a named evaluation, to be viewed, scored and compared."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from annotation.records.ids import record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run, RunRole
from annotation.store.store import Store
from annotation.workspace.prompts_in_use import labels_by_hash, others_among
from backends.digest import digest


def link_evaluation(store: Store, runs: Sequence[tuple[RunRole, Run]], wanted: str) -> Evaluation:
    """Create the evaluation of these runs. Its name includes the versions of prompts.

    If another evaluation has the name, the source of the questions or the time of the run is added to it.
    """
    evaluation_id = record_id("evl", *(run.id for _, run in runs))
    others = others_among(runs, labels_by_hash(store))
    wanted = ", ".join([wanted, *(f"{one.role}'s prompt {one.label}" for one in others if one.label)])
    with store.writing():  # Another pass, here or in another process, may use the same name at the same time.
        return _named(store, evaluation_id, runs, wanted)


def _named(store: Store, evaluation_id: str, runs: Sequence[tuple[RunRole, Run]], wanted: str) -> Evaluation:
    taken = {e.name for e in store.find(Evaluation) if e.id != evaluation_id}
    name = next(name for name in _names(wanted, evaluation_id, runs) if name not in taken)
    evaluation = Evaluation(
        id=evaluation_id, name=name, created_at=time.time(), baseline=any(run.baseline for _, run in runs)
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


def _names(wanted: str, evaluation_id: str, runs: Sequence[tuple[RunRole, Run]]) -> Iterator[str]:
    """Yield possible names, the shortest first. The last one has a hash to make it unique."""
    yield wanted
    writers = sorted({run.model for role, run in runs if role == "questions"})
    yield f"{wanted} ({'questions by ' + ', '.join(writers) if writers else 'questions of the reference'})"
    latest = max(run.created_at for _, run in runs)
    for form in ("%H:%M UTC", "%H:%M:%S UTC"):
        yield f"{wanted} ({datetime.fromtimestamp(latest, UTC).strftime(form)})"
    yield f"{wanted} ({digest(evaluation_id)[:4]})"


def default_name(benchmark: str, captions: Run | None, verdicts: Run) -> str:
    """Return the model under test, the benchmark with the day of the verdicts, and the judge if it differs.

    Example: `gpt-4o, VDC 2026-11-25, judged by llama`.
    """
    captioner = captions.model if captions else "imported captions"
    day = datetime.fromtimestamp(verdicts.created_at, UTC).strftime("%Y-%m-%d")
    name = f"{captioner}, {benchmark} {day}"
    return name if captioner == verdicts.model else f"{name}{JUDGED_BY}{verdicts.model}"


JUDGED_BY = ", judged by "
RUN_ROLES: tuple[RunRole, ...] = ("captions", "questions", "answers", "verdicts")
