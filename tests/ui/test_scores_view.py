"""The Scores page's data: over HTTP, on two made evaluations."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.records.captions_to_verdicts import Question
from annotation.records.runs import Evaluation
from annotation.reports.evaluation_report import comparison, comparison_lines, lines, report
from annotation.reports.people_means import people_lines
from annotation.store.store import Store
from annotation.store.verdicts.score_items import score_items
from benchmarks.many_verdicts import fill, spread_corrections
from tests.bench import Bench
from ui.lib.chosen_evaluation import pick_evaluation
from ui.web_app import build_app


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
    published = found["published"]
    assert len(published["rows"]) >= 40
    assert [column["title"] for column in published["columns"]][:2] == ["mean", "camera"]
    first = published["rows"][0]["figures"]
    assert all(0 < share < 1 for share in first["accuracy"]) and 1 < first["score"][0] < 5


def test_suspect_questions_can_be_left_out(client: TestClient) -> None:
    found = client.get("/api/scoring/table", params={"suspects": False, "by": "aspect,length"}).json()
    assert {r["of"] for r in found["rows"]} == {40}
    assert found["suspects"] == "40 questions left out"


def test_two_evaluations_beside_each_other(client: TestClient, store: Store) -> None:
    b = pick_evaluation(store)
    a = next(e["id"] for e in client.get("/api/me").json()["evaluations"] if e["name"] == "made verdicts 1")
    found = client.get("/api/scoring/compare", params={"a": a, "b": b}).json()
    everything = next(r for r in found["rows"] if not r["aspect"] and r["metric"] == "accuracy")
    assert everything["wins"] + everything["losses"] + everything["ties"] == everything["videos"] == 20
    assert found["flipped"] == len(found["flips"]) > 5
    assert all(flip["text"] and flip["verdict"] for flip in found["flips"])
    assert found["people"]["b"] == client.get("/api/scoring/table").json()["people"]
    of_a = client.get("/api/scoring/table", params={"evaluation": a}).json()["people"]
    assert found["people"]["a"] == of_a
    assert of_a["score"]["smallest"] > of_a["accuracy"]["smallest"] > 0
    wrong = client.get("/api/scoring/compare", params={"a": b, "b": b})
    assert (wrong.status_code, "give two" in wrong.json()["error"]) == (400, True)


def test_compare_and_score_print_what_the_labels_could_show(store: Store) -> None:
    a, b = (store.find(Evaluation, name=f"made verdicts {n}")[0].id for n in (1, 2))
    means = comparison(store, a, b)["people"]
    told = [line for line in comparison_lines(comparison(store, a, b)) if line.startswith("people on ")]
    assert [line.split(":")[0] for line in told] == [
        "people on A",
        "people on A",
        "people on B",
        "people on B",
    ]
    for line, mean in zip(told, [*means["a"].values(), *means["b"].values()], strict=True):
        assert f"difference with {mean['labelled']} labels {mean['smallest']:.3f}" in line
        assert f", half of it with {mean['for_half']} labels" in line
        assert ("do not narrow the interval" in line) == (not mean["tells_apart"])
    assert told[2].removeprefix("people on B") in "".join(lines(report(store, b)))
    few = means["a"]["accuracy"] | {"estimate": {"value": None, "low": None, "high": None}, "labelled": 2}
    assert people_lines({"accuracy": few, "score": few}) == [
        f"2 of {few['of']} verdicts have a person's label: too few for an estimate"
    ]


def test_compare_says_where_videos_are_too_few_to_say(store: Store) -> None:
    a, b = (store.find(Evaluation, name=f"made verdicts {n}")[0].id for n in (1, 2))
    found = comparison(store, a, b)
    assert not any(": too few to" in line or "is unknown" in line for line in comparison_lines(found))
    row = found["rows"][-1] | {"power": None, "n": 1}
    few, alike = (comparison_lines(found | {"rows": [row | {"videos": n}]}) for n in (1, 4))
    assert "  1 video: too few to compute the detectable difference" in few
    assert " of 1 video, 1 question" in "".join(few)
    assert "  no two videos differ: the detectable difference is unknown" in alike


def test_an_evaluation_without_verdicts_says_how_to_make_them(store: Store) -> None:
    store.add([Evaluation(id="evl-bare", name="my-model · VDC", created_at=0.0)])
    assert lines(report(store, "evl-bare")) == [
        "my-model · VDC · judge: unknown",
        "no verdicts yet; make them with: python app.py run-evaluation 'my-model · VDC'",
    ]


def test_a_correction_and_an_exclusion_are_seen_at_once(client: TestClient, store: Store) -> None:
    """Items are kept in memory: what changes must be read again."""

    def row(policy: str) -> dict:
        rows = client.get("/api/scoring/table").json()["rows"]
        return next(
            r for r in rows if r["policy"] == policy and r["group"] and r["metric"] == "accuracy_micro"
        )

    evaluation = pick_evaluation(store)
    before, parsed = row("corrected"), row("parsed")
    wrong = next(
        i
        for i in score_items(store, evaluation)
        if i.aspect == before["group"]["aspect"] and i.accuracy == 0 and i.human_accuracy is None
    )
    subject = ["verdict", wrong.verdict, "verdict"]
    edit = {"subject": subject, "value": {"label": "yes", "score": 5}, "base_revision": 0}
    assert client.post("/api/edit", json=edit).status_code == 200
    after = row("corrected")
    assert after["value"] == pytest.approx(before["value"] + 1 / before["n"], abs=1e-4)
    client.post(f"/api/questions/{wrong.question}/exclusion", json={"reason": "unclear"})
    assert row("corrected")["dropped"]["excluded"] == 1
    assert row("parsed") == parsed
    sound = client.get("/api/scoring/sound", params={"evaluation": evaluation}).json()
    known = {(r["group"].get("aspect"), r["metric"]): r for r in sound["rows"] if r["policy"] == "parsed"}
    assert known["camera", "score_macro"]["of"] in (39, 40)
    assert sound["suspects"] in ("40 questions left out", "41 questions left out")
    client.post("/api/undo", json={})
    client.post("/api/undo", json={})
    assert row("corrected") == before


def test_a_question_that_is_put_right_is_no_longer_suspect(client: TestClient, store: Store) -> None:
    evaluation = pick_evaluation(store)
    path, where = "/api/scoring/sound", {"evaluation": evaluation}
    assert client.get(path, params=where).json()["suspects"] == "40 questions left out"
    unknown = store.find(Question, reference="unknown")[0]
    edit = {"subject": ["question", unknown.id, "reference"], "value": "a dog", "base_revision": 0}
    assert client.post("/api/edit", json=edit).status_code == 200
    assert client.get(path, params=where).json()["suspects"] == "39 questions left out"


def test_judges_stand_side_by_side(client: TestClient, store: Store) -> None:
    found = client.get("/api/me").json()["evaluations"]
    ids = [e["id"] for e in found if e["name"].startswith("made verdicts")]
    found = client.get("/api/scoring/beside", params={"evaluations": ",".join(ids)}).json()
    assert [row["id"] for row in found["rows"]] == ids
    for row in found["rows"]:
        assert set(row["figures"]["accuracy_macro"]) == {"camera", "short", ""}
        table = client.get("/api/scoring/table", params={"evaluation": row["id"]}).json()
        [whole] = [
            r
            for r in table["rows"]
            if (r["policy"], r["metric"], r["group"]) == ("parsed", "accuracy_macro", {})
        ]
        assert row["figures"]["accuracy_macro"][""]["value"] == whole["value"]
        assert row["people"]["kappa"] == table["agreement"]["kappa"]
    [pair] = found["pairs"]
    assert pair["n"] == sum(c["n"] for c in pair["confusion"])
    compared = client.get("/api/scoring/compare", params={"a": pair["a"], "b": pair["b"]}).json()
    assert pair["flips"] == compared["flipped"]
    assert pair["share"] == pytest.approx(pair["flips"] / pair["n"], abs=1e-4)
    assert -1 <= pair["kappa"] <= 1
    refused = client.get("/api/scoring/beside", params={"evaluations": ",".join("abcdefg")})
    assert (refused.status_code, "1 to 6" in refused.json()["error"]) == (400, True)
    other = client.get("/api/scoring/beside", params={"evaluations": ids[0], "policy": "aurora"}).json()
    assert list(other["rows"][0]["figures"]) == ["accuracy_macro", "score_macro"]
