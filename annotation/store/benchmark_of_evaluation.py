"""The benchmark of an evaluation that does not consist of questions and answers.

Verdicts of CapST, Vript-Hard and similar benchmarks are not about answers. Their evaluations have separate
pages and tables, and the lists of VDC and Video-MMLU leave them out. Their runs name the benchmark in
`params["system"]`.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation
from annotation.store import tables as t
from annotation.store.evaluation_by_name import find_evaluation
from annotation.store.store import Store
from backends.errors import UsageError

SYSTEM = "system"
"""The run parameter that names the benchmark: `{"system": "capst"}`."""


def systems_of_evaluations(store: Store) -> dict[str, str]:
    """Return `{evaluation id: system}`, without the evaluations of VDC and Video-MMLU."""
    link, run = t.evaluation_run.c, t.run.c
    query = select(link.evaluation_id, run.params).join(t.run, run.id == link.run_id)
    with store.reading() as conn:
        rows = conn.execute(query).all()
    return {row[0]: str(row[1][SYSTEM]) for row in rows if (row[1] or {}).get(SYSTEM)}


def evaluations_of(store: Store, *systems: str) -> list[Evaluation]:
    """Return the evaluations of these benchmarks, newest first, with the baselines last."""
    known = systems_of_evaluations(store)
    ids = [evaluation_id for evaluation_id, system in known.items() if system in systems]
    found = store.find(Evaluation, id=ids) if ids else []
    return sorted(found, key=lambda e: (e.baseline, -e.created_at))


def plain_evaluations(store: Store) -> list[Evaluation]:
    """Return the evaluations of questions and answers (VDC, Video-MMLU), oldest first."""
    known: Collection[str] = systems_of_evaluations(store)
    return [e for e in store.find(Evaluation, order_by=["created_at"]) if e.id not in known]


def find_of_questions(store: Store, name_or_id: str) -> str:
    """Return the id of an evaluation of questions and answers.

    Raises NotFound, and UsageError for an evaluation of another benchmark.
    """
    found = find_evaluation(store, name_or_id)
    if system := systems_of_evaluations(store).get(found):
        raise UsageError(
            f"{name_or_id!r} is an evaluation of {system}, not of questions and answers; print its scores "
            f"with: python app.py score {system} --evaluation {found}"
        )
    return found


def find_of(store: Store, system: str, wanted: str = "") -> Evaluation:
    """Return the evaluation of a benchmark with this id or name; the newest if no name is given.

    Raises NotFound with the list of existing names, and UsageError if the benchmark has no evaluation.
    """
    found = evaluations_of(store, system)
    if not found:
        raise UsageError(f"there is no evaluation of {system} yet")
    if not wanted:
        return found[0]
    for evaluation in found:
        if wanted in (evaluation.id, evaluation.name):
            return evaluation
    names = ", ".join(repr(e.name) for e in found)
    others = {e.id: e.name for e in store.find(Evaluation, id=wanted)}
    raise NotFound(f"there is no evaluation {others.get(wanted, wanted)!r} of {system}; there are: {names}")
