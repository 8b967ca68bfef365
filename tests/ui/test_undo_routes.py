"""Undo and redo through the routes: what they answer, and whom they refuse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from annotation.people.passwords import hash_password
from tests.bench import Bench
from tests.ui.test_routes import SAME_SITE, client, edit, store, verdict_of
from ui.auth.current_person import Account, AuthRules
from ui.web_app import build_app

__all__ = ["client", "store"]


def turn(client: TestClient, way: str, **body: object) -> dict | None:
    answer = client.post(f"/api/{way}", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()["action"]


def test_a_verdict_is_undone_and_redone(client: TestClient, bench: Bench) -> None:
    verdict = verdict_of(bench.store)
    subject = ("verdict", verdict.id, "verdict")
    machine = bench.store.current(*subject).value
    assert edit(client, subject, {"label": "no", "score": 1}).status_code == 200
    action = turn(client, "undo")
    assert action and action["what"].startswith("corrected the verdict on “")
    assert (action["video_id"], action["video_title"]) == (bench.video.id, bench.video.title)
    [change] = action["changes"]
    assert (change["kind"], change["subject"][0]) == ("opinion", verdict.id)
    assert bench.store.current(*subject).value == machine
    assert turn(client, "undo") is None
    again = turn(client, "redo")
    assert again and again["id"] == action["id"]
    assert bench.store.current(*subject).value == {"label": "no", "score": 1.0}


def test_saves_of_one_visit_are_one_step(client: TestClient, bench: Bench) -> None:
    verdict = verdict_of(bench.store)
    subject = ("answer", verdict.subject_id, "value")
    for n, value in enumerate(["a", "a b", "a b c"]):
        assert edit(client, subject, value, n, visit="v1").status_code == 200
    assert edit(client, subject, "a b c d", 3, visit="v2").status_code == 200
    listed = client.get("/api/actions").json()
    assert [action["state"] for action in listed] == ["done", "done"]
    turn(client, "undo")
    assert bench.store.current(*subject).value == "a b c"
    assert [action["state"] for action in client.get("/api/actions").json()] == ["undone", "done"]
    assert client.get("/api/actions", params={"video": "other"}).json() == []
    assert len(client.get("/api/actions", params={"limit": 1}).json()) == 1


@pytest.fixture
def two(bench: Bench) -> Iterator[tuple[TestClient, TestClient]]:
    """Two people at a locked door."""
    accounts = [Account(name, "annotator", hash_password("word-word")) for name in ("ada", "bo")]
    app = build_app(bench.workspace, bench.engines, AuthRules(accounts))
    with TestClient(app, headers=SAME_SITE) as one, TestClient(app, headers=SAME_SITE) as other:
        for found, name in ((one, "ada"), (other, "bo")):
            found.post("/login", data={"name": name, "password": "word-word"})
            assert found.get("/api/me").json()["person"]["name"] == name
        yield one, other


def test_what_somebody_else_changed_since_is_refused(
    two: tuple[TestClient, TestClient], bench: Bench
) -> None:
    one, other = two
    subject = ("answer", verdict_of(bench.store).subject_id, "value")
    assert edit(one, subject, "mine").status_code == 200
    assert turn(other, "undo") is None
    assert edit(other, subject, "theirs", 1).status_code == 200
    refused = one.post("/api/undo", json={})
    assert refused.status_code == 409
    assert refused.json()["error"].endswith("not undone; changed since by bo")
    assert bench.store.current(*subject).value == "theirs"
    assert turn(one, "undo") is None


def test_strangers_undo_nothing(two: tuple[TestClient, TestClient], bench: Bench) -> None:
    stranger = TestClient(two[0].app, headers=SAME_SITE)
    assert stranger.post("/api/undo", json={}).status_code == 401
    assert stranger.get("/api/actions").status_code == 401
