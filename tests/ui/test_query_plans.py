"""No request of a page and no import reads a whole table of results: SQLite finds each row by an index."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event, select

from annotation.store import tables as t
from annotation.store.bulk_rows import among
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry
from tests.annotation.store.made_verdicts import world
from tests.databases import new_workspace
from ui.web_app import build_app

LARGE = "current|verdict|answer|question|text|correction|model_call|segment|frame|alias"
SCANS = re.compile(rf"^SCAN ({LARGE})\b(?! USING (COVERING )?INDEX)")
"""Of a plan: the whole table is read. Over an index, as for a maximum, few rows may be."""


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    made = new_workspace(tmp_path / "workspace")
    made.store.add(world())
    yield made
    made.close()


@contextmanager
def statements(store: Store) -> Iterator[dict[str, Any]]:
    """What the block sends to the database, with the parameters of the first time."""
    found: dict[str, Any] = {}

    def note(_conn: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        if not many and statement.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE")):
            found.setdefault(statement, parameters)

    event.listen(store.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(store.engine, "before_cursor_execute", note)


def scans(store: Store, sent: dict[str, Any]) -> list[str]:
    """Statements that go over a whole large table, each with its plan."""
    found = []
    with store.reading() as conn:
        for statement, parameters in sent.items():
            plan = conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters).all()
            lines = [row[-1] for row in plan]
            if any(SCANS.match(line) for line in lines):
                found.append(f"{statement}\n{lines}")
    return found


def test_a_column_that_holds_one_of_many_ids_is_looked_up(space: Workspace) -> None:
    c = t.current.c
    found = among(c.question_id, ["qst-0-a-0"])
    for condition in (found, found & (c.field == "verdict"), found | among(c.slot, ["x"])):
        with statements(space.store) as sent, space.store.reading() as conn:
            assert conn.execute(select(c.subject_id).where(condition)).all() is not None
        assert scans(space.store, sent) == []
    with space.store.reading() as conn:
        everything = conn.scalars(select(c.subject_id)).all()
        mine = conn.scalars(select(c.subject_id).where(among(c.subject_id, everything[:3]))).all()
        others = conn.scalars(select(c.subject_id).where(~among(c.subject_id, everything[:3]))).all()
        flags = conn.scalars(select(among(c.subject_id, everything[:3]))).all()
    assert sorted([*mine, *others]) == sorted(everything)
    assert sum(map(bool, flags)) == len(mine)


def test_no_request_of_a_person_at_work_reads_a_whole_table(space: Workspace) -> None:
    app = build_app(space, lambda: None)  # type: ignore[arg-type,return-value]
    with TestClient(app, headers={"Sec-Fetch-Site": "same-origin"}) as client:
        for act in _actions(client):  # what is kept in memory is read whole, once
            act()
        with statements(space.store) as sent:
            for act in _actions(client):
                act()
    assert len(sent) > 40
    assert scans(space.store, sent) == []


def _actions(client: TestClient) -> list[Callable[[], Any]]:
    row = client.get("/api/verdicts", params={"evaluation": "evl-a"}).json()["rows"][0]
    verdict, question = row["verdict_id"], row["question_id"]

    def get(path: str, **query: str) -> dict[str, Any]:
        found: dict[str, Any] = client.get(path, params=query).raise_for_status().json()
        return found

    def save() -> None:
        now = get(f"/api/verdicts/{verdict}")["verdict"]
        label = "no" if now["value"]["label"] == "yes" else "yes"
        body = {
            "subject": now["subject"],
            "value": {"label": label, "score": 1},
            "base_revision": now["revision"],
        }
        client.post("/api/edit", json=body).raise_for_status()

    return [
        lambda: get(f"/api/verdicts/{verdict}", **{"with": "evl-b"}),
        save,
        lambda: client.post("/api/error-source", json={"verdict_id": verdict, "kind": "judge"}),
        lambda: client.post(f"/api/questions/{question}/exclude", json={"reason": "unfair"}),
        lambda: client.post("/api/undo", json={}).raise_for_status(),
        lambda: get("/api/verdicts", evaluation="evl-a", sort="mean"),
        lambda: get("/api/verdicts", evaluation="evl-a", flag="suspect"),
        lambda: get("/api/verdicts/next", evaluation="evl-a", at=verdict),
        lambda: get("/api/library"),
    ]


def test_an_import_looks_up_what_it_brings_and_nothing_else(space: Workspace, tmp_path: Path) -> None:
    asked = [{"question": f"What is Number {n}?", "answer": "a thing"} for n in range(9)]
    (tmp_path / "camera.jsonl").write_text(json.dumps({"new film": asked}), encoding="utf-8")
    with statements(space.store) as sent:
        batch = format_registry.read(tmp_path / "camera.jsonl", space.store)
        format_registry.commit(space.store, batch)
    # Names of videos are read whole: which video a file means is decided by all of them.
    left = [one for one in scans(space.store, sent) if "FROM alias" not in one]
    assert len(sent) > 5 and left == []
