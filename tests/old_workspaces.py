"""Databases that earlier releases made, with people's work in them."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import sqlalchemy as sa

DUMP = Path(__file__).parent / "annotation" / "store" / "workspace_0_1_0.sql.gz"
"""The sample through every stage of 0.1.0, and what two people did to it, as SQLite dumps it."""


def old_workspace(folder: Path, database: str = "") -> str:
    """The workspace of 0.1.0 in a folder, or copied into an empty database; its URL."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "dailies.db"
    with sqlite3.connect(file) as conn:
        conn.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    conn.close()
    if database.startswith("postgresql"):
        _copy(f"sqlite:///{file}", database)
        return database
    return f"sqlite:///{file}"


def _copy(source: str, target: str) -> None:
    known = sa.MetaData()
    here, there = sa.create_engine(source), sa.create_engine(target.replace("://", "+psycopg://", 1))
    with here.connect() as reading, there.begin() as writing:
        known.reflect(reading)
        known.create_all(writing)
        for table in known.sorted_tables:
            rows = [_without_nul(dict(row)) for row in reading.execute(sa.select(table)).mappings()]
            if rows:
                writing.execute(table.insert(), rows)
    here.dispose()
    there.dispose()


def _without_nul(row: dict[str, object]) -> dict[str, object]:
    """PostgreSQL never took NUL in a text."""
    return {name: value.replace("\0", "") if isinstance(value, str) else value for name, value in row.items()}
