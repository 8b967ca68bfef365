"""People's changes of a dataset's questions as a patch: out, into another workspace, and never in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.editing.edits import Edit, apply_edit, exclude
from annotation.records.captions_to_verdicts import Question
from annotation.records.decisions import Correction, Exclusion, Person
from annotation.store.exclusions import exclusions
from annotation.store.store import Store
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.notes import note

ME = Person(id="per-me", name="reviewer one", role="expert", created_at=1.0)
YOU = Person(id="per-you", name="reviewer two", role="expert", created_at=1.0)
ASKED = [
    {"question": "What colour?", "answer": "color", "category": "object"},
    {"question": "Where is", "answer": "it?, at sea", "category": "place"},
    {"question": "Why?", "answer": "unknown", "category": "reason"},
    {"question": "Why?", "answer": "unknown", "category": "reason"},
]


def dataset(tmp_path: Path, name: str, asked: list[dict[str, str]] = ASKED) -> Store:
    folder = tmp_path / name / "qa"
    folder.mkdir(parents=True)
    (folder / "camera.jsonl").write_text(json.dumps({"boat-1": asked}) + "\n")
    store = new_store(tmp_path, name)
    formats.commit(store, formats.read(folder, store))
    return store


def question(store: Store, index: int) -> Question:
    [found] = [q for q in store.find(Question) if q.index == index]
    return found


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two corrected, one of them by two people, and one of two equal ones excluded."""
    made = dataset(tmp_path, "here")
    made.add([ME, YOU])
    for n, person, field, value in (
        (0, ME, "reference", "red"),
        (1, ME, "text", "Where is it?"),
        (1, ME, "reference", "at sea"),
        (0, YOU, "text", "Which colour?"),
    ):
        apply_edit(made, person, Edit("question", question(made, n).id, field, value, 0, f"wrong {n}"))
    exclude(made, ME, question(made, 3).id, "nobody can know")
    return made


def patch(store: Store, tmp_path: Path, name: str = "patch") -> Path:
    return formats.write(store, "vdc-qa-patch", tmp_path / f"{name}.jsonl")[0]


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_every_change_is_a_line_with_who_when_and_why(store: Store, tmp_path: Path) -> None:
    found = lines(patch(store, tmp_path))
    words = [(x["index"], x["action"], x.get("new_question"), x.get("new_answer"), x["by"]) for x in found]
    assert words == [
        (0, "correct", None, "red", "reviewer one"),
        (0, "correct", "Which colour?", None, "reviewer two"),
        (1, "correct", "Where is it?", "at sea", "reviewer one"),
        (3, "exclude", None, None, "reviewer one"),
    ]
    assert {(x["dataset"], x["video_id"], x["aspect"]) for x in found} == {("VDC", "boat-1", "camera")}
    assert (found[2]["question"], found[2]["answer"]) == ("Where is", "it?, at sea")
    assert found[3]["reason"] == "nobody can know"
    assert all(x["at"] > 0 for x in found)


def test_it_does_the_same_where_the_dataset_is_the_same(store: Store, tmp_path: Path) -> None:
    file = patch(store, tmp_path)
    other = dataset(tmp_path, "there")
    batch = formats.read(file, other)
    assert batch.problems == ()
    assert formats.commit(other, batch) == {"Person": 2, "Exclusion": 1, "Correction": 4}
    assert patch(other, tmp_path, "again").read_bytes() == file.read_bytes()
    assert formats.commit(other, formats.read(file, other)) == {}
    now = other.current("question", question(other, 1).id, "reference")
    assert (now.value, now.machine) == ("at sea", "it?, at sea")
    assert set(exclusions(other)) == {question(other, 3).id}


def test_a_question_that_reads_otherwise_is_a_problem(store: Store, tmp_path: Path) -> None:
    other = dataset(tmp_path, "newer", [{"question": "Which?", "answer": "red", "category": ""}])
    batch = formats.read(patch(store, tmp_path), other)
    assert [p.what.split(";")[-1] for p in batch.problems] == [" not applied"] * 4
    assert "is now 'Which?' -> 'red'" in batch.problems[0].what
    assert batch.corrections == ()
    empty = formats.read(patch(store, tmp_path), new_store(tmp_path, "empty"))
    assert "import its dataset first" in empty.problems[0].what


def test_what_somebody_here_said_otherwise_stays(store: Store, tmp_path: Path) -> None:
    file = patch(store, tmp_path)
    other = dataset(tmp_path, "theirs")
    other.add([YOU])
    apply_edit(other, YOU, Edit("question", question(other, 0).id, "reference", "blue", 0))
    exclude(other, YOU, question(other, 3).id, "asked twice")
    exclude(other, YOU, question(other, 3).id, "")
    batch = formats.read(file, other)
    formats.commit(other, batch)
    assert ["blue" in p.what or "included again" in p.what for p in batch.problems] == [True, True]
    assert other.current("question", question(other, 0).id, "reference").value == "blue"
    assert exclusions(other) == {}
    # Taken back and corrected anew: the file's word is one more correction, not the first.
    apply_edit(other, YOU, Edit("question", question(other, 0).id, "reference", "", 1, cleared=True))
    formats.commit(other, formats.read(file, other))
    assert other.current("question", question(other, 0).id, "reference").value == "red"
    assert [c.revision for c in other.find(Correction, field="reference", order_by=["revision"])][-1] == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action": "delete"}, "unknown action"),
        ({"by": ""}, "is missing"),
        ({"at": "today"}, "is missing"),
        ({"new_answer": 7}, "is not a text"),
        ({"action": "exclude", "reason": " "}, "needs a reason"),
        ({"question": None}, "must be texts"),
    ],
)
def test_lines_that_say_too_little_are_named(
    store: Store, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    file = patch(store, tmp_path)
    rows = lines(file)
    rows[1] |= change
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    batch = formats.read(file, dataset(tmp_path, "there"))
    [problem] = batch.problems
    assert problem.where == "patch.jsonl:2"
    assert message in problem.what
    assert len(batch.corrections) == 3


def test_current_questions_are_written_without_the_excluded(store: Store, tmp_path: Path) -> None:
    written = formats.write(store, "vdc-qa", tmp_path / "qa-now")[0]
    [asked] = json.loads(written.read_text()).values()
    assert [x["answer"] for x in asked] == ["red", "at sea", "unknown"]
    assert note(store, "vdc-qa") == "1 excluded question is left out; --values machine keeps all"
    assert note(store, "vdc-qa", values="machine") == note(store, "vdc-qa-patch") == ""
    written = formats.write(store, "vdc-qa", tmp_path / "qa-then", values="machine")[0]
    assert json.loads(written.read_text())["boat-1"] == ASKED


def test_without_a_change_there_is_no_patch(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no data for vdc-qa-patch"):
        patch(dataset(tmp_path, "here"), tmp_path)
    assert dataset(tmp_path, "x").count(Exclusion) == 0
