"""Subtitles: one file per video, times that players read, text that cannot break out of its cue."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.records.runs import Run
from annotation.records.videos import Segment, Video
from annotation.store.store import Store
from backends.errors import UsageError
from exports.catalogue import format_registry as formats
from exports.generic.subtitles import Cue, to_srt, to_vtt
from tests.exports.world import filled_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return filled_store(tmp_path)


def written(store: Store, folder: Path, name: str, values: str = "current") -> str:
    (path,) = formats.write(store, name, folder, values=values)
    assert path.parent == folder
    return path.read_text(encoding="utf-8")


def test_speech_as_webvtt_escapes_what_would_be_markup(store: Store, tmp_path: Path) -> None:
    assert written(store, tmp_path / "out", "vtt") == (
        "WEBVTT\n\n"
        "00:00:00.500 --> 00:00:01.250\nHeard 0 --&gt; &lt;b&gt;\n\n"
        "00:00:01.500 --> 00:00:02.250\nSo: a --&gt; b &amp; &lt;i&gt;c&lt;/i&gt;\nend\n\n"
        "00:00:02.500 --> 00:00:03.250\nHeard 2 --&gt; &lt;b&gt;\n\n"
    )


def test_machine_values_are_what_was_heard(store: Store, tmp_path: Path) -> None:
    assert "Heard 1 --&gt;" in written(store, tmp_path / "out", "vtt", "machine")


def test_speech_as_subrip_keeps_its_cues_apart(store: Store, tmp_path: Path) -> None:
    blocks = written(store, tmp_path / "out", "srt").strip().split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == ["1", "2", "3"]
    assert blocks[1].split("\n")[1:] == ["00:00:01,500 --> 00:00:02,250", "So: a → b & <i>c</i>", "end"]


def test_scenes_carry_their_titles_and_one_without_is_counted(store: Store, tmp_path: Path) -> None:
    store.correct("text", "txt-title-0", "value", "", person_id="per-1", base_revision=0)
    assert written(store, tmp_path / "out", "scenes-vtt") == (
        "WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nScene 1\n\n"
        "00:00:01.500 --> 00:00:03.000\nThe &lt;mill&gt;\n\n"
    )
    assert "Mill\n" in written(store, tmp_path / "machine", "scenes-vtt", "machine")


def test_hours_and_cues_without_length() -> None:
    cues = [Cue(3725.0404, 3725.0404, "x"), Cue(359_999.9999, 360_001.0, "y")]
    assert "".join(to_srt(cues)) == (
        "1\n01:02:05,040 --> 01:02:05,041\nx\n\n2\n100:00:00,000 --> 100:00:01,000\ny\n\n"
    )
    assert "".join(to_vtt(cues[:1])).startswith("WEBVTT\n\n01:02:05.040 --> 01:02:05.041\n")


def test_a_newer_transcript_replaces_the_older(store: Store, tmp_path: Path) -> None:
    store.add(
        [
            Run(id="run-newer", stage="speech", backend="whisper", model="large", created_at=9.0),
            Segment(
                id="seg-n",
                video_id="vid-1",
                run_id="run-newer",
                index=0,
                start_s=0.0,
                end_s=1.0,
                text="new",
                language="en",
                avg_logprob=0.0,
                no_speech_prob=0.0,
            ),
        ]
    )
    assert written(store, tmp_path / "out", "srt") == "1\n00:00:00,000 --> 00:00:01,000\nnew\n\n"


def test_one_file_can_be_asked_for_when_there_is_one_video(store: Store, tmp_path: Path) -> None:
    assert formats.write(store, "srt", tmp_path / "a.srt") == [tmp_path / "a.srt"]
    store.add(
        [
            Video(id="vid-2", title="second", created_at=1.0),
            Segment(
                id="seg-x",
                video_id="vid-2",
                run_id="run-speech",
                index=0,
                start_s=0.0,
                end_s=1.0,
                text="x",
                language="en",
                avg_logprob=0.0,
                no_speech_prob=0.0,
            ),
        ]
    )
    with pytest.raises(UsageError, match="2 videos need 2 files"):
        formats.write(store, "srt", tmp_path / "b.srt")
    names = [path.name for path in formats.write(store, "srt", tmp_path / "both")]
    assert names == ["The _boat__.. day.srt", "second.srt"]
