"""Evaluations by name or id."""

from __future__ import annotations

from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation
from annotation.store.store import Store


def find_evaluation(store: Store, name_or_id: str) -> str:
    """The id of the evaluation with this name or id. Raises NotFound naming those there are."""
    found = store.find(Evaluation)
    for evaluation in found:
        if name_or_id in (evaluation.id, evaluation.name):
            return evaluation.id
    names = ", ".join(repr(e.name) for e in found) or "none yet"
    raise NotFound(f"no evaluation {name_or_id!r}; there are: {names}")
