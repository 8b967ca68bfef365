"""Databases that earlier releases made, with people's work in them."""

from __future__ import annotations

import gzip
import sqlite3
from pathlib import Path

import sqlalchemy as sa

RELEASES = ("0.1.0", "0.2.0")
"""Releases whose workspaces every later one upgrades."""


def dump_of(release: str) -> Path:
    """The sample through every stage of that release, and what people did to it, as SQLite dumps it."""
    return Path(__file__).parent / "annotation" / "store" / f"workspace_{release.replace('.', '_')}.sql.gz"


def old_workspace(folder: Path, database: str = "", release: str = "0.1.0") -> str:
    """The workspace of a release in a folder, or copied into an empty database; its URL."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "dailies.db"
    with sqlite3.connect(file) as conn:
        conn.executescript(gzip.decompress(dump_of(release).read_bytes()).decode())
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
