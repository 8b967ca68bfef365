"""Finds the newest of several records about the same subject, which is the one that counts."""

from __future__ import annotations

import time
from typing import Any, Protocol

from sqlalchemy import Connection, select

from annotation.store import tables as t
from annotation.store.rows import R, from_row


def newest(conn: Connection, kind: type[R], **equals: Any) -> R | None:
    """Return the newest record whose columns equal the given values."""
    table = t.TABLE_OF[kind]
    query = select(table).order_by(table.c.created_at.desc(), table.c.id.desc()).limit(1)
    for name, value in equals.items():
        query = query.where(table.c[name] == value)
    row = conn.execute(query).mappings().one_or_none()
    return from_row(kind, row) if row else None


TICK_S = 1e-6
"""Seconds between two records with the same clock time."""


class _Dated(Protocol):
    @property
    def created_at(self) -> float: ...


def later_than(before: _Dated | None) -> float:
    """Return the current time, or a time just after `before` if its clock was ahead.

    Call it inside the write transaction, so that the first writer gets the earlier time.
    """
    return max(time.time(), before.created_at + TICK_S if before else 0.0)
