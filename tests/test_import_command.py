"""`python app.py import` as a person types it: what it says of each folder and file, and its exit codes."""

from __future__ import annotations

import os
import pickle
import wave
import zipfile
from pathlib import Path

from annotation.records.runs import Evaluation
from annotation.workspace.workspace import Workspace
from tests.bench import clip
from tests.exports.peers.peer_files import lmms_log
from tests.test_command_line import app, app_json

__all__ = ["clip"]
NAME = "some/model · VDC · 2026-01-01"


def test_a_folder_without_anything_to_read_says_what_can_be_read(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    out, err = app("import", empty, "-w", tmp_path / "w", code=2)
    assert out == "" and err.count("\n") == 1
    assert f"{empty}: no readable files; give videos, or captions" in err
    for name in ("a.txt", "b.txt"):
        (empty / name).write_text("tea")
    _, err = app("import", empty, "-w", tmp_path / "w", code=2)
    assert err.startswith("error: a.txt: unknown format; docs/formats.md")
    assert err.endswith("; 1 more cannot be read\n") and err.count("\n") == 1


def test_files_that_are_no_videos_say_why_as_probe_does(tmp_path: Path, clip: Path) -> None:
    text, cut = tmp_path / "text.mp4", tmp_path / "cut.mp4"
    text.write_text("no video")
    cut.write_bytes(clip.read_bytes()[:600])
    given = (text, cut, clip, "-w", tmp_path / "w")
    out, _ = app("import", *given, code=1)
    for file in (text, cut):
        assert f"  {app('probe', file, code=2)[1].removeprefix('error: ')}" in out
    assert "videos: 0 attached, 1 file without a matching video\n" in out
    assert f"no matching video for {clip.name}; to add a file as a new video: python app.py run FILE" in out
    out, _ = app("import", clip, "-w", tmp_path / "w")
    assert "python app.py run FILE" in out


def test_a_file_that_a_video_has_already_is_said_to_be_its(tmp_path: Path, clip: Path) -> None:
    folder, captions = tmp_path / "videos", tmp_path / "a.jsonl"
    folder.mkdir()
    (folder / "market.mp4").write_bytes(clip.read_bytes())
    captions.write_text('{"video_id": "market", "short_caption": "a market"}\n')
    given = (captions, "--videos", folder, "-w", tmp_path / "w")
    assert "videos: 1 attached\n" in app("import", *given)[0]
    for again in (given, (folder, "-w", tmp_path / "w")):
        out, _ = app("import", *again)
        assert "videos: 0 attached\n  market.mp4: is already the file of 'market'\n" in out


def test_a_broken_file_that_is_named_like_a_video_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"video_id": "market", "short_caption": "a market"}\n')
    (tmp_path / "market.mp4").write_text("no video")
    out, _ = app("import", tmp_path / "a.jsonl", tmp_path / "market.mp4", "-w", tmp_path / "w", code=1)
    assert out.count("market.mp4") == 1 and "  market.mp4: FFmpeg finds no video in it" in out
    assert "1 video without a file: market" in out


def test_a_file_of_sound_says_what_it_lacks(tmp_path: Path, clip: Path) -> None:
    sound, note = tmp_path / "speech.wav", tmp_path / "note.txt"
    with wave.open(str(sound), "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(16000))
    note.write_text("tea")
    _, err = app("import", sound, "-w", tmp_path / "w", code=2)
    assert err == "error: speech.wav: it contains sound but no pictures; choose a file with a video stream\n"
    out, _ = app("import", sound, note, clip, "-w", tmp_path / "w")
    assert "  speech.wav: it contains sound but no pictures" in out and "  note.txt: unknown format" in out


def test_each_line_says_which_log_became_which_evaluation(tmp_path: Path) -> None:
    """Two logs of one model and minute are told apart by their folders, and keep their names."""
    logs = [lmms_log(tmp_path / version / "some__model", "head") for version in ("v1", "v2")]
    for number, log in enumerate(logs):
        file = log / "20260101_120000_samples_camera_test.jsonl"
        file.write_text(file.read_text() + " " * number)
    later = lmms_log(tmp_path / "v3" / "some__model", "v0.2")
    later.joinpath("20260101_120000_results.json").rename(later / "20260101_150000_results.json")
    for samples in later.glob("samples*"):
        samples.unlink()
    space = tmp_path / "w"
    out, _ = app("import", *logs, later, "-w", space)
    lines = [line for line in out.splitlines() if not line.startswith(" ")]
    assert lines[0].startswith(f"{logs[0]}: lmms-eval 1: ")
    assert [line.split("; evaluation ")[1] for line in lines] == [
        f"'{NAME}'",
        f"'{NAME} 12:00 · v2'",
        f"'{NAME} 12:00 · v3'",
    ]
    assert "no samples" in out
    again = app_json("import", *logs, "-w", space)
    assert [(one["from"], one["evaluations"]) for one in again] == [
        (str(logs[0]), [NAME]),
        (str(logs[1]), [f"{NAME} 12:00 · v2"]),
    ]
    assert len(Workspace(space).store.find(Evaluation)) == 3


def test_an_unreadable_file_beside_a_film_is_named_and_costs_nothing_else(tmp_path: Path, clip: Path) -> None:
    place = tmp_path / "drop"
    place.mkdir()
    (place / "market.mp4").write_bytes(clip.read_bytes())
    (place / "captions.jsonl").write_bytes('{"video_id": "market", "short_caption": "é"}\n'.encode("utf-16"))
    (place / "words.json").write_bytes('[{"q": "é"}]'.encode("utf-16")[:-1])
    (place / "log.json").write_bytes(pickle.dumps({"a": [1]}))
    (place / os.fsdecode(b"caf\xe9.json")).write_text("{}")
    with zipfile.ZipFile(place / "both.zip", "w") as archive:
        archive.writestr("d", "x")
        archive.writestr("d/x.json", "[]")
    out, _ = app("import", place, "-w", tmp_path / "w")
    assert "/captions.jsonl: vdc-captions 1: " in out and "videos: 1 attached" in out
    for name in ("words.json: ", "log.json: ", "d: ", "x.json: ", "caf\ufffd.json: "):
        assert f"  {name}" in out or f"/{name}" in out, name
    assert app_json("import", place, "-w", tmp_path / "v")["videos"]["attached"] == ["market"]


def test_an_unknown_format_is_refused_before_a_workspace_is_made(tmp_path: Path) -> None:
    for name in ("vdc_captions", ""):
        out, err = app("import", tmp_path, "--format", name, "-w", tmp_path / "w", code=2)
        assert out == "" and err.count("\n") == 1
        assert err.startswith(f"error: unknown format {name!r}; choose from dailies-jsonl, ")
    assert not (tmp_path / "w").exists()
