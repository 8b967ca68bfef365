"""Find evaluations by name or id, and record what their runs cost."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select, update

from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation
from annotation.store import tables as t
from annotation.store.store import Store


def find_evaluation(store: Store, name_or_id: str) -> str:
    """Return the id of the evaluation with this name or id. Raises NotFound with the existing names."""
    return evaluation_named(store, name_or_id).id


def evaluation_named(store: Store, name_or_id: str) -> Evaluation:
    """Return the record of the evaluation with this name or id. Raises NotFound with the existing names."""
    found = store.find(Evaluation, order_by=["created_at"])
    for evaluation in found:
        if name_or_id in (evaluation.id, evaluation.name):
            return evaluation
    names = ", ".join(repr(e.name) for e in found) or "none yet"
    raise NotFound(f"there is no evaluation {name_or_id!r}; there are: {names}")


def add_took(store: Store, run_id: str, took: Mapping[str, float]) -> None:
    """Add numbers to `took` of a run, name by name. Several processes may work on one run."""
    with store.writing() as conn:
        known = conn.scalar(select(t.run.c.took).where(t.run.c.id == run_id)) or {}
        whole = {name: known.get(name, 0) + value for name, value in took.items()}
        conn.execute(update(t.run).where(t.run.c.id == run_id).values(took=whole))
