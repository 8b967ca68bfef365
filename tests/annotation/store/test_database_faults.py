"""Which errors of a database are faults of its file or server, and which are bugs in a statement."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DatabaseError

from annotation.store.database import is_database_fault


def refusal(url: str, statement: str) -> DatabaseError:
    engine = create_engine(url, connect_args={"timeout": 0} if url.startswith("sqlite") else {})
    try:
        with pytest.raises(DatabaseError) as caught, engine.connect() as conn:
            conn.execute(text(statement))
        return caught.value
    finally:
        engine.dispose()


@pytest.mark.parametrize("statement", ["SELECT * FROM not_there", "SELEC 1", "INSERT INTO one VALUES (1)"])
def test_a_wrong_statement_is_a_bug(tmp_path: Path, statement: str) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    engine = create_engine(url)
    with engine.begin() as conn:
        conn.execute(text("CREATE TABLE one (id INTEGER PRIMARY KEY)"))
        conn.execute(text("INSERT INTO one VALUES (1)"))
    engine.dispose()
    assert not is_database_fault(refusal(url, statement))


def test_a_file_that_cannot_be_used_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database, but a text of some length" * 50)
    read = "SELECT * FROM sqlite_master"
    assert is_database_fault(refusal(f"sqlite:///{tmp_path / 'text.db'}", read))
    assert is_database_fault(refusal(f"sqlite:///{tmp_path / 'no' / 'a.db'}", read))
    engine = create_engine(f"sqlite:///{tmp_path / 'held.db'}")
    with engine.connect() as conn:
        conn.exec_driver_sql("BEGIN EXCLUSIVE")
        assert is_database_fault(refusal(f"sqlite:///{tmp_path / 'held.db'}", read))
    engine.dispose()


@pytest.mark.engines
def test_of_a_server_its_connections_are_faults_and_statements_are_not(postgres_database: str) -> None:
    url = postgres_database.replace("postgresql:", "postgresql+psycopg:")
    for statement in ("SELECT * FROM not_there", "SELEC 1", "SELECT 'a'::integer"):
        assert not is_database_fault(refusal(url, statement)), statement
    assert is_database_fault(refusal(url, "SELECT pg_terminate_backend(pg_backend_pid())"))
    assert is_database_fault(refusal(url, "SET statement_timeout = 1; SELECT pg_sleep(9)"))
    assert is_database_fault(refusal("postgresql+psycopg://me@127.0.0.1:1/dailies", "SELECT 1"))
