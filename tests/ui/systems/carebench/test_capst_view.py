"""CapST on the Verdicts and the Scores page: over HTTP, on a log of the public shape."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.people.who_labels_blind import set_mode
from annotation.store.benchmark_of_evaluation import evaluations_of
from exports.catalogue import format_registry as formats
from tests.bench import Bench
from tests.databases import new_workspace
from tests.exports.carebench.capst_files import EVENTS, GT, LINES, metadata
from ui.web_app import build_app


@pytest.fixture
def client(bench: Bench, tmp_path: Path) -> Iterator[TestClient]:
    annotations, log = tmp_path / "metadata.json", tmp_path / "infos.jsonl"
    annotations.write_text(json.dumps([metadata("two shots.mp4", GT)]))
    log.write_text("".join(f"{json.dumps(line)}\n" for line in LINES))
    for file in (annotations, log):
        formats.commit(bench.store, formats.read(file, bench.store))
    headers = {"Sec-Fetch-Site": "same-origin"}
    with TestClient(build_app(bench.workspace, bench.engines), headers=headers) as found:
        yield found


def rows(client: TestClient, **query: str) -> list[dict]:
    return client.get("/api/items/capst", params=query).json()["rows"]


def test_every_element_is_an_item_the_worst_first(client: TestClient) -> None:
    found = rows(client)
    assert len(found) == sum(
        len(line[key]) for line in LINES for key in line if key.endswith(("_gt", "_pred"))
    )
    assert found[0]["state"] == "contradiction" and found[-1]["state"] == "entailment"
    narrowed = rows(client, facet="elements:events", state="neutral")
    assert narrowed and all(r["note"].startswith("event") and r["state"] == "neutral" for r in narrowed)
    names = [e["name"] for e in client.get("/api/me").json()["evaluations"]]
    assert not any("CapST" in name for name in names), "it is no evaluation of questions"


def test_a_pass_names_the_engines_of_its_stages(client: TestClient, bench: Bench) -> None:
    [evaluation] = evaluations_of(bench.store, "capst")
    body = {"what": "fill", "evaluation": evaluation.id, "stages": ["elements", "capst"]}
    found = client.post("/api/scoring/plan", json=body).json()
    assert found["stages"] == ["elements", "capst"]
    assert [one["stage"] for one in found["engines"]] == ["elements", "capst"]


def test_a_verdict_and_an_element_are_put_right_and_undone(client: TestClient, bench: Bench) -> None:
    item = rows(client, facet="elements:events")[0]
    detail = client.get(f"/api/items/capst/{item['id']}").json()
    assert set(detail["captions"]) == {"reference", "prediction"} and detail["captions"]["reference"]["value"]
    assert [c["mark"] for c in detail["choices"]] == ["entailment", "neutral", "contradiction"]
    assert len(detail["lists"]) == 4 and "because" in detail["reason"] and detail["raw"]
    body = {"value": "entailment", "base_revision": detail["base_revision"], "reason": "it says so"}
    changed = client.post(f"/api/items/capst/{item['id']}", json=body).json()
    assert changed["label"] == "entailment" and changed["corrected"]
    stale = body | {"value": "neutral"}
    assert client.post(f"/api/items/capst/{item['id']}", json=stale).status_code == 409
    unheld = client.post(f"/api/items/capst/{item['id']}", json=body | {"base_revision": 1 << 63})
    assert unheld.status_code == 422 and unheld.json()["error"].startswith("base_revision: ")
    wrong = body | {"value": "likely", "base_revision": changed["base_revision"]}
    assert client.post(f"/api/items/capst/{item['id']}", json=wrong).status_code == 400
    client.post("/api/undo", json={})
    assert client.get(f"/api/items/capst/{item['id']}").json()["corrected"] is False

    element = detail["element"]
    edit = {"subject": element["subject"], "value": "A man lifts a kettle", "base_revision": 0}
    assert client.post("/api/edit", json=edit).status_code == 200
    now = client.get(f"/api/items/capst/{item['id']}").json()
    assert now["element"]["value"] == "A man lifts a kettle" and now["stale"]
    text = next(x["text"] for x in now["lists"] if x["kind"] == "object" and x["side"] == "reference")
    new = {"text_id": text, "kind": "object", "words": "There is a stove."}
    assert client.post("/api/elements", json=new).status_code == 200
    lists = client.get(f"/api/items/capst/{item['id']}").json()["lists"]
    assert any(e["words"] == "There is a stove." and not e["item"] for x in lists for e in x["elements"])


@pytest.mark.parametrize("raw", ["entailment, I think", '{"a": "\\ud800"}', "[" * 100_000])
def test_a_reply_that_is_no_json_is_shown_as_it_is(
    client: TestClient, bench: Bench, tmp_path: Path, raw: str
) -> None:
    """`dailies-jsonl` brings verdicts with any text as their reply."""
    (file,) = formats.write(bench.store, "dailies-jsonl", tmp_path / "all.jsonl")
    records = [json.loads(line) for line in file.read_text().splitlines()]
    brought = [r | {"raw": raw} if r.get("subject_type") == "element" else r for r in records]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in brought))
    with closing(new_workspace(tmp_path / "other")) as other:
        formats.commit(other.store, formats.read(file, other.store))
        with TestClient(build_app(other, bench.engines)) as there:
            opened = there.get(f"/api/items/capst/{rows(client)[0]['id']}")
    assert opened.status_code == 200 and opened.json()["raw"] == raw


def test_who_labels_blind_is_told_nothing(client: TestClient, bench: Bench) -> None:
    owner = bench.workspace.owner()
    set_mode(bench.store, owner, owner.id, True)
    hidden = rows(client)
    assert {r["state"] for r in hidden} == {"hidden"}
    text = client.get(f"/api/items/capst/{hidden[0]['id']}").text
    assert "because" not in text and "relationship" not in text and '"others"' not in text
    body = {"value": "neutral", "base_revision": 0}
    told = client.post(f"/api/items/capst/{hidden[0]['id']}", json=body).json()
    assert told["label"] == "neutral" and "others" not in told and "raw" not in told
    assert client.get("/api/scores/system/capst").status_code == 403


def test_the_scores_page_has_the_figures_and_links(client: TestClient, bench: Bench) -> None:
    systems = {s["name"]: s for s in client.get("/api/scoring/systems").json()}
    assert systems["capst"]["evaluations"] >= 1
    page = client.get("/api/scores/system/capst", params={"by": "category"}).json()
    assert page["choices"]["by"]["chosen"] == "category" and page["judges"] == ["not recorded"]
    found = {(r["policy"], tuple(r["group"].values()), r["metric"]): r for r in page["rows"]}
    recall = found["parsed", ("events",), "recall"]
    assert recall["value"] == pytest.approx(EVENTS["recall"], abs=1e-5)
    assert recall["href"].startswith("/verdicts?of=capst") and "elements%3Aevents" in recall["href"]
    assert ("parsed", ("events", "Personal Care"), "recall") in found
    assert set(page["metrics"]) == {r["metric"] for r in page["rows"]}
    assert [item["facts"] for item in page["lists"][0]["items"]]
    assert page["id"] == evaluations_of(bench.store, "capst")[0].id
    assert client.get("/api/scores/system/nothing").status_code == 404
