"""Dailies on PostgreSQL: addresses, errors, and the whole way of the sample.

The tests in tests/annotation that ask for the fixture `store` run on PostgreSQL too.
"""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy

from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import Correction
from annotation.records.errors import FormatError
from annotation.records.runs import ModelCall
from annotation.records.videos import Video
from annotation.store.bulk_rows import among
from annotation.store.database import open_engine, open_to_read, schema_of
from annotation.store.store import Store
from annotation.store.tables import current
from annotation.workspace.backup import back_up, restore
from annotation.workspace.workspace import Workspace
from backends.errors import BackendUnavailable, UsageError
from tests.annotation.store.test_store import chain
from tests.app_process import run_app
from tests.bench import clip
from tests.old_workspaces import old_workspace

__all__ = ["clip"]

pytestmark = pytest.mark.engines
ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_the_usual_forms_of_the_address_work(postgres_database: str, scheme: str) -> None:
    store = Store(postgres_database.replace("postgresql", scheme, 1))
    assert store.add(chain()) == 7
    assert store.engine.dialect.driver == "psycopg"
    store.close()


def test_a_database_that_is_not_there_is_named_in_one_line(postgres_server: str) -> None:
    with pytest.raises(BackendUnavailable, match=r'"no_such" does not exist.*--database') as caught:
        Store(postgres_server.format(database="no_such"))
    assert "\n" not in str(caught.value)


def test_a_server_that_is_down_is_one_line_too() -> None:
    with pytest.raises(BackendUnavailable, match="that the server runs") as caught:
        Store("postgresql://me:secret@127.0.0.1:1/dailies")
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_missing_driver_is_answered_with_the_command() -> None:
    code = (
        "import sys; sys.modules['psycopg'] = None\n"
        "from annotation.store.store import Store; Store('postgresql://me@host/dailies')"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert "BackendUnavailable" in done.stderr.splitlines()[-1]
    assert "pip install -r requirements-postgres.txt" in done.stderr.splitlines()[-1]


def test_a_schema_from_the_future_is_refused(postgres_database: str) -> None:
    engine = open_engine(postgres_database)
    with engine.connect().execution_options(writes=True) as conn, conn.begin():
        conn.execute(sqlalchemy.text("UPDATE alembic_version SET version_num = '9999'"))
    engine.dispose()
    with pytest.raises(UsageError, match="newer version of Dailies"):
        open_engine(postgres_database)


def test_a_text_that_the_database_cannot_hold_is_refused_whole(postgres_database: str) -> None:
    store = Store(postgres_database)
    call = ModelCall(id="call-1", backend="b", model="m", request={}, reply="a\x00b", created_at=1.0)
    with pytest.raises(FormatError, match=r"ModelCall reply: .* cannot be stored"):
        store.add([*chain(), call])
    assert store.count(Verdict) == 0
    store.close()


def app(workspace: Path, database: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_app(*arguments, "--workspace", workspace, "--database", database)


def test_a_clip_and_the_sample_go_in_and_out(clip: Path, postgres_database: str, tmp_path: Path) -> None:
    """Every stage, import and export against one PostgreSQL database."""
    done = app(
        tmp_path / "w", postgres_database, "run", str(clip), "--speech", "none", "--ocr", "none", "--json"
    )
    assert done.returncode == 0, done.stderr
    (summary,) = json.loads(done.stdout)
    assert sum(summary["verdicts"].values()) == summary["questions"] > 0

    done = app(
        tmp_path / "w",
        postgres_database,
        "import",
        "sample/vdc_captions.jsonl",
        "sample/vdc_qa",
        "sample/evaluation",
        "--json",
    )
    assert done.returncode == 0, done.stderr
    out = tmp_path / "verdicts.csv"
    done = app(
        tmp_path / "w", postgres_database, "export", "verdicts-csv", str(out), "--evaluation", "hand-written"
    )
    assert done.returncode == 0, done.stderr
    assert len(out.read_text(encoding="utf-8-sig").splitlines()) > 40


def test_a_backup_of_an_old_workspace_does_not_upgrade_it(postgres_database: str, tmp_path: Path) -> None:
    old_workspace(tmp_path / "old", postgres_database)
    found = back_up(tmp_path / "old", tmp_path / "old.tar", postgres_database)
    reading = open_to_read(postgres_database)
    assert schema_of(reading) == "0012"
    reading.dispose()
    restore(tmp_path / "old.tar", tmp_path / "new")
    with closing(Store(postgres_database)) as upgraded, closing(Workspace(tmp_path / "new")) as again:
        assert found["rows"] > 1000
        for kind in (Video, Text, Verdict, Correction):
            ids = ({one.id for one in store.find(kind)} for store in (upgraded, again.store))
            assert len(set(map(frozenset, ids))) == 1


def test_ids_are_looked_up_and_not_compared_with_every_row(postgres_database: str) -> None:
    """PostgreSQL guesses their number wrong, and a large import met a table that nobody had analysed yet."""
    engine = open_engine(postgres_database)
    listed = among(current.c.subject_id, [f"ans-{n}" for n in range(10_000)])
    query = sqlalchemy.select(current.c.value).where(current.c.subject_type == "answer", listed)
    with engine.connect() as conn:
        words = str(query.compile(conn, compile_kwargs={"literal_binds": True}))
        plan = "\n".join(conn.exec_driver_sql(f"EXPLAIN {words}").scalars())
    engine.dispose()
    assert "InitPlan" in plan, plan
    assert "Join" not in plan, plan
    assert "Nested Loop" not in plan, plan
