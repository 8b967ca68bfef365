"""Two app processes on one PostgreSQL: what somebody decides at one shows at the other within two seconds."""

from __future__ import annotations

import http.client
import json
import time
from pathlib import Path
from typing import Any

import pytest

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from backends.chat.ports import free_port
from tests.app_process import AppProcess
from tests.judged_sample import sample_workspace
from ui.auth.current_person import COOKIE

pytestmark = pytest.mark.engines
START_S = 120
SHOWN_S = 2


def connected(port: int) -> http.client.HTTPConnection:
    """To an app that is starting."""
    end = time.monotonic() + START_S
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        try:
            connection.connect()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)
        else:
            return connection


def event(stream: http.client.HTTPResponse, name: str) -> dict[str, Any]:
    """The next of this name."""
    while line := stream.readline():
        if line == f"event: {name}\n".encode():
            return dict(json.loads(stream.readline().removeprefix(b"data: ")))
    raise AssertionError(f"the stream ended without {name!r}")


def decide(port: int, who: Person, verdict: str) -> None:
    """What the page of Verdicts sends for a correction."""
    connection = connected(port)
    sent = {
        "subject": ["verdict", verdict, "verdict"],
        "value": {"label": "no", "score": 1},
        "base_revision": 0,
        "reason": "not in the frames",
    }
    headers = {"X-Dailies": "1", "Content-Type": "application/json", "Cookie": f"{COOKIE}={who.id}"}
    connection.request("POST", "/api/edit", json.dumps(sent), headers)
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()


def test_a_decision_at_one_server_is_told_at_the_other(postgres_database: str, tmp_path: Path) -> None:
    workspace = sample_workspace(tmp_path / "workspace", postgres_database)
    ana = workspace.add_person("ana", "annotator")
    verdict = workspace.store.find(Verdict)[0]
    workspace.close()
    words = ("serve", "--workspace", tmp_path / "workspace", "--database", postgres_database, "--port")
    here, there = free_port(), free_port()
    with AppProcess(*words, here) as one, AppProcess(*words, there) as other:
        try:
            connected(there).close()
            listening = connected(here)
            listening.request("GET", "/api/events")
            stream = listening.getresponse()
            event(stream, "hello")
            before = time.monotonic()
            decide(there, ana, verdict.id)
            changed = event(stream, "changed")
            took = time.monotonic() - before
        finally:
            one.kill()
            other.kill()
    assert (changed["videos"], changed["by"]) == ([verdict.video_id], ["ana"])
    assert took < SHOWN_S
