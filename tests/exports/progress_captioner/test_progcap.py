"""ProgressCaptioner's public files, FrameCap's lines and FrameCapEval's labels, as quoted and mutated."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import FrameLabel, Selection
from annotation.records.runs import ModelCall, Run
from annotation.records.videos import Alias, Dataset, Frame, Video
from annotation.store.store import Store
from annotation.systems.progress_captioner.frame_sequences import evidence
from backends.video_and_word_types import VideoFacts
from exports.catalogue import format_registry as formats
from exports.progress_captioner.progcap_frame_names import clip_of, frames_of, mode_of, query
from tests.databases import new_store

HTC = "data/howtochange/val_frames/uYC9xAvPcro_st375.0_dur40.0"
SECONDS = (5, 12, 26, 34)


def record(n: int = 4, **more: Any) -> dict[str, Any]:
    """As in the published output: a text for idx, a label, the query, the reply."""
    found = {
        "idx": "0020",
        "action_label": "slicing butter",
        "n_frames": n,
        "image_files": [f"{HTC}/frame{s:03d}.png" for s in SECONDS[:n]],
        "query0": query(n, "slicing butter", "a"),
        "response0": "\n".join(f"<Frame {i}>: It is {i} > {i - 1}, *now*." for i in range(1, n + 1)),
    }
    return {key: value for key, value in (found | more).items() if value is not None}


def example() -> list[dict[str, Any]]:
    """The shipped example: three records with the number 0, no label, two kinds of query."""
    files = [f"data/example_video/frame{s:03d}.png" for s in (2, 26, 40, 41, 54)]
    reply = "\n".join(f"<Frame {i}>: Frame {i} shows tofu." for i in range(1, 6))
    return [
        {
            "idx": 0,
            "n_frames": 5,
            "image_files": files,
            "query0": query(5, "", mode),
            "response0": f"{reply} Take {n}.",
        }
        for n, mode in enumerate("acc")
    ]


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def loaded(tmp_path: Path, value: Any, name: str = "model.json") -> tuple[Store, tuple[str, ...]]:
    store = new_store(tmp_path)
    batch = formats.read(write(tmp_path / "in" / name, value), store)
    assert batch.format == "progcap"
    formats.commit(store, batch)
    return store, tuple(problem.what for problem in batch.problems)


def out(store: Store, tmp_path: Path, values: str = "current") -> list[dict[str, Any]]:
    files = formats.write(store, "progcap", tmp_path / "out", values=values)
    return [row for file in sorted(files) for row in json.loads(file.read_text(encoding="utf-8"))]


def records_of(store: Store) -> dict[str, list[Any]]:
    """Everything but the moments of import."""
    return {
        kind.__name__: sorted(repr(_timeless(row)) for row in store.find(kind))
        for kind in (Video, Alias, Dataset, Frame, Run, Selection, Text, ModelCall)
    }


def _timeless(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__dataclass_fields__ if name != "created_at"}


# --- the public files -------------------------------------------------------------------


def test_a_record_gives_its_frames_by_second_and_its_captions(tmp_path: Path) -> None:
    store, problems = loaded(tmp_path, [record()])
    assert problems == ()
    video = store.find(Video)[0]
    assert (video.title, video.action) == ("uYC9xAvPcro_st375.0_dur40.0", "slicing butter")
    assert [f.index for f in store.find(Frame, order_by=["index"])] == list(SECONDS)
    texts = store.find(Text, order_by=["id"])
    assert {t.value for t in texts} == {f"It is {i} > {i - 1}, *now*." for i in range(1, 5)}
    assert {t.state for t in texts} == {"done"} and {t.frames for t in texts} == {SECONDS}
    run = store.find(Run)[0]
    assert (run.model, run.stage, run.params) == ("model", "frames", {"mode": "a"})
    assert out(store, tmp_path) == [record()]


def test_an_input_file_has_sequences_alone(tmp_path: Path) -> None:
    store, _ = loaded(tmp_path, [record(response0=None)])
    assert store.find(Text) == [] and store.find(Selection)[0].frames == SECONDS
    assert out(store, tmp_path) == [record(response0=None)]


def test_every_copy_of_an_idx_is_kept_and_reported(tmp_path: Path) -> None:
    store, problems = loaded(tmp_path, example())
    assert len(problems) == 2 and all("idx 0 already appears at model.json item 1" in p for p in problems)
    assert [dict(r.params) for r in store.find(Run, order_by=["created_at", "id"])] in (
        [{"mode": "a"}, {"mode": "c"}, {"mode": "c", "take": 2}],
        [{"mode": "c"}, {"mode": "a"}, {"mode": "c", "take": 2}],
    )
    assert store.count(Text) == 15 and store.count(Frame) == 5
    assert out(store, tmp_path) == example()


def test_post_processed_captions_are_a_list(tmp_path: Path) -> None:
    rows = [
        record(2, response0=["a > b", "c * d"]),
        record(
            3,
            idx=7,
            response0=["one", "two", "three"],
            image_files=[f"data/other/frame{s:03d}.png" for s in (1, 2, 3)],
        ),
    ]
    store, problems = loaded(tmp_path, rows)
    assert problems == () and out(store, tmp_path) == rows


def test_twelve_frames_are_read(tmp_path: Path) -> None:
    """The published code breaks from ten frames on."""
    row = record(
        idx="x",
        n_frames=12,
        image_files=[f"d/v/frame{s:03d}.png" for s in range(12)],
        response0="\n".join(f"<Frame {i}>: caption {i}" for i in range(1, 13)),
    )
    store, problems = loaded(tmp_path, [row])
    assert problems == () and {t.value for t in store.find(Text)} == {f"caption {i}" for i in range(1, 13)}


@pytest.mark.parametrize(
    ("more", "words", "kept"),
    [
        ({"response0": "<Frame 1>: a\n<Frame 2>: b"}, "2 of 4 frames have no caption", True),
        ({"response0": ["a", "b"]}, "2 captions for 4 frames", True),
        ({"response0": ["a", "b", 3, "d"]}, "a caption is not a text", True),
        ({"response0": {"a": 1}}, "neither a text nor a list", True),
        ({"n_frames": 3}, "n_frames is 3, but image_files has 4", True),
        ({"idx": None}, "idx is neither a text nor a number", True),
        ({"image_files": ["a/frame001.png", "b/frame002.png"]}, "not all in one folder", False),
        ({"image_files": ["a/first.png", "a/frame002.png"]}, "'first.png' has no number", False),
        ({"n_frames": 2, "image_files": ["a/frame002.png", "a/frame002.png"]}, "the same frame", False),
        ({"image_files": "a/frame002.png"}, "not a list of files", False),
    ],
)
def test_what_is_odd_is_reported_and_kept_where_it_can_be(
    tmp_path: Path, more, words: str, kept: bool
) -> None:
    good = record(idx="good", image_files=[f"d/v/frame{s:03d}.png" for s in SECONDS])
    store, problems = loaded(tmp_path, [record(**more), good])
    assert len(problems) == 1 and words in problems[0]
    back = out(store, tmp_path)
    assert good in back and len(back) == 1 + kept
    if kept:
        assert record(**more) in back


def test_a_corrected_caption_goes_out_in_its_place(tmp_path: Path) -> None:
    store, _ = loaded(tmp_path, [record(2)])
    text = next(t for t in store.find(Text) if "It is 2" in t.value)
    store.add([*_people()])
    store.correct("text", text.id, "value", "It is done.", person_id="per-1", base_revision=0)
    assert out(store, tmp_path / "machine", "machine") == [record(2)]
    said = out(store, tmp_path / "now")[0]["response0"]
    assert said == "<Frame 1>: It is 1 > 0, *now*.\n<Frame 2>: It is done."


def _people():
    from annotation.records.decisions import Person

    return [Person(id="per-1", name="ann", role="annotator", created_at=1.0)]


def test_drawn_files_read_back_to_equal_records(tmp_path: Path) -> None:
    draw = random.Random(5)
    for turn in range(8):
        rows = [drawn(draw, n) for n in range(draw.randint(1, 6))]
        folder = tmp_path / str(turn)
        folder.mkdir()
        store, _ = loaded(folder, rows)
        files = formats.write(store, "progcap", folder / "out")
        other = new_store(folder, "other")
        formats.commit(other, formats.read(folder / "out", other))
        assert records_of(other) == records_of(store), rows
        assert len(files) in (1, 2)
        store.close()
        other.close()


def drawn(draw: random.Random, number: int) -> dict[str, Any]:
    n = draw.randint(2, 12)
    folder = f"d/{draw.choice(('a', '-b', 'c_st3.5_dur20.0', 'ü 漢'))}{number}"
    files = [f"{folder}/frame{s:03d}.png" for s in sorted(draw.sample(range(200), n))]
    pieces = ("a > b", "*c*", "“quoted”", "previous frame", "line\nbreak", "é 漢 🎬", "Frame 3", "1. x")
    captions = [" ".join(draw.choices(pieces, k=draw.randint(1, 4))) for _ in range(n)]
    said: Any = [*captions]
    if draw.random() < 0.6:
        said = "\n".join(f"<Frame {i}>: {c}" for i, c in enumerate(captions, 1))
    row = {
        "idx": draw.choice((number, f"{number:04d}")),
        "action_label": draw.choice(("", "cut", None)),
        "n_frames": n,
        "image_files": files,
        "query0": query(n, "", draw.choice("abc")),
        "response0": draw.choice((said, said, None)),
        "note": draw.choice((None, {"x": [1]})),
    }
    return {key: value for key, value in row.items() if value is not None}


def test_a_frame_is_a_second_of_the_clip_also_in_a_video_that_is_here(tmp_path: Path) -> None:
    facts = VideoFacts(
        stream_index=0,
        frames=1000,
        duration_s=500.0,
        width=64,
        height=48,
        rotation=0,
        sample_aspect="1:1",
        fps_avg=2.0,
        vfr=False,
        codec="h264",
        pixel_format="yuv420p",
        time_base="1/1000",
        start_pts=0,
        start_s=0.0,
        audio=False,
        browser_playable=True,
    )
    clip = clip_of(record()["image_files"])
    assert not isinstance(clip, str) and (clip.source, clip.start_s) == ("uYC9xAvPcro", 375.0)
    whole = Video(id="vid-w", title="uYC9xAvPcro", created_at=1.0, facts=facts)
    cut = Video(id="vid-c", title=clip.folder, created_at=1.0, facts=facts)
    assert [f.index for f in frames_of(whole, clip)] == [2 * (375 + s) for s in SECONDS]
    assert [f.index for f in frames_of(cut, clip)] == [2 * s for s in SECONDS]
    assert [f.pts for f in frames_of(cut, clip)] == [1000 * s for s in SECONDS]


def test_the_kind_of_query_is_told_by_its_words() -> None:
    assert [mode_of(query(3, "x", mode)) for mode in "abc"] == ["a", "b", "c"]
    assert mode_of("Describe it.") == "" == mode_of(None)


# --- preferences and labels -------------------------------------------------------------


def dpo(**more: Any) -> dict[str, Any]:
    files = [f"d/v/frame{s:03d}.png" for s in (3, 9)]
    good, bad = "<Frame 1>: whole\n<Frame 2>: cut > *half*", "<Frame 1>: cut\n<Frame 2>: cut"
    return {
        "id": "1",
        "action_label": "cutting",
        "n_frames": 2,
        "image_files": files,
        "prompt": f"<image><image>\n{query(2, 'cutting', 'c')}",
        "chosen": good,
        "rejected": bad,
        "chosen_model": "P",
        "rejected_model": "Q",
        "chosen_matched": "AB",
        "rejected_matched": "BA",
        "rejected_for": "matching",
    } | more


def lines(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("reason", ["matching", "progression"])
def test_preferences_come_back_as_they_went_out(tmp_path: Path, reason: str) -> None:
    store = new_store(tmp_path)
    batch = formats.read(lines(tmp_path / "dpo.jsonl", [dpo(rejected_for=reason)]), store)
    assert (batch.format, batch.problems) == ("framecap-dpo", ())
    formats.commit(store, batch)
    found = {e.outcome: e for e in evidence(store)}
    assert found["accepted"].captions == ("whole", "cut > *half*")
    assert found["rejected"].captions == ("cut", "cut")
    assert found["rejected"].passed is (reason == "matching")
    formats.write(store, "framecap-dpo", tmp_path / "out.jsonl")
    (row,) = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert {**row, "id": "1"} == dpo(rejected_for=reason)
    formats.write(store, "framecap-sft", tmp_path / "sft.jsonl")
    (row,) = [json.loads(line) for line in (tmp_path / "sft.jsonl").read_text().splitlines()]
    assert row["conversations"][1]["value"] == dpo()["chosen"] and row["model"] == "P"
    assert row["conversations"][0]["value"].startswith("<image><image>\nThese are 2 frames")


@pytest.mark.parametrize(
    "more", [{"image_files": []}, {"prompt": None}, {"chosen": "nothing"}, {"rejected": ["a"]}]
)
def test_odd_preferences_are_reported(tmp_path: Path, more: dict[str, Any]) -> None:
    store = new_store(tmp_path)
    batch = formats.read(lines(tmp_path / "dpo.jsonl", [dpo(**more), dpo()]), store)
    assert len(batch.problems) == 1 and "dpo.jsonl:1" in batch.problems[0].where


def label(**more: Any) -> dict[str, Any]:
    return {
        "video": "v",
        "image_files": ["v/frame003.png", "v/frame009.png"],
        "label": 1,
        "answer": "yes",
        "person": "ann",
        "created_at": 5.0,
    } | more


def test_labels_come_back_and_the_paper_s_numbers_are_enough(tmp_path: Path) -> None:
    rows = [
        label(),
        label(person="ben", label=0, answer="no"),
        label(person="eva", label=None, answer="uncertain"),
    ]
    store = new_store(tmp_path)
    formats.commit(store, formats.read(lines(tmp_path / "a.jsonl", rows), store))
    formats.write(store, "framecap-labels", tmp_path / "b.jsonl")
    assert [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()] == rows
    bare = {"video": "w", "image_files": ["w/frame001.png", "w/frame002.png"], "label": 0}
    formats.commit(store, formats.read(lines(tmp_path / "c.jsonl", [bare]), store))
    assert store.find(FrameLabel, first=1)[0].label == "no"


@pytest.mark.parametrize(
    "more",
    [
        {"label": 2, "answer": ""},
        {"label": "yes", "answer": None},
        {"image_files": ["v/frame003.png"]},
        {"image_files": ["v/frame003.png", "v/frame003.png"]},
    ],
)
def test_odd_labels_are_left_out_with_a_word(tmp_path: Path, more: dict[str, Any]) -> None:
    batch = formats.read(
        lines(tmp_path / "a.jsonl", [label(), label(person="ben", **more)]), new_store(tmp_path)
    )
    assert len(batch.problems) == 1 and sum(isinstance(r, FrameLabel) for r in batch.records) == 1
