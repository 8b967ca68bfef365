"""Excluded questions: the latest decision on each question wins, and an empty reason withdraws it."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, select

from annotation.records.decisions import Exclusion
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.rows import from_row
from annotation.store.store import Store


def exclusions(store: Store, question_ids: Iterable[str] | None = None) -> dict[str, Exclusion]:
    """Return the exclusions in force by question id, for these questions or for all."""
    with store.reading() as conn:
        return exclusions_in(conn, question_ids)


def exclusions_in(conn: Connection, question_ids: Iterable[str] | None = None) -> dict[str, Exclusion]:
    """Same as `exclusions`, inside a transaction."""
    return {key: row for key, row in _newest(conn, question_ids).items() if row.reason}


def newest_words(store: Store) -> dict[str, Exclusion]:
    """Return the latest decision on each question that has one, including decisions that withdraw it."""
    with store.reading() as conn:
        return _newest(conn, None)


def _newest(conn: Connection, question_ids: Iterable[str] | None) -> dict[str, Exclusion]:
    c = t.exclusion.c
    query = select(t.exclusion).order_by(c.created_at, c.id)
    groups = (
        [query]
        if question_ids is None
        else [query.where(among(c.question_id, g)) for g in chunks(question_ids)]
    )
    newest = {row["question_id"]: row for group in groups for row in conn.execute(group).mappings()}
    return {key: from_row(Exclusion, dict(row)) for key, row in newest.items()}
