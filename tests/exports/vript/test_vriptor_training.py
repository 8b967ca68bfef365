"""Training records of Vriptor: those of the authors' scripts, on their public files and on made ones."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotation.systems.vript.vriptor_script import Spoken
from annotation.systems.vript.vriptor_training import Drawing, Record, Stage, TrainingClip, Way
from exports.catalogue import format_registry as formats
from tests.databases import new_store
from tests.exports.vript.vript_shapes import BAG, asr_row, captions, put

PUBLIC = Path(os.environ.get("DAILIES_VRIPT", "../Vript")) / "vriptor" / "training_data"
SPEAKER = "A man speaks."


def exported(folder: Path, tmp_path: Path) -> dict[str, list[Record]]:
    store = new_store(tmp_path, "one")
    formats.commit(store, formats.read(folder, store))
    formats.write(store, "vriptor", tmp_path / "out")
    return {path.name: json.loads(path.read_text("utf-8")) for path in (tmp_path / "out").iterdir()}


@pytest.mark.skipif(
    not PUBLIC.is_dir(), reason="no github.com/mutonix/Vript beside the checkout; DAILIES_VRIPT names it"
)
def test_the_published_records_come_back(tmp_path: Path) -> None:
    """All four files, record by record and in order."""
    folder = tmp_path / "files"
    folder.mkdir()
    for ending in ("*_caption.json", "*_asr.jsonl"):
        for path in PUBLIC.rglob(ending):
            shutil.copy(path, folder)
    found = exported(folder, tmp_path)
    published = {
        path.name: json.loads(path.read_text("utf-8").replace("vript_long_videos/", ""))
        for path in (PUBLIC / "vriptor").glob("*.json")
    }
    assert {name: len(records) for name, records in published.items()} == {
        "vript_stage1_concat.json": 49,
        "vript_stage1_single.json": 75,
        "vript_stage2_concat.json": 4,
        "vript_stage2_single.json": 1,
    }
    assert found == published


def drawn(stage: Stage, way: Way, *videos: list[TrainingClip]) -> list[Record]:
    drawing = Drawing(stage, way)
    for clips in videos:
        drawing.add(clips)
    return drawing.records()


def clip(
    number: int, seconds: float = 10.0, *lines: Spoken, content: str = SPEAKER, **more: Any
) -> TrainingClip:
    return TrainingClip(number, f"{number}.mp4", f"Title {number}", content, seconds, lines, **more)


def asked(record: Record) -> str:
    return str(record["QA"][0]["i"])


def test_single_clips_of_stage_2_are_long_and_a_tenth_of_them_drawn() -> None:
    first = [clip(n, 8.9 if n % 3 == 0 else 12.0) for n in range(1, 61)]
    second = [clip(n, 130.0) for n in range(61, 64)]
    dice = Random(42)
    kept = [f"{n}.mp4" for n in range(1, 61) if n % 3 and dice.random() >= 0.9] + [
        "61.mp4",
        "62.mp4",
        "63.mp4",
    ]
    dice.shuffle(kept)
    assert [record["video"] for record in drawn(2, "single", first, second)] == kept
    assert 3 < len(kept) < 15
    assert len(drawn(1, "single", first, second)) == 63


def test_speech_that_runs_over_its_clip_makes_the_duration_longer(tmp_path: Path) -> None:
    """Held within the clip, written as it was given: in the records, and in the dataset's own transcript."""
    lines = [{"span": [9.0, 12.26], "text": " and on"}, {"span": [12.26, 13.0], "text": " to the end"}]
    rows = captions(BAG, 1)
    next(iter(rows["data"].values()))["caption"]["content"] = SPEAKER
    put(tmp_path / "in", f"{BAG}_caption.json", rows)
    put(tmp_path / "in", f"{BAG}_asr.jsonl", [asr_row(BAG, 1, duration=10.5, scene_text=lines)])
    found = exported(tmp_path / "in", tmp_path)
    assert asked(found["vript_stage1_single.json"][0]) == (
        'Voiceover:"[9.0, 12.3] and on\n[12.3, 13.0] to the end\n". Based on the video and voiceover, '
        "describe the video in detail (Duration: [0.0, 13.0]second, Sampling Rate: 0.2second/frame)."
    )
    formats.write(new_store(tmp_path, "one"), "vript", tmp_path / "vript")
    row = json.loads((tmp_path / "vript" / f"{BAG}_asr.jsonl").read_text("utf-8"))
    assert (row["duration"], row["scene_text"]) == (10.5, lines)


def test_lines_are_joined_in_successive_scenes_of_stage_2_alone() -> None:
    lines = [Spoken(n, n + 1, f" one two three four five six {n}") for n in range(5)]
    clips = [clip(n, 100.0, *lines) for n in range(1, 31)]
    counts = {
        (stage, way): {asked(r).count("\n") / (1 if way == "single" else len(r["video"])) for r in records}
        for stage in (1, 2)
        for way in ("single", "concat")
        if (records := [r for r in drawn(stage, way, clips) if "Voiceover" in asked(r)])
    }
    assert counts == {(1, "single"): {5}, (1, "concat"): {5}, (2, "single"): {5}, (2, "concat"): {2}}


def test_voice_over_of_successive_scenes_is_timed_as_published() -> None:
    """Each scene's lines count from the end of the last line before, not from where the scene begins."""
    clips = [clip(n, 10.0, Spoken(1.0, 4.0, " Hello.")) for n in range(1, 31)]
    lines = ("[1.0, 4.0] Hello.", "[5.0, 8.0] Hello.", "[9.0, 12.0] Hello.")
    records = [r for r in drawn(1, "concat", clips) if len(r["video"]) == 3]
    assert records and all('Voiceover:"{}\n{}\n{}\n"'.format(*lines) in asked(r) for r in records)
    assert "[Scene 3: Title" in records[0]["QA"][0]["a"]
    assert "](Duration: [20.0, 30.0])\n" in records[0]["QA"][0]["a"]


def test_samples_of_silence_count_once_a_line_was_seen() -> None:
    silent = [clip(n) for n in range(1, 31)]
    spoken = [clip(n, 10.0, Spoken(1.0, 4.0, " Hello.")) for n in range(101, 131)]
    assert drawn(1, "concat", silent) == []
    firsts = [int(r["video"][0].removesuffix(".mp4")) for r in drawn(1, "concat", silent, spoken, silent)]
    assert min(firsts) < 100 < max(firsts)


def test_samples_run_over_no_missing_clip_and_clips_without_a_transcript_are_left_out() -> None:
    numbers = [n for n in range(1, 60) if n not in (20, 40)]
    clips = [clip(n, 60.0, Spoken(0.0, 1.0, " Yes."), speech_known=n != 50) for n in numbers]
    for stage in (1, 2):
        groups = [[int(v.removesuffix(".mp4")) for v in r["video"]] for r in drawn(stage, "concat", clips)]
        assert groups and all(g == list(range(g[0], g[0] + len(g))) and 50 not in g for g in groups)
        assert "50.mp4" not in [r["video"] for r in drawn(stage, "single", clips)]


def test_a_video_without_any_transcript_counts_as_silent() -> None:
    clips = [clip(n, speech_known=False) for n in range(1, 31)]
    assert len(drawn(1, "single", clips)) == 30
    assert drawn(1, "concat", clips)


def test_voice_over_goes_only_to_descriptions_of_speech() -> None:
    lines = Spoken(0.0, 1.0, " Yes.")
    for content, voiced in (
        ("A man TALKS.", True),
        ("A dog runs.", False),
        ("Overhead, a voice is heard.", True),
        ("It says so.", True),
    ):
        [record] = drawn(1, "single", [clip(1, 10.0, lines, content=content)])
        assert ("Voiceover" in asked(record)) is voiced, content
    assert "Voiceover" not in asked(drawn(1, "single", [clip(1)])[0])
