"""`/healthz` and `/metrics`: who may look, and what is counted."""

from __future__ import annotations

import re

import pytest
from fastapi.testclient import TestClient

from annotation.people.passwords import hash_password
from tests.bench import Bench
from ui.auth.current_person import Account, AuthRules
from ui.web_app import build_app


def figures(client: TestClient, **headers: str) -> dict[str, float]:
    found = client.get("/metrics", headers=headers)
    assert found.status_code == 200, found.text
    lines = [line for line in found.text.splitlines() if not line.startswith("#")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_requests_jobs_and_videos_are_counted(bench: Bench) -> None:
    with TestClient(build_app(bench.workspace, bench.engines)) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        for path in ("/api/me", "/api/player/vid-none", "/api/player/vid-other", "/no/such/page"):
            client.get(path)
        found = figures(client)
    assert found['dailies_requests_total{method="GET",route="/api/me",status="200"}'] == 1
    assert found['dailies_requests_total{method="GET",route="/api/player/{video_id}",status="404"}'] == 2
    assert found["dailies_videos"] == 1
    assert found['dailies_stage_videos{stage="verdicts",state="done"}'] == 1
    assert found['dailies_request_seconds_count{route="/api/me"}'] == 1
    assert not [name for name in found if re.search("vid-|no/such", name)], "a client's path is no label"


def test_strangers_hear_that_it_works_and_nothing_else(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts = [Account(role, role, hash_password("correct horse")) for role in ("annotator", "researcher")]
    with TestClient(build_app(bench.workspace, bench.engines, AuthRules(accounts))) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.head("/healthz").status_code == 200
        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 401
        client.post("/login", data={"name": "annotator", "password": "correct horse"})
        assert client.get("/metrics").status_code == 403
        client.post("/logout")
        client.post("/login", data={"name": "researcher", "password": "correct horse"})
        assert "dailies_videos" in figures(client)
        client.post("/logout")
        monkeypatch.setenv("DAILIES_METRICS_TOKEN", "let me see")
        assert client.get("/metrics", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert "dailies_videos" in figures(client, Authorization="Bearer let me see")


def test_a_database_that_is_gone_is_said(bench: Bench) -> None:
    client = TestClient(build_app(bench.workspace, bench.engines))
    bench.workspace.store.engine.dispose()
    for file in bench.workspace.path.glob("dailies.db*"):
        file.unlink()
    (bench.workspace.path / "dailies.db").mkdir()
    assert client.get("/healthz").status_code == 503
