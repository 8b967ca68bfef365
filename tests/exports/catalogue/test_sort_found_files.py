"""What a heap of files and folders is: logs of every kind, whole and in parts, packed and mixed."""

from __future__ import annotations

import os
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from annotation.records.errors import FormatError
from annotation.workspace.limit_settings import Limits
from exports.catalogue.format_registry import detect
from exports.catalogue.sort_found_files import Contents, contents
from tests.exports.peers.peer_files import lmms_log, loveu_log, vlmevalkit_log

LOGS: dict[str, Callable[[Path], Path]] = {
    "lmms-eval old": lambda folder: lmms_log(folder, "v0.2"),
    "lmms-eval": lambda folder: lmms_log(folder, "head"),
    "vlmevalkit": vlmevalkit_log,
    "loveu": loveu_log,
}
FORMAT = {"lmms-eval old": "lmms-eval"}


def seen(tmp_path: Path, *paths: Path) -> Contents:
    room = tmp_path / "room"
    room.mkdir(exist_ok=True)
    return contents(paths, Limits(), room)


def formats(found: Contents) -> list[str]:
    return [one.format for one in found.found]


@pytest.mark.parametrize("name", LOGS)
def test_a_log_is_one_thing_as_folder_files_and_archives(tmp_path: Path, name: str) -> None:
    log = LOGS[name](tmp_path / "outputs" / "org__model")
    files = sorted(log.iterdir())
    wanted = [FORMAT.get(name, name)]
    for paths in ([log], [log.parent], files):
        found = seen(tmp_path, *paths)
        assert formats(found) == wanted and found.unread == ()
        assert sorted(found.found[0].bundle.files) == files and found.found[0].bundle.missing == ()
    packed = Path(shutil.make_archive(str(tmp_path / "log"), "zip", log.parent))
    assert formats(seen(tmp_path / "outputs", packed)) == wanted
    with tarfile.open(tmp_path / "log.tar.gz", "w:gz") as tar:
        tar.add(log, "run")
    shutil.rmtree(tmp_path / "outputs" / "room")
    assert formats(seen(tmp_path / "outputs", tmp_path / "log.tar.gz")) == wanted


@pytest.mark.parametrize(
    ("name", "kept", "readable", "words"),
    [
        ("lmms-eval", "results.json", True, "samples_*.jsonl are missing"),
        ("lmms-eval", "samples", True, "results.json with the model's name is missing"),
        ("vlmevalkit", "frame.xlsx", True, "score.xlsx is missing"),
        ("vlmevalkit", "response.pkl", False, "table of predictions SomeModel_VDC_8frame.xlsx is missing"),
        ("vlmevalkit", "score.xlsx", False, "table of predictions SomeModel_VDC_8frame.xlsx is missing"),
        ("loveu", "answers.jsonl", False, "manifest.json is missing"),
        ("loveu", "captions.jsonl", False, "manifest.json is missing"),
    ],
)
def test_a_part_says_what_is_missing(
    tmp_path: Path, name: str, kept: str, readable: bool, words: str
) -> None:
    log = LOGS[name](tmp_path / "log")
    [file] = [path for path in log.iterdir() if kept in path.name]
    [found] = seen(tmp_path, file).found
    assert found.format == name and found.bundle.readable is readable
    assert any(words in line for line in found.bundle.missing)


def test_plain_names_are_one_log(tmp_path: Path) -> None:
    log = lmms_log(tmp_path / "log", "head")
    for path in list(log.iterdir()):
        path.rename(log / ("results.json" if "results" in path.name else "samples.jsonl"))
    [found] = seen(tmp_path, *log.iterdir()).found
    assert {path.name for path in found.bundle.files} == {"results.json", "samples.jsonl"}


def test_two_runs_stay_two(tmp_path: Path) -> None:
    home = tmp_path / "mixed"
    lmms_log(home / "lmms", "head")
    vlmevalkit_log(home / "kit")
    loveu_log(home / "loveu one")
    loveu_log(home / "loveu two", "another")
    (home / "camera.jsonl").write_text('{"clip-a": [{"question": "q", "answer": "a"}]}\n')
    (home / "README.md").write_text("# A run\n")
    found = seen(tmp_path, home)
    assert formats(found) == ["loveu", "loveu", "lmms-eval", "vlmevalkit", "vdc-qa"]
    assert [one.where for one in found.unread] == ["README.md"]


def test_starts_of_one_model_are_one_run_unless_a_task_comes_twice(tmp_path: Path) -> None:
    log = lmms_log(tmp_path / "log", "head")
    for path in list(log.iterdir()):
        later = path.name.replace("20260101_120000", "20260102_130000")
        shutil.copy(path, log / later.replace("camera", "short"))
    results = log / "20260102_130000_results.json"
    results.write_text(results.read_text().replace("camera", "short"))
    assert len(seen(tmp_path, log).found) == 1
    results.write_text(results.read_text().replace("short", "camera"))
    assert [len(one.bundle.files) for one in seen(tmp_path, log).found] == [2, 2]


def test_links_of_a_start_are_the_same_run(tmp_path: Path) -> None:
    log = vlmevalkit_log(tmp_path / "SomeModel" / "T20260101-120000")
    for path in log.iterdir():
        (log.parent / path.name).symlink_to(path)
    assert len(seen(tmp_path, tmp_path / "SomeModel").found) == 1


def test_a_snapshot_of_a_cache_is_its_links(tmp_path: Path) -> None:
    cache = tmp_path / "datasets--some--videos"
    (cache / "blobs").mkdir(parents=True)
    (cache / "blobs" / "0a1b").write_bytes(b"a video")
    snapshot = cache / "snapshots" / "abc" / "videos"
    snapshot.mkdir(parents=True)
    (snapshot / "clip-a.mp4").symlink_to(cache / "blobs" / "0a1b")
    found = seen(tmp_path, cache)
    assert [path.name for path in found.videos] == ["clip-a.mp4"] and found.unread == ()


def test_videos_stay_in_their_archive(tmp_path: Path) -> None:
    packed = tmp_path / "videos.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("videos/clip-a.mp4", b"a video")
        archive.writestr("camera.jsonl", '{"clip-a": [{"question": "q", "answer": "a"}]}\n')
    found = seen(tmp_path, packed)
    assert [one.name for one in found.packed] == ["videos/clip-a.mp4"] and formats(found) == ["vdc-qa"]
    assert not list((tmp_path / "room").rglob("*.mp4"))


def test_what_nobody_reads_says_why_once(tmp_path: Path) -> None:
    (tmp_path / "heap").mkdir()
    (tmp_path / "heap" / "picture.bin").write_bytes(b"\x00\xff\x01")
    (tmp_path / "heap" / "alone.pkl").write_bytes(b"\x80\x04K\x01.")
    reasons = {one.where: one.what for one in seen(tmp_path, tmp_path / "heap").unread}
    assert "UTF-8" not in "".join(reasons.values())
    assert "folder of its run" in reasons["alone.pkl"] and len(reasons["picture.bin"]) < 80


def test_links_that_lead_in_circles_are_entered_once(tmp_path: Path) -> None:
    log = lmms_log(tmp_path / "runs" / "log", "head")
    whole = seen(tmp_path, log)
    (log / "again").symlink_to(log)
    (log.parent / "up").symlink_to(log.parent)
    (log / "clip.mp4").symlink_to(log.parent / "clip of another folder.mp4")
    (log.parent / "clip of another folder.mp4").write_bytes(b"a video")
    found = seen(tmp_path, log.parent)
    assert formats(found) == formats(whole) and found.unread == ()
    assert found.found[0].bundle.files == whole.found[0].bundle.files
    assert [path.name for path in found.videos] == ["clip of another folder.mp4", "clip.mp4"]


def test_what_is_no_regular_file_is_told_and_not_waited_for(tmp_path: Path) -> None:
    log = lmms_log(tmp_path / "log", "head")
    os.mkfifo(log / "pipe.jsonl")
    os.mkfifo(log / "pipe.mp4")
    (log / "nowhere.jsonl").symlink_to(log / "gone.jsonl")
    found = seen(tmp_path, log)
    assert formats(found) == ["lmms-eval"] and found.videos == ()
    assert sorted(one.where for one in found.unread) == ["nowhere.jsonl", "pipe.jsonl", "pipe.mp4"]
    for read in (lambda: seen(tmp_path, log / "pipe.jsonl"), lambda: detect(log / "pipe.jsonl")):
        with pytest.raises(FormatError, match=r"^pipe\.jsonl: not a regular file"):
            read()
