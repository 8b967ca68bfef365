"""Ceiling evaluations: the scores that the reference captions themselves reach.

A ceiling evaluation is a normal evaluation whose captions are the reference captions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import and_, select

from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.store import Store

BACKEND = "reference"
"""The backend of the run that represents the reference captions."""
MODEL = "reference caption"


@dataclass(frozen=True, slots=True)
class CeilingVerdict:
    """The judge's verdict on the answer that was extracted from a question's own reference caption."""

    verdict_id: str
    question_id: str
    answer: str
    state: str
    label: str
    score: float | None
    stale: bool
    """Whether the reference or the question has changed since."""

    @property
    def refused(self) -> bool:
        """Whether the judge's verdict is "no" and not stale."""
        return self.state == "done" and self.label == "no" and not self.stale


def ceiling_evaluations(store: Store) -> list[Evaluation]:
    """Return all ceiling evaluations, newest first."""
    runs = [run.id for run in store.find(Run, stage="captions", backend=BACKEND)]
    links = store.find(EvaluationRun, role="captions", run_id=runs) if runs else []
    ids = [link.evaluation_id for link in links]
    found = store.find(Evaluation, id=ids, order_by=["created_at"]) if ids else []
    return list(reversed(found))


def newest_ceiling(store: Store) -> Evaluation | None:
    """Return the newest ceiling that a model judged, else the newest one; None if there is none."""
    found = ceiling_evaluations(store)
    return next((e for e in found if not e.baseline), found[0] if found else None)


def counting_ceiling(store: Store) -> Evaluation | None:
    """Return the newest ceiling that a model judged, or None.

    The baseline only matches words, so its verdicts are not evidence against a question.
    """
    return next((e for e in ceiling_evaluations(store) if not e.baseline), None)


def refused_by_ceiling(store: Store, question_ids: Iterable[str] | None = None) -> dict[str, str]:
    """Return `{question id: refused answer}` of the newest ceiling that a model judged.

    Covers these questions, or all.
    """
    newest = counting_ceiling(store)
    found = ceiling_verdicts(store, newest.id, question_ids) if newest else {}
    return {key: verdict.answer for key, verdict in found.items() if verdict.refused}


def ceiling_verdicts(
    store: Store, evaluation_id: str, question_ids: Iterable[str] | None = None
) -> Mapping[str, CeilingVerdict]:
    """Return the current verdicts by question id, with people's corrections applied.

    Covers these questions, or all.
    """
    runs = [r.run_id for r in store.find(EvaluationRun, evaluation_id=evaluation_id, role="verdicts")]
    c, a, v = t.current.c, t.answer.c, t.current.alias("answer_now").c
    query = (
        select(c.subject_id, c.question_id, c.state, c.label, c.score, c.stale, v.value)
        .join(t.verdict, t.verdict.c.id == c.subject_id)
        .join(t.answer, and_(t.verdict.c.subject_type == "answer", a.id == t.verdict.c.subject_id))
        .join(v.subject_id.table, and_(v.subject_type == "answer", v.subject_id == a.id, v.field == "value"))
        .where(c.subject_type == "verdict", c.superseded.is_(False), c.run_id.in_(runs))
    )
    groups = (
        [query]
        if question_ids is None
        else [query.where(among(c.question_id, g)) for g in chunks(question_ids)]
    )
    with store.reading() as conn:
        rows: list[Any] = [row for group in groups for row in conn.execute(group)]
    return {
        row.question_id: CeilingVerdict(
            row.subject_id, row.question_id, str(row.value or ""), row.state, row.label, row.score, row.stale
        )
        for row in rows
    }
