"""VLMEvalKit's question tables: the same questions as the dataset's own files, odd rows named."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Question
from annotation.records.errors import FormatError
from annotation.records.videos import Video
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.video_mmlu.mmlu_files import dataset

QA = [{"question": "How does it\nmove?", "answer": "it's panning"}, {"question": "Shaky?", "answer": "no"}]


def table(path: Path, *rows: list[str]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerows(rows)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def brought(store: Store, path: Path) -> list[str]:
    batch = formats.read(path, store)
    formats.commit(store, batch)
    return [f"{p.where}: {p.what}" for p in batch.problems]


def test_vdc_brings_the_questions_of_the_datasets_own_file(store: Store, tmp_path: Path) -> None:
    own = tmp_path / "camera.jsonl"
    own.write_text(json.dumps({"-clip": QA}) + "\n")
    path = table(
        tmp_path / "VDC.tsv",
        ["index", "video", "caption_type", "question"],
        ["0", "-clip.mp4", "camera", str(QA)],
        ["1", "-clip.mp4", "short", str(QA[:1])],
    )
    assert formats.detect(path) == "vlmevalkit-data"
    assert brought(store, path) == []
    assert store.count(Question) == 3
    assert brought(store, own) == []
    assert (store.count(Question), store.count(Video)) == (3, 1)
    assert {q.kind for q in store.find(Question)} == {"vdc:camera", "vdc:short"}


def test_video_mmlu_brings_the_questions_of_the_datasets_own_file(store: Store, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in dataset(tmp_path / "own.jsonl").read_text().splitlines()]
    cap = [["index", "video", "discipline", "question"]]
    qa = [["index", "video", "discipline", "question", "answer"]]
    for number, line in enumerate(lines):
        file, label = f"{line['video_id']}.mp4", line["discipline"].lower()
        cap.append([str(number), file, label, str(line["captions_qa"])])
        qa += [[str(number), file, label, q["question"], q["answer"]] for q in line["reasoning_qa"]]
    assert brought(store, table(tmp_path / "Video_MMLU_CAP.tsv", *cap)) == []
    assert brought(store, table(tmp_path / "Video_MMLU_QA.tsv", *qa)) == []
    assert store.count(Question) == 12
    assert brought(store, tmp_path / "own.jsonl") == []
    assert (store.count(Question), store.count(Video)) == (12, 3)
    assert {v.discipline for v in store.find(Video)} == {"math", "physics", "chemistry"}


def test_odd_rows_are_named_and_nothing_in_a_cell_is_run(store: Store, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    path = table(
        tmp_path / "VDC.tsv",
        ["index", "video", "caption_type", "question", "colour"],
        ["0", "a.mp4", "camera", str(QA), "x"],
        ["1", "a.mp4", "camera", str(QA), ""],
        ["2", "b.mp4", "sound", str(QA), ""],
        ["3", "", "short", str(QA), ""],
        ["4", "c.mp4", "short", f"[__import__('os').system('touch {ran}')]", ""],
        ["5", "d.mp4", "short", ("[{'question': 'a', 'answer': 'b'}, " * 2000)[:32_767], ""],
        ["6", "e.mp4", "short", "[{'question': 'a'}, {'question': 'b', 'answer': 'c'}]", ""],
        ["7", "f.mp4", "short", "[" * 100_000, ""],
    )
    lines = brought(store, path)
    assert [line.partition(": ")[2] for line in lines] == [
        "the column 'colour' is not kept",
        "video 'a' already appears at VDC.tsv line 2; the first is kept",
        "unknown caption_type 'sound', not one of camera, short, background, main_object, detailed; left out",
        "the video or the question is missing; left out",
        "the questions cannot be read: not a list of questions",
        "the questions cannot be read: the text was cut at the length of a cell",
        "question 1 has no question and answer; left out",
        "the questions cannot be read: not a list of questions",
    ]
    assert not ran.exists()
    assert store.count(Question) == 3


@pytest.mark.parametrize(
    "raw",
    [
        b"index\tvideo\tcaption_type\tquestion\n0\ta\tcamera\t\xff\n",
        b"video\tquestion\tdiscipline\na\tq\tMath\tmore\tcells\n",
    ],
)
def test_a_broken_table_is_refused_in_one_line(store: Store, tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "x.tsv").write_bytes(raw)
    with pytest.raises(FormatError, match=r"x\.tsv") as refusal:
        formats.commit(store, formats.read(tmp_path / "x.tsv", store))
    assert "\n" not in str(refusal.value)
    assert store.count(Video) == 0
