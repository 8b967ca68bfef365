"""The complete format: everything comes back, nothing of this machine goes out, no file is trusted."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from annotation.records.captions_to_verdicts import Text, Verdict
from annotation.records.decisions import ErrorSource, Person, Study
from annotation.records.errors import FormatError
from annotation.records.runs import Evaluation
from annotation.records.videos import Frame, Video
from annotation.store import tables as t
from annotation.store.rows import KINDS
from annotation.store.store import Store
from backends.video_and_word_types import VideoFacts
from exports.catalogue import format_registry as formats
from exports.files.format_types import Wanted
from tests.databases import new_store
from tests.exports.world import filled_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return filled_store(tmp_path)


@pytest.fixture
def file(store: Store, tmp_path: Path) -> Path:
    return formats.write(store, "dailies-jsonl", tmp_path / "all.jsonl")[0]


def rows(store: Store) -> list[dict[str, Any]]:
    """The values that count, but for the time at which they were laid."""
    with store.reading() as conn:
        found = conn.execute(select(t.current)).mappings()
        return sorted(({**row, "updated_at": None} for row in found), key=lambda row: str(row))


def rewrite(file: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    change(lines)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def one(lines: list[dict[str, Any]], record: str) -> dict[str, Any]:
    return next(line for line in lines if line.get("record") == record)


def test_every_record_value_and_error_source_comes_back(store: Store, file: Path, tmp_path: Path) -> None:
    other = new_store(tmp_path, "other")
    batch = formats.read(file, other)
    assert batch.problems == ()
    assert formats.commit(other, batch) == batch.counts()
    for kind in KINDS.values():
        assert store.count(kind) > 0, f"the fixture has no {kind.__name__}"
        expected = sorted(store.find(kind), key=lambda record: record.id)
        if kind is Video:
            expected = [replace(video, path=None) for video in expected]
        assert sorted(other.find(kind), key=lambda record: record.id) == expected
    assert rows(other) == rows(store)
    assert [row["error_source"] for row in rows(other) if row["subject_id"] == "jdg-1"] == ["judge"]
    assert other.current("answer", "ans-0", "value").corrected is False


def test_a_file_of_the_first_version_is_read(store: Store, file: Path, tmp_path: Path) -> None:
    before = {"Verdict": "Judgement", "ErrorSource": "Blame", "Dismissal": "Waiver"}

    def as_it_was(lines: list[dict[str, Any]]) -> None:
        lines[0] |= {"version": 1, "records": {before.get(k, k): n for k, n in lines[0]["records"].items()}}
        for line in lines[1:]:
            line["record"] = before.get(line["record"], line["record"])
            if "verdict_id" in line:
                line["judgement_id"] = line.pop("verdict_id")
            if line.get("subject_type") == "verdict":
                line["subject_type"] = "judgement"

    rewrite(file, as_it_was)
    other = new_store(tmp_path, "other")
    batch = formats.read(file, other)
    assert batch.problems == ()
    formats.commit(other, batch)
    assert rows(other) == rows(store)


def test_every_kind_of_record_is_in_the_file(file: Path) -> None:
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert {line["record"] for line in lines[1:]} == set(KINDS)
    assert lines[0] == {"format": "dailies", "version": 2, "records": lines[0]["records"]}


def test_where_the_file_lies_stays_here(file: Path) -> None:
    assert "/home/someone" not in file.read_text(encoding="utf-8")


def test_a_path_in_a_file_is_not_believed(store: Store, file: Path, tmp_path: Path) -> None:
    rewrite(file, lambda lines: one(lines, "Video").update(path="/etc/passwd"))
    other = new_store(tmp_path, "other")
    formats.commit(other, formats.read(file, other))
    assert other.get(Video, "vid-1").path is None


@pytest.mark.parametrize("bad", ["../../x", "/etc", "a/b", "", ".hidden", "x" * 65, 7, "a\\b"])
def test_ids_that_could_name_files_elsewhere_are_refused(file: Path, bad: object) -> None:
    rewrite(file, lambda lines: one(lines, "Video").update(id=bad))
    with pytest.raises(FormatError, match=r"all\.jsonl:\d+: id"):
        formats.read(file)


@pytest.mark.parametrize(
    ("record", "change", "message"),
    [
        ("Correction", {"field": "title"}, "no field"),
        ("Correction", {"subject_type": "verdict", "field": "verdict", "value": "yes"}, "verdict"),
        ("Verdict", {"state": "judged"}, "state"),
        ("Text", {"value": None}, "value"),
        ("Text", {"record": "Script"}, "unknown kind of record"),
        ("Text", {"id": "txt-full"}, "appears at"),
    ],
)
def test_lines_that_do_not_hold_a_record_are_named(
    file: Path, record: str, change: dict[str, Any], message: str
) -> None:
    rewrite(file, lambda lines: one(lines, record).update(change))
    with pytest.raises(FormatError, match=rf"all\.jsonl:\d+.*{message}"):
        formats.read(file)


def test_a_file_that_was_cut_off_is_noticed(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    file.write_text("".join(text.splitlines(keepends=True)[:-1]), encoding="utf-8")
    with pytest.raises(FormatError, match="incomplete"):
        formats.read(file)


def test_a_newer_version_is_refused(file: Path) -> None:
    rewrite(file, lambda lines: lines[0].update(version=3))
    with pytest.raises(FormatError, match="version 3"):
        formats.read(file)


def test_a_field_of_a_later_version_is_reported(file: Path) -> None:
    rewrite(file, lambda lines: one(lines, "Text").update(mood="calm"))
    assert [p.what for p in formats.read(file).problems] == ["unknown field Text.mood on 1 lines; left out"]


def test_records_that_hang_on_nothing_leave_nothing(file: Path, tmp_path: Path) -> None:
    rewrite(file, lambda lines: one(lines, "Measurement").update(video_id="vid-9"))
    other = new_store(tmp_path, "other")
    with pytest.raises(FormatError, match="nothing was written"):
        formats.commit(other, formats.read(file, other))
    assert other.count(Video) == 0


def test_a_number_that_no_database_holds_leaves_nothing(file: Path, tmp_path: Path) -> None:
    rewrite(file, lambda lines: one(lines, "Frame").update(pts=10**30))
    other = new_store(tmp_path, "other")
    with pytest.raises(FormatError, match="nothing was written"):
        formats.commit(other, formats.read(file, other))
    assert other.count(Video) == 0


def test_a_correction_of_nothing_leaves_nothing(file: Path, tmp_path: Path) -> None:
    rewrite(file, lambda lines: one(lines, "Correction").update(subject_id="txt-none"))
    other = new_store(tmp_path, "other")
    with pytest.raises(FormatError, match="nothing was written"):
        formats.commit(other, formats.read(file, other))
    assert other.count(Video) == 0


def test_a_video_a_person_and_a_frame_that_are_here_under_other_ids_are_recognised(
    store: Store, file: Path, tmp_path: Path
) -> None:
    other = new_store(tmp_path, "other")
    facts: VideoFacts | None = store.get(Video, "vid-1").facts
    mine = Video(
        id="vid-mine", title="mine", created_at=9.0, path="/videos/b.mp4", sha256="ab" * 32, facts=facts
    )
    other.add(
        [
            mine,
            Person(id="per-mine", name="annotator one", role="expert", created_at=9.0),
            Frame(id="frm-mine", video_id="vid-mine", index=0, pts=0),
        ]
    )
    formats.commit(other, formats.read(file, other))
    assert [v.id for v in other.find(Video)] == ["vid-mine"]
    assert other.get(Video, "vid-mine").path == "/videos/b.mp4"
    assert {text.video_id for text in other.find(Text)} == {"vid-mine"}
    assert other.get(Text, "txt-cap").subject_id == "vid-mine"
    assert [p.id for p in other.find(Person)] == ["per-mine"]
    assert [f.id for f in other.find(Frame, index=0)] == ["frm-mine"]
    assert {f.video_id for f in other.find(Frame)} == {"vid-mine"}
    assert other.find(Study)[0].sequences[0]["video_id"] == "vid-mine"
    assert other.find(ErrorSource)[0].person_id == "per-mine"


def test_an_evaluation_whose_name_is_taken_gets_a_mark(file: Path, tmp_path: Path) -> None:
    other = new_store(tmp_path, "other")
    other.add([Evaluation(id="evl-x", name="first try", created_at=1.0)])
    batch = formats.read(file, other)
    formats.commit(other, batch)
    assert [p.what[:13] for p in batch.problems] == ["an evaluation"]
    assert other.get(Evaluation, "evl-1").name.startswith("first try (")


def test_a_result_that_was_replaced_stays_replaced(store: Store, file: Path, tmp_path: Path) -> None:
    other = new_store(tmp_path, "other")
    formats.commit(other, formats.read(file, other))
    flags = {j.id: other.current("verdict", j.id, "verdict").superseded for j in other.find(Verdict)}
    assert flags["jdg-0"] is True
    assert flags["jdg-0b"] is False


def test_what_is_written_while_others_write_is_whole(store: Store, tmp_path: Path) -> None:
    """The header counts what the file holds, though a record comes in between."""
    writer = formats.FORMATS["dailies-jsonl"].writer
    assert writer
    ((_, lines),) = writer(Wanted(store, None, "current"))
    parts = iter(lines)
    head = next(parts)
    store.add([Video(id="vid-late", title="late", created_at=1.0)])
    out = tmp_path / "while.jsonl"
    out.write_text(str(head) + "".join(str(part) for part in parts), encoding="utf-8")
    batch = formats.read(out)
    assert store.count(Video) == 1 + sum(isinstance(record, Video) for record in batch.records)
