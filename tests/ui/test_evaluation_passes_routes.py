"""Passes over evaluations, started from a page: what is planned, what comes of it, and who may."""

from __future__ import annotations

import time
from typing import Any

import pytest
from fastapi.testclient import TestClient

from annotation.people.passwords import hash_password
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import Evaluation
from annotation.records.videos import Dataset
from tests.bench import Bench
from tests.chat_server import ChatServer, normal
from tests.ui.test_routes import SAME_SITE, client, store
from ui.auth.current_person import Account, AuthRules
from ui.web_app import build_app

__all__ = ["client", "store"]


def finished(client: TestClient, job: dict[str, Any]) -> dict[str, Any]:
    for _ in range(2400):
        now = next(j for j in client.get("/api/jobs").json() if j["id"] == job["id"])
        if now["finished"]:
            return dict(now)
        time.sleep(0.1)
    raise AssertionError("the job does not end")


def test_what_would_run_is_told_before_it_runs(client: TestClient, bench: Bench) -> None:
    [evaluation] = bench.store.find(Evaluation)
    body = {"what": "fill", "evaluation": evaluation.id}
    found = client.post("/api/scoring/plan", json=body).json()
    assert (found["stages"], found["videos"], found["name"]) == (
        ["verdicts"],
        1,
        f"verdicts of {evaluation.name}",
    )
    assert found["engines"] == [{"stage": "verdicts", "model": "baseline", "baseline": True}]
    assert (found["estimate"]["calls"], found["estimate"]["cost"]) == (0, None)  # it is the baseline's
    refused = client.post("/api/scoring/plan", json={"what": "ceiling"})
    assert (refused.status_code, "reference caption" in refused.json()["error"]) == (400, True)
    assert client.post("/api/scoring/plan", json={"what": "x"}).status_code == 422
    assert client.post("/api/scoring/plan", json=body | {"evaluation": "evl-no"}).status_code == 404


def test_a_pass_is_a_job_that_names_the_evaluation(client: TestClient, bench: Bench) -> None:
    [evaluation] = bench.store.find(Evaluation)
    body = {"what": "fill", "evaluation": evaluation.id, "stages": ["answers", "verdicts"]}
    started = client.post("/api/scoring/start", json=body).json()
    assert started["plan"] == f"answers and verdicts of {evaluation.name}"
    ended = finished(client, started)
    assert (ended["state"], ended["problems"]) == ("done", [])
    # The engines are the same: the evaluation itself holds the results already.
    assert ended["evaluation"] == evaluation.id


def test_a_job_is_estimated_capped_and_says_what_it_took(bench: Bench) -> None:
    with ChatServer(normal("A texture fills the picture.")) as server:
        specs = {"captioner": server.spec}
        app = build_app(bench.workspace, lambda: bench.engines(**specs))
        with TestClient(app, headers=SAME_SITE) as page:
            body: dict[str, Any] = {"videos": [bench.video.id], "stages": ["captions"]}
            told = page.post("/api/jobs/estimate", json=body).json()
            assert (told["calls"], told["lines"][0]["pictures"]) == (5, 80)
            for wrong in ({"most_calls": 0}, {"most_cost": -1}, {"most_calls": "many"}):
                assert page.post("/api/jobs", json=body | wrong).status_code == 422
            ended = finished(page, page.post("/api/jobs", json=body | {"most_calls": 2}).json())
            assert ended["state"] == "stopped" and ended["took"].startswith("2 calls, ")
            assert ended["problems"] == [
                "the cap of 2 calls is reached; finished work is kept, and another run continues from there"
            ]
            assert page.post("/api/jobs/estimate", json=body).json()["calls"] == 3


@pytest.mark.parametrize("path", ["plan", "start"])
def test_annotators_run_nothing(bench: Bench, path: str) -> None:
    account = Account("ada", "annotator", hash_password("word-word"))
    with TestClient(
        build_app(bench.workspace, bench.engines, AuthRules([account])), headers=SAME_SITE
    ) as one:
        one.post("/login", data={"name": "ada", "password": "word-word"})
        assert one.post(f"/api/scoring/{path}", json={"what": "ceiling"}).status_code == 403


def test_retrieval_is_measured_from_the_page(client: TestClient, bench: Bench) -> None:
    """The videos here by the embedder that Dailies was started with; the empty page says what to do."""
    empty = client.get("/api/scores/system/retrieval").json()
    assert (empty["id"], empty["measures"]) == ("", "retrieval") and "--embedder" in empty["start"]
    refused = client.post("/api/scoring/plan", json={"what": "retrieval"})
    assert (refused.status_code, "metadata.json --videos" in refused.json()["error"]) == (400, True)
    bench.store.add([Dataset(id="d", name="CaReBench", format="carebench")])
    for kind in ("carebench:full", "carebench:spatial", "carebench:temporal"):
        bench.store.add(
            [
                Text(
                    id=f"txt-{kind}",
                    video_id=bench.video.id,
                    kind=kind,
                    subject_type="video",  # type: ignore[arg-type]
                    subject_id=bench.video.id,
                    value=f"A grey wall, {kind}.",
                    created_at=1.0,
                    dataset_id="d",
                )
            ]
        )
    found = client.post("/api/scoring/plan", json={"what": "retrieval"}).json()
    assert (found["videos"], found["stages"]) == (1, ["retrieval"])
    assert found["engines"] == [{"stage": "retrieval", "model": "baseline", "baseline": True}]
    ended = finished(client, client.post("/api/scoring/start", json={"what": "retrieval"}).json())
    assert (ended["state"], ended["problems"]) == ("done", [])
    page = client.get("/api/scores/system/retrieval", params={"evaluation": ended["evaluation"]}).json()
    assert page["id"] == ended["evaluation"] and page["baseline"] and "embedder baseline" in page["about"]
    assert {row["metric"] for row in page["rows"]} >= {"R@1", "ReBias"}
