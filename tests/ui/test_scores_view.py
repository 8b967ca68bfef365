"""The Scores page's data: over HTTP, on two made evaluations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.store.lists import newest_evaluation
from annotation.store.store import Store
from benchmarks.many_verdicts import fill, spread_corrections
from tests.bench import Bench
from ui.app import build_app


@pytest.fixture
def store(bench: Bench, tmp_path: Path) -> Store:
    """Twenty videos with six questions each, twice judged, some corrected."""
    folder = tmp_path / "qa"
    folder.mkdir()
    for aspect in ("camera", "short"):
        questions = [
            {"question": f"What is {i}?", "answer": "unknown" if i == 2 else "a cat", "category": "object"}
            for i in range(3)
        ]
        rows = [{f"video-{n}": questions} for n in range(20)]
        (folder / f"{aspect}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    fill(bench.workspace, folder, evaluations=2)
    spread_corrections(bench.store, bench.workspace.owner().id, 0.3)
    return bench.store


@pytest.fixture
def client(bench: Bench, store: Store) -> Iterator[TestClient]:
    with TestClient(build_app(bench.workspace, bench.engines)) as found:
        yield found


def test_the_table_has_denominators_people_and_the_next_questions(client: TestClient) -> None:
    found = client.get("/api/scoring/table").json()
    assert found["evaluation"] == "made verdicts 2"
    rows = {(r["group"].get("aspect"), r["policy"], r["metric"]): r for r in found["rows"]}
    camera = rows["camera", "parsed", "accuracy_macro"]
    assert camera["of"] == 60
    assert camera["n"] + sum(camera["dropped"].values()) == 60
    assert camera["low"] < camera["value"] < camera["high"]
    assert found["people"]["accuracy"]["labelled"] == found["agreement"]["n"] > 10
    assert len(found["next"]) == 12
    assert all(item["text"] and item["title"] for item in found["next"])
    assert len(found["published"]) >= 40


def test_suspect_questions_can_be_left_out(client: TestClient) -> None:
    found = client.get("/api/scoring/table", params={"suspects": False, "by": "aspect,length"}).json()
    assert {r["of"] for r in found["rows"]} == {40}
    assert found["suspects"] == "40 questions left out"


def test_two_evaluations_beside_each_other(client: TestClient, store: Store) -> None:
    b = newest_evaluation(store)
    a = next(e["id"] for e in client.get("/api/me").json()["evaluations"] if e["name"] == "made verdicts 1")
    found = client.get("/api/scoring/compare", params={"a": a, "b": b}).json()
    everything = next(r for r in found["rows"] if not r["aspect"] and r["metric"] == "accuracy")
    assert everything["wins"] + everything["losses"] + everything["ties"] == everything["videos"] == 20
    assert found["flipped"] == len(found["flips"]) > 5
    assert all(flip["text"] for flip in found["flips"])
    wrong = client.get("/api/scoring/compare", params={"a": b, "b": b})
    assert (wrong.status_code, "name two" in wrong.json()["error"]) == (400, True)
