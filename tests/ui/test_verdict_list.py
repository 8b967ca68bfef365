"""The list of verdicts over HTTP: places, headings, what to choose from, the next open one, flagged."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.editing import edits as services
from annotation.records.captions_to_verdicts import Question
from annotation.reports.flagged_questions import Doubter, suspect_questions
from annotation.store.store import Store
from benchmarks.many_verdicts import fill
from tests.bench import Bench
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
ANSWERS = ("a cat", "unknown", "a dog on the lawn", "object", "blue")


@pytest.fixture
def store(bench: Bench, tmp_path: Path) -> Store:
    """Twenty videos with ten questions each, twice judged."""
    folder = tmp_path / "qa"
    folder.mkdir()
    for aspect in ("camera", "short"):
        questions = [{"question": f"What is {i}?", "answer": answer} for i, answer in enumerate(ANSWERS)]
        rows = [{f"video-{n}": questions} for n in range(20)]
        (folder / f"{aspect}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    fill(bench.workspace, folder, evaluations=2)
    suspect_questions(bench.store)  # known from the first request on
    return bench.store


@pytest.fixture
def client(bench: Bench, store: Store) -> Iterator[TestClient]:
    with TestClient(build_app(bench.workspace, bench.engines), headers=SAME_SITE) as found:
        yield found


def ask(client: TestClient, **query: object) -> dict:
    answer = client.get("/api/verdicts", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_verdict_is_found_on_its_page_wherever_it_stands(client: TestClient) -> None:
    whole = ask(client, sort="verdict", limit=500)
    assert whole["total"] == 200 == len(whole["rows"])
    for place in (0, 37, 150, 199):
        wanted = whole["rows"][place]["verdict_id"]
        page = ask(client, sort="verdict", at=wanted, limit=20)
        assert (page["position"], page["offset"]) == (place, place // 20 * 20)
        assert page["rows"] == whole["rows"][page["offset"] : page["offset"] + 20]
    out = ask(client, sort="verdict", state="unparsed", at=whole["rows"][0]["verdict_id"])
    assert out["position"] is None and out["offset"] == 0


def test_headings_have_their_places(client: TestClient) -> None:
    page = ask(client, sort="mean", limit=30)
    assert page["groups"] == [10] * 20 and "groups" not in ask(client, sort="mean", offset=30, limit=30)
    assert ask(client, sort="verdict")["groups"] == []
    assert ask(client, sort="verdict")["facets"]["aspect"] == ["vdc:camera", "vdc:short"]


def test_the_next_open_one_goes_round(client: TestClient) -> None:
    rows = ask(client, sort="title", limit=500)["rows"]
    open_at = [n for n, row in enumerate(rows) if row["label"] != "yes"]
    for here, then in zip(open_at, [*open_at[1:], open_at[0]], strict=True):
        found = client.get(
            "/api/verdicts/next", params={"sort": "title", "at": rows[here]["verdict_id"]}
        ).json()
        assert (found["position"], found["verdict_id"]) == (then, rows[then]["verdict_id"])
    none = client.get("/api/verdicts/next", params={"q": "no such words"}).json()
    assert none == {"position": None}


def test_other_evaluations_stand_beside(client: TestClient, store: Store) -> None:
    newest, older = (e["id"] for e in client.get("/api/me").json()["evaluations"][:2])
    page = ask(client, evaluation=newest, **{"with": older}, differs=True, sort="differs", limit=500)
    assert 0 < page["total"] < 200
    for row in page["rows"]:
        (other,) = row["beside"]
        assert (other["label"], other["state"]) != (row["label"], row["state"])
    first = page["rows"][0]
    detail = client.get(f"/api/verdicts/{first['verdict_id']}", params={"with": older}).json()
    assert detail["beside"][0]["label"] == first["beside"][0]["label"]
    assert client.get("/api/verdicts", params={"with": ["a", "b", "c"]}).status_code == 422


def test_doubts_are_those_of_the_scores_and_follow_corrections(client: TestClient, bench: Bench) -> None:
    store, owner = bench.store, bench.workspace.owner()
    assert suspect_questions(store)
    suspect = ask(client, flag="suspect", limit=500)
    assert suspect["total"] == 80 and ask(client, flag="sound")["total"] == 120
    assert {row["flag"] for row in suspect["rows"]} == {"suspect"}
    question = store.get(Question, suspect["rows"][0]["question_id"])
    store.correct("question", question.id, "reference", "a grey cat", person_id=owner.id, base_revision=0)
    assert ask(client, flag="suspect")["total"] == 79
    assert suspect_questions(store) == Doubter(store).suspects()
    services.exclude(store, owner, question.id, "nobody can tell")
    assert [row["question_id"] for row in ask(client, flag="excluded")["rows"]] == [question.id]
    assert ask(client, flag="suspect")["total"] == 80


def test_no_answer_is_long(client: TestClient) -> None:
    assert client.get("/api/verdicts", params={"limit": 501}).status_code == 422
    longest = client.get("/api/verdicts", params={"limit": 500, "sort": "mean"}).content
    assert len(longest) / 200 * 500 < 300_000
