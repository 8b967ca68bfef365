"""Scores that a log holds per video and aspect alone, on their way through every format."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Question, Verdict
from annotation.records.decisions import Correction, Person
from annotation.scores.replies_as_peers_read_them import vlmevalkit_rating
from annotation.scores.score_table import table
from annotation.store.store import Store
from annotation.store.verdicts.score_items import score_items
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.notes import note
from tests.exports.peers.peer_files import QUESTIONS, lmms_log, vlmevalkit_log
from tests.exports.peers.test_peer_logs import LOGS, needs_logs
from ui.lib.chosen_evaluation import pick_evaluation

GENERATIONS = ("aurora", "v0.2", "v0.3", "v0.4", "head")


def log_of(folder: Path, peer: str) -> Path:
    return vlmevalkit_log(folder / "run") if peer == "vlmevalkit" else lmms_log(folder / "log", peer)


def brought(folder: Path, name: str, path: Path) -> Store:
    store = new_store(folder, name)
    formats.commit(store, formats.read(path, store))
    return store


def figures(store: Store, policy: str = "parsed") -> dict[tuple[str, str], object]:
    rows = table(score_items(store, pick_evaluation(store)), [policy])
    return {(row.group.get("aspect", ""), row.metric): row.value for row in rows}


@pytest.mark.parametrize("target", ["lmms-eval", "vlmevalkit", "loveu"])
@pytest.mark.parametrize("peer", [*GENERATIONS, "vlmevalkit"])
def test_scores_without_verdicts_per_question_come_back(tmp_path: Path, peer: str, target: str) -> None:
    store = brought(tmp_path, "one", log_of(tmp_path, peer))
    formats.write(store, target, tmp_path / "out")
    other = brought(tmp_path, "two", tmp_path / "out")
    assert any(value is not None for value in figures(store).values())
    assert figures(other) == figures(store)
    said = note(store, target)
    assert ("column verdict" in said) == (target == "vlmevalkit" and peer != "vlmevalkit")
    assert ("unreadable" in said) == (target == "lmms-eval" and peer == "vlmevalkit")


@needs_logs
@pytest.mark.parametrize("target", ["lmms-eval", "vlmevalkit", "loveu"])
@pytest.mark.parametrize("name", ["lmms-eval_v0.3.5", "lmms-eval_HEAD-75571cf", "vlmevalkit_e8e78f0"])
def test_logs_of_the_peers_own_writers_keep_their_scores(tmp_path: Path, name: str, target: str) -> None:
    store = brought(tmp_path, "one", LOGS / name)
    formats.write(store, target, tmp_path / "out")
    other = brought(tmp_path, "two", tmp_path / "out")
    assert figures(other) == figures(store) and None not in figures(store).values()


@pytest.mark.parametrize("peer", ["head", "v0.3"])
def test_the_means_stand_in_lmms_evals_own_fields(tmp_path: Path, peer: str) -> None:
    """Its `vdc_aggregate_score`: the sum of `score` over the samples, divided by their number."""
    store = brought(tmp_path, "one", log_of(tmp_path, peer))
    samples, results = formats.write(store, "lmms-eval", tmp_path / "out")
    lines = [json.loads(line) for line in samples.read_text(encoding="utf-8").splitlines()]
    found = json.loads(results.read_text(encoding="utf-8"))["results"]["camera_test"]
    for metric, key, mean in (("llmms_eval_score", "score", 3.0), ("llmms_eval_acc", "acc", 0.5)):
        assert sum(float(line[metric][key]) for line in lines) / len(lines) == mean == found[f"{metric},none"]


def test_a_run_of_vlmevalkit_keeps_its_questions_its_verdicts_and_its_rating(tmp_path: Path) -> None:
    store = brought(tmp_path, "one", log_of(tmp_path, "vlmevalkit"))
    formats.write(store, "vlmevalkit", tmp_path / "out")
    other = brought(tmp_path, "two", tmp_path / "out")
    [rating] = (tmp_path / "out").glob("*_rating.json")
    said = json.loads(rating.read_text())
    assert (said["coarse_valid"]["camera"], said["coarse_accuracy"]["camera"]) == ("2.50", "0.50")
    assert (said["coarse_valid"]["short"], said["coarse_accuracy"]["short"]) == ("nan", "0.00")
    words = {(q.text, q.reference) for q in other.find(Question)}
    assert words == {(q["question"], q["answer"]) for q in QUESTIONS}


def test_the_rating_is_made_as_vlmevalkit_makes_it() -> None:
    replies = [
        "{'pred': 'yes', 'score': -1}",
        "{'pred': 'Yes', 'score': 3}",
        "it depends",
        '{"pred": "no"}',
        "",
    ]
    assert vlmevalkit_rating(replies) == (1.0, 3.0)
    assert vlmevalkit_rating(["", "{}"]) == (None, None)


def test_the_table_of_verdicts_has_a_row_for_each_video(tmp_path: Path) -> None:
    store = brought(tmp_path, "one", log_of(tmp_path, "head"))
    [file] = formats.write(store, "verdicts-csv", tmp_path / "verdicts.csv")
    rows = list(csv.DictReader(file.read_text(encoding="utf-8-sig").splitlines()))
    assert [(row["question"], row["score"], row["accuracy"], row["questions"]) for row in rows] == [
        ("", str(2.0 + n), str(n / 2), "") for n in range(3)
    ]
    assert math.isclose(sum(float(row["score"]) for row in rows) / 3, 3.0)


def test_the_manifest_of_a_loveu_log_has_the_scores(tmp_path: Path) -> None:
    store = brought(tmp_path, "one", log_of(tmp_path, "v0.3"))
    formats.write(store, "loveu", tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    camera = manifest["scores"]["camera"]
    assert (camera["score"], camera["accuracy"], camera["n"], camera["of"], camera["videos"]) == (
        3,
        0.5,
        6,
        6,
        3,
    )
    assert manifest["verdicts_without_question"] == 3


def test_a_persons_verdict_on_a_mean_comes_back_over_it(tmp_path: Path) -> None:

    store = brought(tmp_path, "one", log_of(tmp_path, "head"))
    store.add([Person(id="per-1", name="annotator one", role="annotator", created_at=1.0)])
    first = min(store.find(Verdict), key=lambda j: j.score or 0)
    value = {"label": "yes", "score": 5}
    store.correct(
        "verdict", first.id, "verdict", value, person_id="per-1", base_revision=0, reason="I looked"
    )
    formats.write(store, "loveu", tmp_path / "out")
    other = brought(tmp_path, "two", tmp_path / "out")
    for policy in ("parsed", "corrected"):
        assert figures(other, policy) == figures(store, policy)
    assert [one.value for one in other.find(Correction)] == [{"label": "yes", "score": 5.0}]
