"""Video-MMLU on the pages: its table by discipline, and the evidence of an answer from the video."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.records.captions_to_verdicts import Question, Verdict
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from exports.catalogue import format_registry as formats
from tests.bench import Bench
from tests.exports.video_mmlu.mmlu_files import mmlu_log
from ui.web_app import build_app

LINE = {
    "discipline": "physics",
    "caption": "F = ma.",
    "captions_qa": [{"question": "Law?", "answer": "F"}],
    "reasoning_qa": [{"question": "Why?", "answer": "A force acts"}],
}


@pytest.fixture
def client(bench: Bench, tmp_path: Path) -> Iterator[TestClient]:
    path = tmp_path / "video_mmlu.jsonl"
    path.write_text(json.dumps({"video_id": bench.video.title, **LINE}))
    formats.commit(bench.store, formats.read(path, bench.store))
    bench.run("probe", "scenes", "captions", "answers", "verdicts")
    with TestClient(build_app(bench.workspace, bench.engines)) as found:
        yield found


def test_the_scores_page_opens_by_discipline(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    found = client.get("/api/scoring/table").json()
    assert (found["benchmark"], found["by"], found["usual"]) == ("video-mmlu", "discipline", "discipline")
    assert set(found["policies"]) == {"parsed", "failures_as_wrong", "corrected", "video-mmlu"}
    groups = {tuple(row["group"].items()) for row in found["rows"]}
    assert {(("task", "final"),), (("task", "qa"), ("discipline", "Physics"))} <= groups
    notes = {row["note"] for row in found["rows"] if row["group"] == {"task": "qa"}}
    assert "Math and Chemistry missing, the mean is over Physics" in notes
    assert found["published"]["rows"][0]["model"] == "SilVR"
    assert found["metric"] == "Video-MMLU score" and found["groups"] == ["discipline"]
    assert found["kinds"]["task"] == {"caption": NOTES, "qa": REASONING}
    assert client.get("/api/scoring/table?by=aspect").json()["by"] == "aspect"
    formats.commit(bench.store, formats.read(mmlu_log(tmp_path / "log"), bench.store))
    newest = client.get("/api/scoring/table").json()
    final = [r for r in newest["rows"] if r["group"] == {"task": "final"} and r["metric"] == "accuracy_macro"]
    assert {row["policy"]: row["value"] for row in final}["parsed"] == 0.5


def test_an_answer_from_the_video_shows_the_frames_it_was_given_with(
    client: TestClient, bench: Bench
) -> None:
    kinds = {q.id: q.kind for q in bench.store.find(Question)}
    seen = {}
    for verdict in bench.store.find(Verdict, subject_type="answer"):
        reply = client.get(f"/api/verdicts/{verdict.id}")
        assert reply.status_code == 200, reply.text
        detail = reply.json()
        seen[kinds[detail["question_id"]]] = detail
    direct, notes = seen[REASONING], seen[NOTES]
    assert len(direct["answer_frames"]) == 32 and direct["answer"]["source"] == "video"
    assert direct["caption"] is None
    assert notes["answer_frames"] == [] and len(notes["caption"]["frames"]) == 32
