"""Files of Video-MMLU: what they bring, what is odd in them, and that they go out as they came in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from annotation.records.captions_to_verdicts import Question, Text
from annotation.records.errors import FormatError
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from exports.catalogue import format_registry as formats
from tests.databases import new_store

LINE = {
    "video_id": "-abcDEF1234",
    "discipline": "Math",
    "caption": "The derivative f'(x) of x^2 is 2x.",
    "captions_qa": [
        {"question": "What is f\\'(x)?", "answer": "It\\'s 2x"},
        {"question": "Which colour?", "answer": "red"},
        {"question": "Which colour?", "answer": "red"},
    ],
    "reasoning_qa": [{"question": "Why 2x?", "answer": "The slope doesn\\'t stay; it's 'rising'"}],
    "channel": {"name": "a"},
}
OTHER = {
    "video_id": "phys0000001",
    "discipline": "physics",
    "transcript": "F = ma.",
    "captions_qa": [{"question": "Which law?", "answer": "F = ma"}],
    "reasoning_qa": [],
}


def save(folder: Path, *lines: Any, name: str = "video_mmlu.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return new_store(tmp_path)


def brought(store: Store, path: Path, **more: Any) -> list[str]:
    batch = formats.read(path, store, **more)
    formats.commit(store, batch)
    return [f"{p.where}: {p.what}" for p in batch.problems]


def test_questions_notes_and_disciplines_come_in(store: Store, tmp_path: Path) -> None:
    path = save(tmp_path, LINE, OTHER)
    assert formats.detect(path) == "video-mmlu"
    assert brought(store, path) == []
    found = store.find(Question, order_by=["kind", "index"])
    math = [(q.kind, q.text, q.reference) for q in found if q.text != "Which law?"]
    assert math == [
        (NOTES, "What is f'(x)?", "It's 2x"),
        (NOTES, "Which colour?", "red"),
        (NOTES, "Which colour?", "red"),
        (REASONING, "Why 2x?", "The slope doesn't stay; it's 'rising'"),
    ]
    assert {v.title: v.discipline for v in store.find(Video)} == {
        "-abcDEF1234": "Math",
        "phys0000001": "physics",
    }
    assert {t.value for t in store.find(Text, kind=NOTES)} == {LINE["caption"], "F = ma."}
    assert formats.commit(store, formats.read(path, store)) == {}


def test_it_goes_out_as_it_came_in(store: Store, tmp_path: Path) -> None:
    brought(store, save(tmp_path, LINE, OTHER))
    formats.write(store, "video-mmlu", tmp_path / "out.jsonl")
    out = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert out == [LINE, OTHER]


def test_a_corrected_answer_goes_out_as_corrected_and_its_question_as_the_file_had_it(
    store: Store, tmp_path: Path
) -> None:
    from annotation.records.decisions import Person

    brought(store, save(tmp_path, LINE))
    store.add([Person(id="per-1", name="one", role="admin", created_at=1.0)])
    first = store.find(Question, kind=NOTES, order_by=["index"])[0]
    say = {"person_id": "per-1", "reason": "r", "base_revision": 0}
    store.correct("question", first.id, "reference", "2x it's", **say)
    formats.write(store, "video-mmlu", tmp_path / "out.jsonl")
    line = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    assert line["captions_qa"][0] == {"question": "What is f\\'(x)?", "answer": "2x it's"}
    formats.write(store, "video-mmlu", tmp_path / "machine.jsonl", values="machine")
    assert json.loads((tmp_path / "machine.jsonl").read_text(encoding="utf-8")) == LINE


def test_what_is_odd_is_named_with_its_line(store: Store, tmp_path: Path) -> None:
    path = save(
        tmp_path,
        LINE,
        LINE | {"captions_qa": []},
        LINE,
        {"video_id": " ", "captions_qa": []},
        OTHER | {"video_id": "b", "captions_qa": [{"question": "q", "level": 3}, 7], "discipline": None},
        OTHER | {"video_id": "c", "captions_qa": "none", "transcript": ""},
    )
    assert brought(store, path) == [
        "video_mmlu.jsonl:2: video '-abcDEF1234' already appears at video_mmlu.jsonl:1; this one differs, "
        "the first is kept",
        "video_mmlu.jsonl:3: video '-abcDEF1234' already appears at video_mmlu.jsonl:1; this one is "
        "identical, the first is kept",
        "video_mmlu.jsonl:4: not an object with a video_id; left out",
        "video_mmlu.jsonl:5: video 'b' has no discipline",
        "video_mmlu.jsonl:5: video 'b', captions_qa 1: no answer",
        "video_mmlu.jsonl:5: video 'b', captions_qa 2: not an object; left out",
        "video_mmlu.jsonl:6: video 'c': captions_qa is not a list; left out",
        "video_mmlu.jsonl:6: video 'c' has no reference notes (caption)",
        "video_mmlu.jsonl: the field 'level' of 1 question is not kept",
    ]
    assert store.count(Video) == 3


def test_the_list_of_disciplines_alone(store: Store, tmp_path: Path) -> None:
    labels = [{"video_id": "-abcDEF1234", "label": "Math"}, {"video_id": "x", "label": "Chemistry"}]
    path = save(tmp_path, *labels, labels[1], name="video_sources.jsonl")
    assert formats.detect(path) == "video-mmlu"
    assert brought(store, path) == [
        "video_sources.jsonl:3: video 'x' already appears at video_sources.jsonl:2; this one is identical, "
        "the first is kept"
    ]
    assert brought(store, save(tmp_path, LINE | {"discipline": "Physics"})) == [
        "video_mmlu.jsonl:1: video '-abcDEF1234' has the discipline 'Math' here, but 'Physics' in the file; "
        "'Math' is kept"
    ]
    assert {v.title: v.discipline for v in store.find(Video)} == {"-abcDEF1234": "Math", "x": "Chemistry"}


@pytest.mark.parametrize("cut", [0.2, 0.6, 0.95])
def test_a_file_that_was_cut_brings_nothing(store: Store, tmp_path: Path, cut: float) -> None:
    path = save(tmp_path, LINE, OTHER)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * cut)])
    with pytest.raises(FormatError, match=r"video_mmlu\.jsonl"):
        formats.commit(store, formats.read(path, store))
    assert store.count(Video) == 0
