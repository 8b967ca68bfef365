"""Which text counts for a video, and which of its values: the machine's or a person's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import select

from annotation.records.allowed_values import SubjectType
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Correction, Person
from annotation.records.errors import NotFound
from annotation.records.ids import Json
from annotation.records.runs import Evaluation, EvaluationRun
from annotation.store import tables as t
from annotation.store.benchmark_of_evaluation import plain_evaluations
from annotation.store.bulk_rows import chunks
from annotation.store.rows import R, from_row
from annotation.store.store import Current, Store
from annotation.systems.carebench.text_that_counts import rank, standing
from backends.errors import UsageError
from exports.files.format_types import Values

BY_FLAG = "--evaluation (argument `evaluation`)"
"""How an evaluation is named on the command line, and to Python."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A text and its values."""

    text: Text
    now: Current

    def value(self, values: Values) -> str:
        return str(pick(self.now, values))


def pick(now: Current, values: Values) -> Json:
    """The value that is wanted."""
    return now.value if values == "current" else now.machine


def by_ids(store: Store, kind: type[R], ids: Iterable[str]) -> dict[str, R]:
    """Records of these ids, however many."""
    return {row.id: row for group in chunks(ids) for row in store.find(kind, id=list(group))}


def last_corrections(store: Store, subject_type: SubjectType) -> dict[tuple[str, str], Correction]:
    """`{(subject id, field): the correction that counts}`; cleared ones are left out."""
    counts = select(t.correction).join(t.current, t.current.c.correction_id == t.correction.c.id)
    mine = counts.where(t.current.c.subject_type == subject_type, t.current.c.corrected.is_(True))
    with store.reading() as conn:
        found = [from_row(Correction, row) for row in conn.execute(mine).mappings()]
    return {(c.subject_id, c.field): c for c in found}


def people(store: Store) -> dict[str, str]:
    """`{person id: name}`."""
    return {person.id: person.name for person in store.find(Person)}


def reference_texts(store: Store, kinds: Iterable[str], values: Values) -> Mapping[str, Mapping[str, Shown]]:
    """`{video id: {kind: text}}` that people and datasets wrote.

    Current: what is approved goes first, then a person's own text, then the dataset's, then what waits for
    approval; the newest of each. Machine: only datasets.
    """
    order = ["created_at", "id"]
    found = store.find(Text, kind=list(kinds), subject_type="video", run_id=None, order_by=order)
    chosen: dict[str, dict[str, Shown]] = defaultdict(dict)
    ranks = standing(store)
    for text, now in store.not_superseded(sorted(found, key=lambda text: rank(text, ranks))):
        if not (text.person_id and values == "machine"):
            chosen[text.video_id][text.kind] = Shown(text, now)
    return chosen


def run_texts(store: Store, run_ids: Iterable[str]) -> Mapping[str, Mapping[str, Shown]]:
    """`{video id: {kind: text}}` that these runs wrote about whole videos; superseded ones are left out."""
    found = store.find(Text, run_id=list(run_ids), subject_type="video", order_by=["created_at", "id"])
    chosen: dict[str, dict[str, Shown]] = defaultdict(dict)
    for text, now in store.not_superseded(found):
        chosen[text.video_id][text.kind] = Shown(text, now)
    return chosen


def load_evaluation(store: Store, wanted: str | None) -> Evaluation:
    """The record of an evaluation, by id or name; the only one there is when none is named.

    Raises UsageError or NotFound, naming those there are.
    """
    found = store.find(Evaluation, order_by=["created_at"])
    names = ", ".join(repr(e.name) for e in found) or "none yet"
    if wanted is None:
        plain = plain_evaluations(store)  # those of other benchmarks are asked for by name
        if len(plain) != 1:
            raise UsageError(f"name the evaluation with {BY_FLAG}; there are: {names}")
        return plain[0]
    for evaluation in found:
        if wanted in (evaluation.id, evaluation.name):
            return evaluation
    raise NotFound(f"there is no evaluation {wanted!r}; there are: {names}")


def runs_of(store: Store, evaluation: Evaluation, role: str) -> list[str]:
    """Ids of the runs with this role."""
    return [link.run_id for link in store.find(EvaluationRun, evaluation_id=evaluation.id, role=role)]
