"""Lookups that exports share: evaluations, corrections, and the machine's or the current value."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select

from annotation.records.allowed_values import SubjectType
from annotation.records.decisions import Correction, Person
from annotation.records.ids import Json
from annotation.records.runs import Evaluation
from annotation.store import tables as t
from annotation.store.benchmark_of_evaluation import plain_evaluations
from annotation.store.bulk_rows import chunks
from annotation.store.evaluation_by_name import evaluation_named
from annotation.store.rows import R, from_row
from annotation.store.store import Current, Store
from annotation.texts.which_text_counts import Values
from backends.errors import UsageError

BY_FLAG = "--evaluation (argument `evaluation`)"
"""How the command line and the Python API name an evaluation."""


def pick(now: Current, values: Values) -> Json:
    """Return the current or the machine's value."""
    return now.value if values == "current" else now.machine


def by_ids(store: Store, kind: type[R], ids: Iterable[str]) -> dict[str, R]:
    """Return the records with these ids, queried in chunks."""
    return {row.id: row for group in chunks(ids) for row in store.find(kind, id=list(group))}


def last_corrections(store: Store, subject_type: SubjectType) -> dict[tuple[str, str], Correction]:
    """Return `{(subject id, field): the correction that counts}`, without cleared corrections."""
    counts = select(t.correction).join(t.current, t.current.c.correction_id == t.correction.c.id)
    mine = counts.where(t.current.c.subject_type == subject_type, t.current.c.corrected.is_(True))
    with store.reading() as conn:
        found = [from_row(Correction, row) for row in conn.execute(mine).mappings()]
    return {(c.subject_id, c.field): c for c in found}


def people(store: Store) -> dict[str, str]:
    """Return `{person id: name}`."""
    return {person.id: person.name for person in store.find(Person)}


def load_evaluation(store: Store, wanted: str | None) -> Evaluation:
    """Return an evaluation by id or name, or the only evaluation if no name is given.

    Raises UsageError or NotFound with the names of the existing evaluations.
    """
    if wanted is not None:
        return evaluation_named(store, wanted)
    plain = plain_evaluations(store)  # evaluations of other benchmarks must be named
    if len(plain) != 1:
        found = store.find(Evaluation, order_by=["created_at"])
        names = ", ".join(repr(one.name) for one in found) or "none yet"
        raise UsageError(f"name the evaluation with {BY_FLAG}; existing evaluations: {names}")
    return plain[0]
