"""A log and the question set that it asks from, imported in any order: nothing is there twice."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Answer, Question, Verdict
from annotation.records.decisions import Person
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.peers.peer_files import QUESTIONS, VIDEOS, lmms_log
from tests.paths import SHARED

LOGS = SHARED / "data" / "vdc" / "logs"
ORDERS = (
    "log log",
    "log qa log",
    "qa log log",
    "log qa log qa log",
    "qa log qa log",
    "log other qa other log",
)
TWICE = [QUESTIONS[0], QUESTIONS[0], QUESTIONS[1]]
"""Real files ask the same thing twice about one video."""


@pytest.fixture(params=["lmms-eval", "loveu"])
def files(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Path]:
    """A log, one of another model on the same questions, and the question set of both."""
    qa = tmp_path / "camera.jsonl"
    qa.write_text("".join(json.dumps({video: TWICE[1:] + TWICE[:1]}) + "\n" for video in VIDEOS))
    found = {"log": _log(tmp_path / "log", "v0.3"), "other": _log(tmp_path / "other", "v0.2"), "qa": qa}
    if request.param == "loveu":
        store = new_store(tmp_path, "elsewhere")
        _bring(store, found["log"])
        formats.write(store, "loveu", tmp_path / "loveu")
        store.close()
        found["log"] = tmp_path / "loveu"
    return found


def _log(folder: Path, generation: str) -> Path:
    log = lmms_log(folder, generation)
    [samples] = log.glob("*samples*")
    lines = [json.loads(line) for line in samples.read_text().splitlines()]
    for line in lines:
        line["doc"]["qa_list"] = [q | {"pred_answer": f"answer {n}"} for n, q in enumerate(TWICE)]
    samples.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return log


def _bring(store: Store, path: Path) -> dict[str, int]:
    return formats.commit(store, formats.read(path, store))


def _answers(store: Store) -> Counter[tuple[str, str, str, str]]:
    """How often each answer is there, by run, video and question."""
    asked = {question.id: question.text for question in store.find(Question)}
    found = store.find(Answer)
    return Counter((one.run_id, one.video_id, asked[one.question_id], one.value) for one in found)


@pytest.mark.parametrize("order", ORDERS)
def test_no_order_of_imports_brings_an_answer_twice(
    tmp_path: Path, files: dict[str, Path], order: str
) -> None:
    store = new_store(tmp_path)
    seen: set[str] = set()
    for name in order.split():
        counts = _bring(store, files[name])
        assert name not in seen or counts == {}
        seen.add(name)
    logs = seen - {"qa"}
    assert (store.count(Answer), store.count(Verdict)) == (9 * len(logs), 3 * len(logs))
    assert set(_answers(store).values()) == {1}


def test_a_log_after_its_question_set_leaves_peoples_corrections(
    tmp_path: Path, files: dict[str, Path]
) -> None:
    store = new_store(tmp_path)
    _bring(store, files["log"])
    store.add([Person(id="per-1", name="annotator one", role="annotator", created_at=1.0)])
    answer = store.find(Answer)[0]
    for subject, field in (("answer", "value"), ("question", "text")):
        about = answer.id if subject == "answer" else answer.question_id
        store.correct(subject, about, field, "in other words", person_id="per-1", base_revision=0)
    before = _answers(store)
    _bring(store, files["qa"])
    assert _bring(store, files["log"]) == {}
    assert _answers(store) == before
    assert store.current("answer", answer.id, "value").value == "in other words"
    assert store.current("question", answer.question_id, "text").value == "in other words"


@pytest.mark.skipif(not LOGS.is_dir(), reason="the peers' logs are not beside this project")
def test_the_peers_own_logs_after_their_question_set(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    log = LOGS / "lmms-eval_v0.3.5"
    _bring(store, log)
    qa = tmp_path / "camera.jsonl"
    lines: dict[str, list[dict[str, str]]] = {}
    for line in next(log.rglob("*samples*")).read_text().splitlines():
        doc = json.loads(line)["doc"]
        lines[doc["video_name"]] = [{k: q[k] for k in ("question", "answer")} for q in doc["qa_list"]]
    qa.write_text("".join(json.dumps({video: asked}) + "\n" for video, asked in lines.items()))
    assert _bring(store, qa)["Question"] == 57
    assert _bring(store, log) == {}
    assert store.count(Answer) == 57
