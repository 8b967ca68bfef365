"""Files that are broken, hostile or only odd: one clear line, and nothing half-imported."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.errors import FormatError
from annotation.records.videos import Alias, Video
from backends.errors import DailiesError, UsageError
from exports.catalogue import format_registry as formats
from exports.files import read_text_and_json
from exports.files.write_files import safe_names
from exports.generic.verdicts_csv import COLUMNS, neutral
from tests.databases import new_store
from tests.exports.world import filled_store

CAPTIONS = {"video_id": "v", "short_caption": "a"}
QA = {"v": [{"question": "q", "answer": "a", "category": ""}]}


def save(folder: Path, name: str, *lines: object) -> Path:
    path = folder / name
    path.write_bytes(
        b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    )
    return path


@pytest.mark.parametrize(
    "bad",
    [
        b"\xff\xfe{",
        b'{"video_id": "v\xe9"}',
        b'{"video_id": "v", "short_caption": "a',
        b"not json",
        b"[" * 100_000,
        b'{"video_id": "a", "video_id": "b"}',
        b'{"video_id": "v", "x": NaN}',
        b'{"video_id": "v", "x": 1e999}',
        b'{"video_id": "v", "x": ' + b"9" * 400 + b"}",
        b'{"video_id": "v", "x": ' + b"9" * 5000 + b"}",
    ],
)
@pytest.mark.parametrize("first", [CAPTIONS, QA, None])
def test_a_file_with_one_bad_line_is_not_read_at_all(tmp_path: Path, first: object, bad: bytes) -> None:
    path = save(tmp_path, "camera.jsonl", *([first] if first else []), bad)
    store = new_store(tmp_path)
    with pytest.raises(FormatError) as refusal:
        formats.commit(store, formats.read(path, store))
    message = str(refusal.value)
    assert message.startswith("camera.jsonl:2: " if first else "camera.jsonl")
    assert "\n" not in message and str(tmp_path) not in message and len(message) < 1500
    assert store.count(Video) == 0


def test_a_line_without_end_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_text_and_json, "MAX_LINE", 1000)
    path = save(tmp_path, "camera.jsonl", QA, {"w": [{"question": "q" * 2000, "answer": "a"}]})
    with pytest.raises(FormatError, match=r"camera\.jsonl:2: the line is longer"):
        formats.read(path)


def test_an_empty_file_and_an_empty_folder(tmp_path: Path) -> None:
    for path, words in ((save(tmp_path, "x.jsonl"), "the file has no entries"), (tmp_path, "unknown format")):
        with pytest.raises(FormatError, match=words):
            formats.detect(path)
    with pytest.raises(FormatError):
        formats.read(tmp_path / "x.jsonl", format="vdc-captions")


def test_a_file_in_another_format_than_said(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not a carebench file"):
        formats.read(save(tmp_path, "x.jsonl", CAPTIONS), format="carebench")


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/etc/passwd", "..", "-rf", "<img src=x onerror=1>", "a" * 3000]
)
def test_names_of_videos_are_only_words(tmp_path: Path, name: str) -> None:
    store = new_store(tmp_path)
    path = save(tmp_path, "x.jsonl", {**CAPTIONS, "video_id": name, "video_name": name})
    formats.commit(store, formats.read(path, store))
    (video,) = store.find(Video)
    assert (video.title, video.path) == (name, None)
    assert store.find(Alias)[0].alias == name
    assert video.id.startswith("vid-") and "/" not in video.id


def test_names_of_files_stay_in_their_folder(tmp_path: Path) -> None:
    titles = ["../../x", "/etc/passwd", "..", "CON", ".hidden", "a\0b", "x" * 500, "A", "a", "", "é 漢.mp4"]
    names = safe_names(titles, ".srt")
    assert len({name.casefold() for name in names}) == len(titles)
    for name in names:
        assert os.sep not in name and "\0" not in name and not name.startswith(".") and len(name) < 100
        (tmp_path / name).write_text("x", encoding="utf-8")


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", " =1", "＝1", "\n=1"])
def test_formulas_are_words_in_a_spreadsheet(cell: str) -> None:
    assert neutral(cell) == f"'{cell}"


def test_other_cells_stay_as_they_are() -> None:
    for cell in ("plain", "a=b", "", 4.8, -1, None, "'quoted"):
        assert neutral(cell) == cell


def test_the_table_holds_machine_and_current_side_by_side(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    (path,) = formats.write(store, "verdicts-csv", tmp_path / "x.csv", values="machine")
    text = path.read_bytes().decode("utf-8-sig")
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert tuple(rows[0]) == COLUMNS
    by_index = {row["index"]: row for row in rows}
    assert len(rows) == 4
    corrected = by_index["1"]
    assert [corrected[k] for k in ("machine_pred", "machine_score", "pred", "score", "corrected")] == [
        "no",
        "1.0",
        "yes",
        "5.0",
        "yes",
    ]
    assert (corrected["corrected_by"], corrected["correction_reason"]) == ("annotator one", "I looked")
    assert (corrected["error_source"], corrected["error_source_note"]) == ("judge", "'@note")
    assert corrected["question"] == "'-What 1?"
    assert [by_index["2"][k] for k in ("machine_state", "state", "pred", "score")] == [
        "unparsed",
        "done",
        "no",
        "0.0",
    ]
    assert by_index["3"]["score"] == ""
    assert by_index["0"]["pred"] == "no"  # the newer of the two verdicts on this answer


def test_odd_lines_are_reported_with_their_place_and_read_around(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        "x.jsonl",
        {"video_id": "a", "short_caption": "one", "mood": "calm"},
        ["no"],
        {"short_caption": "two"},
        {"video_id": "a", "short_caption": "other"},
        {"video_id": "b", "captions": {"short_caption": "three", "camera_caption": 3}},
    )
    store = new_store(tmp_path)
    batch = formats.read(path, store)
    places = sorted((p.where, p.what) for p in batch.problems if "has no" not in p.what)
    assert [where for where, _ in places] == ["x.jsonl:2", "x.jsonl:3", "x.jsonl:4"]
    assert "x.jsonl:1" in places[2][1] and "differs" in places[2][1]
    assert any(p == formats.Problem("x.jsonl:5", "video 'b' has no camera_caption") for p in batch.problems)
    formats.commit(store, batch)
    assert sorted(text.value for text in store.find(Text)) == ["other", "three"]


def test_odd_questions_are_reported(tmp_path: Path) -> None:
    entries = [{"question": "q", "answer": "a", "x": 1}, {"question": "", "answer": " "}, "no", {"answer": 3}]
    path = save(tmp_path, "camera.jsonl", {"v": entries}, {"v": entries[:1]}, {"v": entries}, {"w": "no"}, [])
    batch = formats.read(path)
    assert [(p.where, p.what) for p in batch.problems] == [
        (
            "camera.jsonl:2",
            "video 'v' already appears at camera.jsonl:1; they differ "
            "(4 questions before, 1 here), the last is kept",
        ),
        (
            "camera.jsonl:3",
            "video 'v' already appears at camera.jsonl:2; they differ "
            "(1 questions before, 4 here), the last is kept",
        ),
        ("camera.jsonl:4", "video 'w' has no list of questions; left out"),
        ("camera.jsonl:5", "not an object {video_id: [questions]}; left out"),
        ("camera.jsonl:3", "video 'v', question 2: the question is empty"),
        ("camera.jsonl:3", "video 'v', question 2: the answer is empty"),
        ("camera.jsonl:3", "video 'v', question 3: not an object; left out"),
        ("camera.jsonl:3", "video 'v', question 4: no question"),
        ("camera.jsonl:3", "video 'v', question 4: no answer"),
        ("camera.jsonl", "the field 'x' of 1 question is not kept"),
    ]
    assert batch.counts()["Question"] == 3


def test_of_two_lines_of_a_video_the_last_counts_as_for_the_peers(tmp_path: Path) -> None:
    """`dict.update`, line after line: what AuroraCap's scorer and lmms-eval's loader do."""
    lines = [{"v": QA["v"]}, {"w": QA["v"]}, {"v": [{"question": "Last?", "answer": "yes"}]}]
    expected: dict[str, list[dict[str, str]]] = {}
    for line in lines:
        expected.update(line)
    store = new_store(tmp_path)
    formats.commit(store, formats.read(save(tmp_path, "camera.jsonl", *lines), store))
    names = {video.id: video.title for video in store.find(Video)}
    found = {(names[q.video_id], q.text) for q in store.find(Question)}
    assert found == {(name, one["question"]) for name, entries in expected.items() for one in entries}


def test_the_aspect_comes_from_the_name_or_is_asked_for(tmp_path: Path) -> None:
    path = save(tmp_path, "questions.jsonl", QA)
    with pytest.raises(FormatError, match="--aspect"):
        formats.read(path)
    (question,) = [r for r in formats.read(path, aspect="short").records if isinstance(r, Question)]
    assert question.kind == "vdc:short"
    with pytest.raises(UsageError, match="choose from"):
        formats.read(path, aspect="sound")


def test_a_name_that_fits_two_videos_is_for_a_person_to_sort_out(tmp_path: Path) -> None:
    store = new_store(tmp_path)
    store.add([Video(id=f"vid-{n}", title="clip", created_at=1.0) for n in range(2)])
    batch = formats.read(save(tmp_path, "camera.jsonl", {"clip": QA["v"]}), store)
    assert ["2 videos of the workspace are named" in p.what for p in batch.problems] == [True]
    formats.commit(store, batch)
    assert store.count(Video) == 3


@pytest.mark.parametrize("name", ["clip", "clip.mp4"])
def test_a_video_is_known_by_its_file_name(tmp_path: Path, name: str) -> None:
    store = new_store(tmp_path)
    store.add([Video(id="vid-1", title="A day out", path="/videos/clip.mp4", created_at=1.0)])
    line = {
        "video": name,
        "caption": "c",
        "spatial_caption": "s",
        "temporal_caption": "t",
        "category": "Sports",
    }
    path = save(tmp_path, "x.json", [{**line, "category": "Sports", "subcategory": "running", "odd": 1}])
    formats.commit(store, formats.read(path, store))
    (video,) = store.find(Video)
    assert (video.id, video.path, video.category) == ("vid-1", "/videos/clip.mp4", "Sports")
    assert video.extra == {"video_name": name, "subcategory": "running", "carebench": {"odd": 1}}


def test_every_error_is_ours_on_any_bytes(tmp_path: Path) -> None:
    """Short damaged files of each kind: an error of the project, or a batch."""
    store = filled_store(tmp_path)
    for name in ("dailies-jsonl", "vdc-captions", "carebench"):
        (whole,) = formats.write(store, name, tmp_path / f"{name}.txt")
        content = whole.read_bytes()
        for cut in range(0, len(content), max(1, len(content) // 25)):
            whole.write_bytes(content[:cut])
            try:
                formats.read(whole, format=name)
            except DailiesError as error:
                assert "\n" not in str(error)


@pytest.mark.parametrize("text", ["", "[]", "\ufeff{}\r\n", " \n\n"])
def test_a_file_without_an_entry_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=r"x\.json: the file has no entries"):
        formats.detect(tmp_path / "x.json")


@pytest.mark.parametrize("bad", [r"half a \ud83d character", r"a \u0000 character"])
def test_a_character_that_cannot_be_stored_costs_neither_the_file_nor_the_line(
    tmp_path: Path, bad: str
) -> None:
    """It is replaced, and the line is named: a log of 100,000 verdicts is not lost for one of them."""
    store = new_store(tmp_path)
    path = save(
        tmp_path, "captions.jsonl", CAPTIONS, f'{{"video_id": "w", "short_caption": "{bad}"}}'.encode()
    )
    batch = formats.read(path, store)
    assert [p.where for p in batch.problems if "U+FFFD" in p.what] == ["captions.jsonl:2"]
    formats.commit(store, batch)
    assert any("\ufffd character" in text.value for text in store.find(Text))
    assert formats.read(path, store).counts() == batch.counts()
