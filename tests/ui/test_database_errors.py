"""Errors of the database as answers and on the command line: a bug keeps its traceback."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.workspace.workspace import Workspace
from tests.app_process import run_app
from ui.web_app import build_app


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace that lacks a table which every list of evaluations reads."""
    Workspace(tmp_path / "w").close()
    with closing(sqlite3.connect(tmp_path / "w" / "dailies.db")) as conn:
        conn.execute("DROP TABLE evaluation")
    return tmp_path / "w"


def test_an_answer_is_500_and_the_log_has_the_traceback(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(Workspace(folder)) as space:
        app = build_app(space, lambda: make_engines(EngineChoice(speech="none"), space))
        with caplog.at_level(logging.ERROR):
            answer = TestClient(app, raise_server_exceptions=False).get("/api/export/verdicts-csv/preview")
    assert answer.status_code == 500
    assert answer.json() == {"error": "internal error; the server's log has the details"}
    assert any("no such table" in str(record.exc_info) for record in caplog.records)


def test_a_command_ends_with_the_traceback(folder: Path) -> None:
    done = run_app("score", "vdc", "--workspace", folder)
    assert done.returncode == 1
    assert "Traceback" in done.stderr and "no such table: evaluation" in done.stderr
    assert "check the disk" not in done.stderr
