"""One question over HTTP: its findings, its exclusion, and who may exclude."""

from __future__ import annotations

from fastapi.testclient import TestClient

from annotation.records.captions_to_verdicts import Question
from annotation.store.store import Store
from tests.ui.test_routes import client, edit, store

__all__ = ["client", "store"]


def test_a_question_tells_what_speaks_against_it(client: TestClient, store: Store) -> None:
    question = store.find(Question)[0]
    path = f"/api/questions/{question.id}"
    assert client.get(path).json()["exclusion"] is None
    edit(client, ("question", question.id, "reference"), "a boat, is it not?")
    found = client.get(path).json()
    assert found["reference"]["value"] == "a boat, is it not?"
    [mark] = [f for f in found["findings"] if f["check"] == "question_mark_in_answer"]
    assert (mark["field"], mark["suspect"], bool(mark["why"])) == ("answer", True, True)
    assert found["ceiling"] is None
    assert client.get("/api/questions/qst-none").status_code == 404


def test_a_question_is_excluded_with_a_reason_and_comes_back(client: TestClient, store: Store) -> None:
    question = store.find(Question)[0]
    path = f"/api/questions/{question.id}"
    made = client.post(f"{path}/exclusion", json={"reason": "its answer is a placeholder"}).json()
    assert made["exclusion"]["reason"] == "its answer is a placeholder"
    assert made["exclusion"]["by"] == client.get("/api/me").json()["person"]["name"]
    assert client.get(path).json()["exclusion"] == made["exclusion"]
    assert client.post("/api/undo", json={}).json()["action"]["changes"][0]["kind"] == "exclusion"
    assert client.get(path).json()["exclusion"] is None
    client.post("/api/redo", json={})
    assert client.post(f"{path}/exclusion", json={}).json()["exclusion"] is None
    assert client.post(f"{path}/exclusion", json={"reason": "x" * 2001}).status_code == 422
