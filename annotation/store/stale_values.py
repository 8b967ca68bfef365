"""Stale values: values whose source has been corrected since they were made.

After a change of one value, the values made from it are marked as stale or fresh by comparing
fingerprints. All functions run inside a transaction of the store.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, and_, select, update

from annotation.records import fingerprints
from annotation.records.ids import Json
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks

CURRENT = t.current.c


def refresh_made_from(conn: Connection, subject_type: str, subject_id: str) -> None:
    """Recompute `stale` for everything made from a value that has changed."""
    if subject_type == "text":
        _refresh_users_of_text(conn, subject_id)
    elif subject_type == "question":
        refresh(conn, answers=_ids(conn, select(t.answer.c.id).where(t.answer.c.question_id == subject_id)))
    elif subject_type == "answer":
        refresh(conn, verdicts=_verdicts_of(conn, [subject_id]))


def _refresh_users_of_text(conn: Connection, text_id: str) -> None:
    refresh(
        conn,
        texts=_ids(conn, select(t.text.c.id).where(t.text.c.source_text_id == text_id)),
        questions=_ids(conn, select(t.question.c.id).where(t.question.c.source_text_id == text_id)),
        answers=_ids(conn, select(t.answer.c.id).where(t.answer.c.text_id == text_id)),
    )


def _ids(conn: Connection, query: Any) -> list[str]:
    return list(conn.scalars(query).all())


def _verdicts_of(conn: Connection, answer_ids: Iterable[str]) -> list[str]:
    found: list[str] = []
    for ids in chunks(answer_ids):
        where = and_(t.verdict.c.subject_type == "answer", among(t.verdict.c.subject_id, ids))
        found += _ids(conn, select(t.verdict.c.id).where(where))
    return found


def refresh(
    conn: Connection,
    *,
    texts: Sequence[str] = (),
    questions: Sequence[str] = (),
    answers: Sequence[str] = (),
    verdicts: Sequence[str] = (),
) -> None:
    """Recompute `stale` for these values, and for the verdicts on these answers."""
    for ids in chunks(texts):
        _mark(conn, "text", _derived_from_text(conn, t.text, ids))
    for ids in chunks(questions):
        _mark(conn, "question", _derived_from_text(conn, t.question, ids))
    for ids in chunks(answers):
        _mark(conn, "answer", _stale_answers(conn, ids))
    for ids in chunks([*verdicts, *_verdicts_of(conn, answers)]):
        _mark(conn, "verdict", _stale_verdicts(conn, ids))


def _mark(conn: Connection, subject_type: str, stale: Mapping[str, bool]) -> None:
    for value in (True, False):
        for ids in chunks(i for i, is_stale in stale.items() if is_stale is value):
            where = and_(CURRENT.subject_type == subject_type, among(CURRENT.subject_id, ids))
            conn.execute(update(t.current).where(where, CURRENT.stale != value).values(stale=value))


def _current_values(
    conn: Connection, subject_type: str, field: str, ids: Iterable[str]
) -> dict[str, tuple[Json, bool]]:
    """Return `{subject id: (value, stale)}`."""
    found: dict[str, tuple[Json, bool]] = {}
    for group in chunks(ids):
        query = select(CURRENT.subject_id, CURRENT.value, CURRENT.stale).where(
            CURRENT.subject_type == subject_type, CURRENT.field == field, among(CURRENT.subject_id, group)
        )
        found.update({subject: (value, stale) for subject, value, stale in conn.execute(query).all()})
    return found


def _derived_from_text(conn: Connection, table: Any, ids: Sequence[str]) -> dict[str, bool]:
    query = select(table.c.id, table.c.source_text_id, table.c.source_hash).where(
        among(table.c.id, ids), table.c.source_text_id.is_not(None)
    )
    rows = conn.execute(query).all()
    sources = _current_values(conn, "text", "value", [row.source_text_id for row in rows])
    return {
        row.id: bool(row.source_hash)
        and row.source_text_id in sources
        and fingerprints.of_text(sources[row.source_text_id][0]) != row.source_hash
        for row in rows
    }


def _stale_answers(conn: Connection, ids: Sequence[str]) -> dict[str, bool]:
    a = t.answer.c
    rows = conn.execute(select(a.id, a.text_id, a.question_id, a.source_hash).where(among(a.id, ids))).all()
    captions = _current_values(conn, "text", "value", [row.text_id for row in rows if row.text_id])
    questions = _current_values(conn, "question", "text", [row.question_id for row in rows])
    return {
        row.id: bool(row.source_hash)
        and fingerprints.of_answer(captions.get(row.text_id, ("",))[0], questions[row.question_id][0])
        != row.source_hash
        for row in rows
    }


def _stale_verdicts(conn: Connection, ids: Sequence[str]) -> dict[str, bool]:
    j, a = t.verdict.c, t.answer.c
    query = (
        select(j.id, j.source_hash, a.id.label("answer_id"), a.question_id)
        .join(t.answer, and_(j.subject_type == "answer", j.subject_id == a.id))
        .where(among(j.id, ids))
    )
    rows = conn.execute(query).all()
    answers = _current_values(conn, "answer", "value", [row.answer_id for row in rows])
    questions = _current_values(conn, "question", "text", [row.question_id for row in rows])
    references = _current_values(conn, "question", "reference", [row.question_id for row in rows])
    stale: dict[str, bool] = {}
    for row in rows:
        value, answer_is_stale = answers[row.answer_id]
        now = fingerprints.of_verdict(questions[row.question_id][0], references[row.question_id][0], value)
        stale[row.id] = answer_is_stale or (bool(row.source_hash) and now != row.source_hash)
    return stale
