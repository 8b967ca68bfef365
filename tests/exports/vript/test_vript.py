"""Vript's files: published shapes and mutated ones, in, out, and in again to equal records."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.records.captions_to_verdicts import Text
from annotation.records.errors import FormatError
from annotation.records.videos import Measurement, Scene, SceneList, Segment, Video
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.scenes_without_file import NOMINAL, UNTIMED
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.vript.vript_shapes import (
    BAG,
    FIELDS,
    SAID,
    TITLE,
    asr_row,
    caption_row,
    captions,
    clip_id,
    cuts,
    dataset,
    put,
)
from tests.exports.world import filled_store

Problems = list[str]


def taken(tmp_path: Path, path: Path, name: str = "one") -> tuple[Store, Problems]:
    store = new_store(tmp_path, name)
    batch = formats.read(path, store)
    formats.commit(store, batch)
    return store, [f"{p.where}: {p.what}" for p in batch.problems]


def held(store: Store) -> dict[str, Any]:
    """All records of a script, without the times at which they were imported."""
    scenes = sorted(store.find(Scene), key=lambda s: (s.video_id, s.index))
    return {
        "videos": [replace(v, created_at=0.0) for v in store.find(Video, order_by=["id"])],
        "lists": [replace(one, created_at=0.0) for one in store.find(SceneList, order_by=["id"])],
        "scenes": scenes,
        "texts": sorted((t.subject_id, t.kind, t.value, t.baseline) for t in store.find(Text)),
        "first": [t.value for t in store.find(Text, kind="script:content", order_by=["created_at"])][-1:],
        "segments": [
            replace(s, run_id="", id="") for s in store.find(Segment, order_by=["video_id", "start_s"])
        ],
        "measured": sorted(json.dumps([m.subject_id, m.kind, m.value]) for m in store.find(Measurement)),
    }


def again(tmp_path: Path, store: Store, format_: str = "vript") -> tuple[Store, Path]:
    """Written, and read into a fresh workspace."""
    out = tmp_path / f"written{formats.FORMATS[format_].suffix}"
    formats.write(store, format_, out)
    return taken(tmp_path, out, "two")[0], out


# --- the published shapes -------------------------------------------------------------


def test_a_folder_of_the_dataset_is_one_import(tmp_path: Path) -> None:
    folder = dataset(tmp_path / "Vript")
    dataset(folder, "-b-Scene-9", 2)
    assert formats.detect(folder) == "vript"
    store, problems = taken(tmp_path, folder)
    assert problems == []
    bag, other = sorted(store.find(Video), key=lambda v: v.id == "x" or len(current_scenes(store, v.id)))[
        ::-1
    ]
    assert (bag.title, bag.extra) == (TITLE, {})
    scenes = current_scenes(store, bag.id)
    assert [(s.start_s, s.end_s, s.start_frame) for s in scenes] == [
        (0, 10.5, 0),
        (10.5, 21, 10_500),
        (21, 31.5, 21_000),
    ]
    assert store.scene_list(bag.id).note == NOMINAL
    texts = {(t.subject_id, t.kind): t.value for t in store.find(Text, video_id=bag.id)}
    assert texts[scenes[1].key, "script:content"] == f"2: {FIELDS['content']}"
    assert texts[scenes[0].key, "script:shot_type"] == FIELDS["shot_type"] and len(texts) == 12
    said = store.find(Segment, video_id=bag.id, order_by=["start_s"])
    assert [(s.start_s, s.end_s, s.text, s.language) for s in said[:2]] == [
        (1.58, 6.02, f"{SAID} 1", "en"),
        (12.08, 16.52, f"{SAID} 2", "en"),
    ]
    assert len(current_scenes(store, other.id)) == 2


def test_the_dataset_s_files_come_back_to_equal_records(tmp_path: Path) -> None:
    store, _ = taken(tmp_path, dataset(tmp_path / "Vript"))
    other, out = again(tmp_path, store)
    assert held(other) == held(store)
    document = json.loads((out / f"{BAG}_caption.json").read_text())
    assert document == captions(BAG, 3)
    assert list(document["data"][clip_id(BAG, 1)]["caption"]) == list(FIELDS)
    rows = [json.loads(line) for line in (out / f"{BAG}_asr.jsonl").read_text().splitlines()]
    assert rows == [asr_row(BAG, n) for n in (3, 2, 1)]
    assert json.loads((out / f"{BAG}_cut_meta.json").read_text())["clips"][2] == {
        "clip_id": f"{clip_id(BAG, 3)}.mp4",
        "start_time": 21.0,
        "end_time": 31.5,
        "duration": 10.5,
    }


@pytest.mark.parametrize("video", ["-b", "a-Scene-001-Scene-002", "_-_", "漢字 id", "x.y"])
def test_ids_of_any_kind(tmp_path: Path, video: str) -> None:
    store, problems = taken(tmp_path, dataset(tmp_path / "Vript", video))
    assert problems == []
    other, out = again(tmp_path, store)
    assert held(other) == held(store)
    assert json.loads(next(out.glob("*_caption.json")).read_text())["meta"]["video_id"] == video


def test_lines_of_captions_in_any_order(tmp_path: Path) -> None:
    rows = [{"meta": {"video_id": video}, **caption_row(video, n)} for n in (2, 1) for video in (BAG, "-b")]
    path = put(tmp_path, "vript_long_videos_captions.jsonl", rows)
    assert formats.detect(path) == "vript-captions"
    store, problems = taken(tmp_path, path)
    assert problems == [] and store.count(Video) == 2 and store.count(Text) == 16
    assert {one.note for one in store.find(SceneList)} == {UNTIMED}
    other, _ = again(tmp_path, store, "vript-captions")
    assert held(other) == held(store)


def test_the_meta_file_gives_titles_and_categories(tmp_path: Path) -> None:
    about = {"title": "A bag", "categories": ["Science & Technology"], "webpage_url": "https://x.example/1"}
    path = put(tmp_path, "vript_long_videos_meta.json", {BAG: about, "-b": {"title": "B"}, "bad": 3})
    assert formats.detect(path) == "vript-meta"
    store, problems = taken(tmp_path, path)
    assert problems == ["vript_long_videos_meta.json:1 bad: not an object; left out"]
    video = next(v for v in store.find(Video) if v.title == "A bag")
    assert (video.category, video.extra) == ("Science & Technology", {"vript_meta": about})
    other, out = again(tmp_path, store, "vript-meta")
    assert held(other) == held(store)
    assert json.loads(out.read_text()) == {BAG: about, "-b": {"title": "B"}}


def test_two_annotations_of_a_field_stay_two(tmp_path: Path) -> None:
    row = caption_row(BAG, 1, voiceover=SAID)
    row["caption"] = {name: [f"first {name}", f"second {name}"] for name in FIELDS}
    store, problems = taken(tmp_path, put(tmp_path, "a.jsonl", [row]))
    assert problems == [] and store.count(Text) == 8
    assert [s.text for s in store.find(Segment)] == [SAID]
    other, out = again(tmp_path, store, "vript-captions")
    assert held(other) == held(store)
    line = json.loads(out.read_text())
    assert line["caption"]["content"] == ["first content", "second content"] and line["voiceover"] == [SAID]


# --- what is odd is told --------------------------------------------------------------


def test_speech_beyond_its_clip_is_clamped_and_told(tmp_path: Path) -> None:
    folder = dataset(tmp_path / "Vript", count=2)
    late = [{"span": [9.0, 12.25], "text": " and on"}, {"span": [11.0, 1e9], "text": " Thanks for watching!"}]
    put(folder, f"{BAG}_asr.jsonl", [asr_row(BAG, 1, scene_text=late, lang="pt"), asr_row(BAG, 2)])
    (folder / "vript_long_videos_clips" / BAG / f"{BAG}_asr.jsonl").unlink()
    store, problems = taken(tmp_path, folder)
    assert [p for p in problems if "clamp" in p] == [
        f"{BAG}_asr.jsonl:1: clip 001 of {BAG!r}: 2 spans of speech beyond its end, by up to 999999989.50 s; "
        "pages clamp it, exports keep the original times"
    ]
    assert any("voiceover of 1 clips" in p for p in problems)
    first = store.find(Segment, order_by=["start_s"])[:2]
    assert [(s.start_s, s.end_s, s.language) for s in first] == [(9.0, 10.5, "pt"), (10.49, 10.5, "pt")]
    beyond = {m.value["beyond"] for m in store.find(Measurement, kind="clip_speech")}
    assert beyond == {0, 2}


def test_missing_clips_are_told_and_stay_in_place(tmp_path: Path) -> None:
    document = captions(BAG, 4, integrity=False)
    del document["data"][clip_id(BAG, 2)]
    store, problems = taken(tmp_path, put(tmp_path, f"{BAG}_caption.json", document))
    assert (
        len(problems) == 1
        and "1 of 4 clips" in problems[0]
        and ": 002; integrity is false too" in problems[0]
    )
    [video] = store.find(Video)
    scenes = current_scenes(store, video.id)
    assert len(scenes) == 4 and not store.find(Text, subject_id=scenes[1].key)
    other, out = again(tmp_path, store)
    assert held(other) == held(store)
    assert json.loads((out / f"{BAG}_caption.json").read_text()) == document


def test_integrity_that_is_not_so_is_kept_as_it_was(tmp_path: Path) -> None:
    document = captions(BAG, 3)
    del document["data"][clip_id(BAG, 3)]
    store, problems = taken(tmp_path, put(tmp_path, f"{BAG}_caption.json", document))
    assert "but integrity is true" in problems[0]
    [video] = store.find(Video)
    assert video.extra["vript"] == {"num_clips": 3, "integrity": True, "missing": [3]}
    other, out = again(tmp_path, store)
    assert held(other) == held(store)
    assert json.loads((out / f"{BAG}_caption.json").read_text())["meta"]["integrity"] is True


@pytest.mark.parametrize(
    "names", [("start_time", "end_time"), ("start", "end"), ("start_sec", "end_sec"), ("begin", "stop"), None]
)
def test_names_of_times_in_the_cuts(tmp_path: Path, names: tuple[str, str] | None) -> None:
    def row(n: int) -> dict[str, Any]:
        times = {"span": [n * 4.0, n * 4.0 + 4]}
        if names:
            times = {names[0]: f"00:00:{n * 4:02d}.000", names[1]: str(n * 4 + 4.0)}
        return {"clip_id": f"{clip_id(BAG, n + 1)}.mp4", **times}

    rows = [row(n) for n in range(3)]
    shapes = {"list": {"clips": rows}, "by_id": {r["clip_id"]: r for r in rows}, "lines": rows}
    for name, shape in shapes.items():
        path = put(tmp_path / name, f"{BAG}_cut_meta.json", shape)
        assert formats.detect(path) == "vript"
        store, problems = taken(tmp_path, path, name)
        assert problems == []
        assert [(s.start_s, s.end_s) for s in store.find(Scene, order_by=["index"])] == [
            (0, 4),
            (4, 8),
            (8, 12),
        ]


def test_gaps_and_overlaps_between_clips_are_told(tmp_path: Path) -> None:
    document = cuts(BAG, 3)
    document["clips"][1]["start"], document["clips"][2]["start"] = 12.0, 20.0
    store, problems = taken(tmp_path, put(tmp_path, f"{BAG}_cut_meta.json", document))
    assert len(problems) == 1 and "leave gaps or overlap (first: 001)" in problems[0]
    times = [(s.start_s, s.end_s) for s in store.find(Scene, order_by=["index"])]
    assert times == [(0, 12), (12, 20), (20, 31.5)]


ODD: list[Any] = [KeyError, None, 3, True, [], {}, [1], "", "漢字。", "\u202eabc", {"a": [None]}]
PLACES: list[tuple[str, ...]] = [
    ("meta", "video_title"),
    ("meta", "num_clips"),
    ("meta", "integrity"),
    ("data", "1"),
    ("data", "1", "clip_id"),
    ("data", "1", "video_id"),
    ("data", "1", "caption"),
    ("data", "1", "voiceover"),
    ("data", "1", "caption", "content"),
    ("data", "1", "caption", "shot_type"),
    ("data", "1", "extra"),
]
SILENT = ("video_title", "video_id", "voiceover", "extra")
"""Where another value is a value like any other, or stands elsewhere, too."""


def mutated(video: str, place: tuple[str, ...], value: Any) -> dict[str, Any]:
    document = captions(video, 3)
    part: Any = document
    for key in place[:-1]:
        part = part[clip_id(video, 1) if key == "1" else key]
    last = clip_id(video, 1) if place[-1] == "1" else place[-1]
    if value is KeyError:
        part.pop(last, None)
    else:
        part[last] = value
    return document


def test_mutated_captions_lose_nothing_but_what_is_told(tmp_path: Path) -> None:
    """A video for every odd value in every place, all in one import."""
    cases = {f"v{n}": case for n, case in enumerate((p, v) for p in PLACES for v in ODD)}
    for video, (place, value) in cases.items():
        put(tmp_path / "in", f"{video}_caption.json", mutated(video, place, value))
    store, problems = taken(tmp_path, tmp_path / "in")
    assert store.count(Video) == len(cases)
    for video, (place, value) in cases.items():
        told = [p for p in problems if p.startswith(f"{video}_caption.json")]
        same = value in (KeyError, None) or (place[-1], value) in (("num_clips", 3), ("integrity", True))
        text = isinstance(value, str) and value != "" and place[-1] in ("content", "shot_type")
        assert bool(told) or same or text or place[-1] in SILENT, (place, value)
    other, _ = again(tmp_path, store)
    assert held(other) == held(store)


ROWS: dict[str, Any] = {
    "no duration": {"duration": None},
    "duration as text": {"duration": "10.50"},
    "huge duration": {"duration": 1e300},
    "negative duration": {"duration": -4},
    "no list": {"scene_text": 3},
    "odd spans": {"scene_text": [{"span": ["1.5", "2"], "text": "a"}, {"span": [1], "text": "b"}, 4]},
    "huge span": {"scene_text": [{"span": [-1e12, 1e12], "text": "all"}]},
    "backwards": {"scene_text": [{"span": [6, 2], "text": "back"}]},
    "silent": {"scene_text": [], "full_text": ""},
    "chinese": {
        "lang": "zh",
        "full_text": "你好世界",
        "scene_text": [{"span": [0, 1], "text": "你好"}, {"span": [1, 2], "text": "世界"}],
    },
    "no lang": {"lang": None},
    "only whole": {"scene_text": None, "full_text": " all of it"},
}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_mutated_transcripts(tmp_path: Path, name: str) -> None:
    rows = [asr_row(BAG, 2), asr_row(BAG, 1, **ROWS[name])]
    store, problems = taken(tmp_path, put(tmp_path, "x_asr.jsonl", rows))
    assert bool(problems) == (
        name not in ("duration as text", "silent", "chinese", "no lang", "only whole", "backwards", "no list")
    )
    scenes = store.find(Scene, order_by=["index"])
    last = max(s.end_s for s in store.find(Segment))
    assert len(scenes) == 2 and last <= scenes[-1].end_s + 1e-6
    other, out = again(tmp_path, store)
    assert [(s.start_s, s.end_s, s.text) for s in other.find(Segment, order_by=["start_s"])] == [
        (s.start_s, s.end_s, s.text) for s in store.find(Segment, order_by=["start_s"])
    ]
    if name == "chinese":
        assert '"full_text": "你好世界"' in (out / f"{BAG}_asr.jsonl").read_text(encoding="utf-8")


def test_clips_that_stand_twice_are_told(tmp_path: Path) -> None:
    rows = [
        caption_row(BAG, 1),
        caption_row(BAG, 1),
        caption_row(BAG, 1, caption={**FIELDS, "content": "Else."}),
    ]
    store, problems = taken(tmp_path, put(tmp_path, "a.jsonl", rows))
    assert len(problems) == 2 and "is identical" in problems[0] and "differs" in problems[1]
    assert store.count(Text) == 4


@pytest.mark.parametrize("number", ["000", "99999999", "abc", ""])
def test_clips_without_a_number_are_told(tmp_path: Path, number: str) -> None:
    rows = [caption_row(BAG, 1), caption_row(BAG, 2, clip_id=f"{BAG}-Scene-{number}")]
    _, problems = taken(tmp_path, put(tmp_path, "a.jsonl", rows))
    assert len(problems) == 1 and "is not <video id>-Scene-<number>" in problems[0]


def test_a_huge_number_of_clips_is_no_number(tmp_path: Path) -> None:
    store, problems = taken(tmp_path, put(tmp_path, "x_caption.json", captions(BAG, 2, num_clips=10**9)))
    assert "num_clips '1000000000' is not a number of clips" in problems[0] and store.count(Scene) == 2


def test_what_is_none_of_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "x_caption.json").write_text('{"meta": {}, "data": {}}')
    with pytest.raises(FormatError, match="neither meta nor the clips"):
        formats.read(tmp_path / "x_caption.json", format="vript")
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match=r"no \*_caption.json"):
        formats.read(tmp_path / "empty", format="vript")


# --- videos that are here -------------------------------------------------------------


def test_files_that_come_later_fill_the_same_scenes(tmp_path: Path) -> None:
    """The captions first, the cuts and the transcript from other files: the texts stay on their scenes."""
    store, _ = taken(tmp_path, put(tmp_path, f"{BAG}_caption.json", captions(BAG, 3)))
    [video] = store.find(Video)
    before = {s.key for s in current_scenes(store, video.id)}
    for name, value in (("cut_meta.json", cuts(BAG, 3)), ("asr.jsonl", [asr_row(BAG, n) for n in (3, 2, 1)])):
        formats.commit(store, formats.read(put(tmp_path, f"{BAG}_{name}", value), store))
    scenes = current_scenes(store, video.id)
    assert {s.key for s in scenes} == before and scenes[1].start_s == 10.5
    assert store.scene_list(video.id).note == NOMINAL
    from annotation.editing.texts_to_review import open_marks
    from annotation.store.cut_versions import CutHistory

    assert open_marks(CutHistory(store, video.id)) == {}


def test_a_video_of_the_workspace_gets_no_second_scenes(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    formats.write(store, "vript", tmp_path / "out")
    lists = store.find(SceneList)
    formats.commit(store, formats.read(tmp_path / "out", store))
    assert store.find(SceneList) == lists
    keys = {t.subject_id for t in store.find(Text, kind="script:content")}
    assert keys == {"sck-0", "sck-1"}


def test_corrections_go_out_and_the_machine_s_values_can(tmp_path: Path) -> None:
    store = filled_store(tmp_path)
    for values, title in (("current", "The <mill>"), ("machine", "Mill")):
        formats.write(store, "vript", tmp_path / values, values=values)
        document = json.loads(next((tmp_path / values).glob("*_caption.json")).read_text())
        assert [row["caption"]["scene_title"] for row in document["data"].values()] == ["Boat", title]
        assert document["meta"] == {
            "video_id": "The <boat>/.. day",
            "video_title": "The <boat>/.. day",
            "num_clips": 2,
            "integrity": True,
        }


def test_training_records_tell_what_they_lack_and_where_they_differ(tmp_path: Path) -> None:
    clips = ["a/a-Scene-001.mp4", "a/a-Scene-002.mp4"]
    one, two = "[Scene 1/2: One](Duration: [0.0, 2.5]/5.0s)", "[Scene 2/2: Two](Duration: [2.5, 5.0]/5.0s)"
    target = f"{one}\r\n{{}}\r\n\r\n{two}\r\n"
    records = [
        {"video": clips, "QA": [{"i": "", "q": "", "a": target.format(words)}]} for words in ("Rain.", "Sun.")
    ]
    path = tmp_path / "vript_stage2_concat.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    store, problems = taken(tmp_path, path)
    assert [t.value for t in store.find(Text, kind="script:content")] == ["Rain."]
    assert sum("clip 002 of 'a' has no text" in p for p in problems) == 2
    assert [p for p in problems if "different content" in p] == [
        "vript_stage2_concat.json item 2: clip 001 of 'a' has a different content; the first is kept"
    ]
