"""Tasks that people completed in Label Studio, read back as their verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.records.decisions import Correction, Person
from annotation.store import opinion_rules
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from tests.exports.world import filled_store


def tasks_of(store: Store, folder: Path) -> list[dict[str, Any]]:
    """What a project of ours holds before anyone has worked on it."""
    formats.write(store, "label-studio", folder)
    found: list[dict[str, Any]] = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    return found


def annotated(label: str, rating: int | None, who: object, at: str, reason: str = "") -> dict[str, Any]:
    """An annotation as Label Studio's JSON export has it."""
    result: list[dict[str, Any]] = [
        {
            "id": "a1",
            "from_name": "verdict",
            "to_name": "answer",
            "type": "choices",
            "origin": "manual",
            "value": {"choices": [label]},
        }
    ]
    if rating is not None:
        result.append(
            {
                "id": "a2",
                "from_name": "score",
                "to_name": "answer",
                "type": "rating",
                "value": {"rating": rating},
            }
        )
    if reason:
        result.append(
            {
                "id": "a3",
                "from_name": "reason",
                "to_name": "answer",
                "type": "textarea",
                "value": {"text": [reason]},
            }
        )
    return {
        "id": 7,
        "completed_by": who,
        "result": result,
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": at,
        "updated_at": at,
        "lead_time": 3.2,
    }


def saved(folder: Path, tasks: list[dict[str, Any]]) -> Path:
    file = folder / "project-1-at-2031-01-02-03-04-abcdef.json"
    file.write_text(json.dumps(tasks), encoding="utf-8")
    return file


def test_completed_tasks_come_back_as_verdicts(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    tasks = tasks_of(store, tmp_path / "tasks")
    first, second, third, fourth = (task["data"]["verdict_id"] for task in tasks)
    ann = {"id": 3, "email": "ann@example.org"}
    tasks[0]["annotations"] = [annotated("no", 1, ann, "2031-01-02T03:04:05.678Z", "It is red.")]
    tasks[1]["annotations"].append(annotated("no", 2, 12, "2031-01-02T03:05:00Z"))
    tasks[2]["annotations"] = [
        annotated("yes", None, {"email": "ann@example.org"}, "2031-01-02T03:06:00+00:00")
    ]
    skipped = annotated("yes", 5, 12, "2031-01-02T03:07:00Z") | {"was_cancelled": True}
    tasks[3]["annotations"] = [skipped]
    file = saved(tmp_path, tasks)
    assert formats.detect(file) == "label-studio"
    batch = formats.read(file, store)
    assert batch.problems == ()
    assert formats.commit(store, batch) == {"Person": 2, "Correction": 3}
    now = {key: store.current("verdict", key, "verdict") for key in (first, second, third, fourth)}
    assert now[first].value == {"label": "no", "score": 1.0} and now[first].corrected
    assert now[second].value == {"label": "no", "score": 2.0}
    assert now[third].value == {"label": "yes", "score": None}
    assert now[fourth].value == {"label": "", "score": None} and not now[fourth].corrected
    last = store.history("verdict", first, "verdict")[-1]
    assert (last.reason, last.created_at) == ("It is red.", pytest.approx(1925089445.678))
    assert formats.commit(store, formats.read(file, store)) == {}


def test_tasks_that_nobody_touched_change_nothing(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    tasks_of(store, tmp_path / "tasks")
    before = store.find(Correction)
    batch = formats.read(tmp_path / "tasks", store)
    assert batch.problems == () and formats.commit(store, batch) == {}
    assert store.find(Correction) == before


def test_an_older_label_stands_beside_a_later_correction(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    tasks = tasks_of(store, tmp_path / "tasks")
    tasks[1]["annotations"] = [annotated("no", 0, "someone else", "1971-01-01T00:00:00Z")]
    batch = formats.read(saved(tmp_path, tasks), store)
    [laid] = batch.corrections
    before = store.current("verdict", laid.subject_id, "verdict")
    store.restore(batch.records, batch.corrections)
    now = store.current("verdict", laid.subject_id, "verdict")
    assert (now.value, now.by) == (before.value, before.by) and now.revision == before.revision + 1


def test_an_older_label_never_replaces_the_same_persons_later_one(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    tasks = tasks_of(store, tmp_path / "tasks")
    now = store.current("verdict", tasks[1]["data"]["verdict_id"], "verdict")
    mine = store.get(Person, now.by).name
    tasks[1]["annotations"] = [annotated("no", 0, mine, "1971-01-01T00:00:00Z")]
    batch = formats.read(saved(tmp_path, tasks), store)
    assert [p.what for p in batch.problems] == [
        f"{mine} chose 'no' before their latest change in Dailies; the latest is kept"
    ]
    assert batch.corrections == ()


def test_what_is_no_label_of_ours_is_reported(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    tasks = tasks_of(store, tmp_path / "tasks")
    tasks[0]["data"]["verdict_id"] = "jdg-elsewhere"
    tasks[0]["annotations"] = [annotated("no", 1, 1, "2031-01-01T00:00:00Z")]
    tasks[3]["annotations"] = [annotated("maybe", 1, 1, "2031-01-01T00:00:00Z")]
    batch = formats.read(saved(tmp_path, [*tasks, {"id": 9, "data": {"text": "x"}}]), store)
    said = [p.what for p in batch.problems]
    assert said == [
        "the annotation has neither yes nor no; left out",
        "not a task exported by Dailies: data has no verdict_id; left out",
        "its verdict is not in this workspace; import the evaluation first",
    ]


def test_everybodys_verdict_goes_out_whichever_counts(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    task = tasks_of(store, tmp_path / "tasks")[1]
    key, mine = task["data"]["verdict_id"], task["annotations"]
    other = Person(id="per-second", name="second", role="annotator", created_at=1.0)
    store.add([other])
    store.correct(
        "verdict", key, "verdict", {"label": "no", "score": 1.0}, person_id=other.id, base_revision=9
    )
    with store.writing() as conn:
        opinion_rules.set_rule(conn, "majority")
    assert not store.current("verdict", key, "verdict").corrected, "as many say otherwise"
    found = tasks_of(store, tmp_path / "again")[1]["annotations"]
    assert found[0] == mine[0]
    assert [one["completed_by"]["email"] for one in found[1:]] == ["second"]
