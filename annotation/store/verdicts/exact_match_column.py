"""Answers from the video that equal the reference answer, with the current texts of both."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, and_, exists, select

from annotation.records.system_facts import kinds_with
from annotation.scores.exact_match import exact_match
from annotation.store import tables as t
from annotation.store.bulk_rows import one_of


def exact_matches(
    conn: Connection, answer_runs: Sequence[str], video_ids: Collection[str] = ()
) -> dict[str, float]:
    """Return `{question id: 1 or 0}` for the questions about videos that these runs answered.

    Covers these videos, or all.
    """
    kinds = kinds_with("exact_match")
    if not conn.scalar(select(exists().where(t.question.c.kind.in_(kinds)))):
        return {}  # skips looking up the question of every answer
    said, reference = t.current.alias("said"), t.current.alias("reference")
    query = (
        select(t.answer.c.question_id, said.c.value, reference.c.value)
        .join(t.question, t.question.c.id == t.answer.c.question_id)
        .join(
            said,
            and_(
                said.c.subject_type == "answer",
                said.c.subject_id == t.answer.c.id,
                said.c.superseded.is_(False),
            ),
        )
        .join(
            reference,
            and_(
                reference.c.subject_type == "question",
                reference.c.subject_id == t.question.c.id,
                reference.c.field == "reference",
            ),
        )
        .where(t.answer.c.run_id.in_(answer_runs), t.question.c.kind.in_(kinds))
        .where((t.answer.c.state == "done") | said.c.corrected.is_(True))
    )
    if video_ids:
        query = query.where(one_of(t.answer.c.video_id, sorted(video_ids)))
    return {row[0]: float(exact_match(str(row[2]), str(row[1]))) for row in conn.execute(query)}
