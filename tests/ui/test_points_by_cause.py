"""Where the points go: what the causes cost adds up, and each cell leads to its questions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.records.decisions import ErrorSource
from annotation.reports.points_by_cause import cause_lines, cause_report
from annotation.store.store import Store
from benchmarks.many_verdicts import fill
from tests.bench import Bench
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
ANSWERS = ("a cat", "unknown", "a dog on the lawn", "two boats", "blue")


@pytest.fixture
def client(bench: Bench, tmp_path: Path) -> Iterator[TestClient]:
    """Six videos with ten questions each."""
    folder = tmp_path / "qa"
    folder.mkdir()
    for aspect in ("camera", "short"):
        questions = [{"question": f"What is {i}?", "answer": answer} for i, answer in enumerate(ANSWERS)]
        rows = [{f"video-{n}": questions} for n in range(6)]
        (folder / f"{aspect}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    fill(bench.workspace, folder, evaluations=1)
    with TestClient(build_app(bench.workspace, bench.engines), headers=SAME_SITE) as found:
        yield found


def ask(client: TestClient, path: str, **query: object) -> dict:
    answer = client.get(path, params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_points_add_up_to_what_the_score_is_short_of(client: TestClient) -> None:
    listed = ask(client, "/api/verdicts", limit=500, sort="title")
    readable = [row for row in listed["rows"] if row["state"] == "done"]
    short = 5 - sum(row["score"] for row in readable) / len(readable)
    failed = sum(row["label"] == "no" for row in readable) / len(readable)
    found = ask(client, "/api/scoring/causes", evaluation=listed["evaluation"], by="aspect")
    whole = [row for row in found["rows"] if not row["group"]]
    assert found["waiting"] == 0 and {row["of"] for row in whole} == {len(readable)}
    assert sum(row["score"] for row in whole) == pytest.approx(short, abs=1e-3)
    assert sum(row["accuracy"] for row in whole) == pytest.approx(failed, abs=1e-3)
    assert found["groups"] and all(any(r["group"] == name for r in found["rows"]) for name in found["groups"])


def test_a_cell_leads_to_its_questions_and_confirming_moves_it(client: TestClient, bench: Bench) -> None:
    store: Store = bench.store
    evaluation = ask(client, "/api/verdicts")["evaluation"]

    def cell(cause: str, basis: str) -> int:
        rows = ask(client, "/api/scoring/causes", evaluation=evaluation)["rows"]
        return next((r["n"] for r in rows if (r["cause"], r["basis"]) == (cause, basis)), 0)

    def listed(error_source: str) -> list[str]:
        page = ask(client, "/api/verdicts", evaluation=evaluation, state="no", error_source=error_source)
        return [row["verdict_id"] for row in page["rows"]]

    proposed = listed("proposed:question")
    assert len(proposed) == cell("question", "proposed") > 0
    detail = ask(client, f"/api/verdicts/{proposed[0]}")
    assert detail["proposed_source"]["kind"] == "question" and detail["proposed_source"]["reason"]
    body = {"verdict_id": proposed[0], "kind": "question", "proposed": "question"}
    assert client.post("/api/error-source", json=body).status_code == 200
    (row,) = store.find(ErrorSource)
    assert (row.kind, row.proposed) == ("question", "question")
    assert cell("question", "confirmed") == 1 and cell("question", "proposed") == len(proposed) - 1
    assert listed("proposed:question") == proposed[1:] and listed("question") == proposed[:1]
    unexplained = listed("proposed:none")
    assert unexplained and all(not ask(client, f"/api/verdicts/{v}")["proposed_source"] for v in unexplained)


def test_the_command_line_has_the_same_rows(client: TestClient, bench: Bench) -> None:
    evaluation = ask(client, "/api/verdicts")["evaluation"]
    report = cause_report(bench.store, evaluation, ["error-source", "aspect"])
    assert {row["metric"] for row in report["rows"]} == {"accuracy_lost", "score_lost"}
    assert any(row["group"].get("aspect") == "camera" for row in report["rows"])
    assert any("question (proposed)" in line for line in cause_lines(report))


def test_who_labels_blind_gets_neither(client: TestClient, bench: Bench) -> None:
    page = ask(client, "/api/verdicts", state="no", error_source="proposed:question")
    verdict = page["rows"][0]["verdict_id"]
    assert ask(client, f"/api/verdicts/{verdict}")["proposed_source"]
    assert client.post("/api/blind", json={"on": True}).status_code == 200
    assert ask(client, f"/api/verdicts/{verdict}")["proposed_source"] is None
    refused = client.get("/api/scoring/causes", params={"evaluation": page["evaluation"]})
    assert refused.status_code == 403
    everything = ask(client, "/api/verdicts", evaluation=page["evaluation"])["total"]
    narrowed = ask(client, "/api/verdicts", evaluation=page["evaluation"], error_source="proposed:judge")
    assert narrowed["total"] == everything
