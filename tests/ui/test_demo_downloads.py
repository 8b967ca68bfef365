"""Downloads of the Demo page: what they hold, and whose they are."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from annotation.systems.carebench.split_checks.finding import Texts
from annotation.workspace.limit_settings import Limits
from backends.errors import UsageError
from exports.catalogue.format_registry import FORMATS
from tests.backends.clips import textured, write_clip
from tests.bench import Bench
from ui.demo.clips.clip_run import STAGES, ClipRun
from ui.demo.clips.demo_clips import DemoClip, DemoClips
from ui.demo.clips.demo_files import OwnFiles
from ui.demo.sections.downloads import KEPT, write_metadata, write_zip

ODD = '../../e\u0301tude \u202e\u4f60\u597d /\\:*?"<>|\n\t.mp4' + "x" * 300


@pytest.fixture
def clips(tmp_path: Path) -> Iterator[DemoClips]:
    files = OwnFiles(tmp_path, Limits())
    made = DemoClips(files)
    yield made
    made.close()
    files.close()


def read(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as packed:
        assert packed.testzip() is None
        names = packed.namelist()
        assert len(names) == len(set(names))
        assert not [one for one in names if one.startswith("/") or ".." in one.split("/")]
        return {name: packed.read(name) for name in names}


def check_list(found: dict[str, bytes]) -> tuple[set[str], set[str]]:
    """The places that README.txt names: those in the zip, and those that are not."""
    lines = found["README.txt"].decode().splitlines()[2:]
    said = dict(line.split(": ", 1) for line in lines)
    assert set(said) == {known.in_clip_zip for known in FORMATS.values() if known.in_clip_zip}
    missing = {place for place, words in said.items() if words.startswith("not included (")}
    for place in said:
        there = [name for name in found if name == place or name.startswith(f"{place}/")]
        assert bool(there) is (place not in missing), (place, said[place], there)
        assert all(found[name] for name in there), "no empty files"
    return set(said) - missing, missing


def test_the_worked_example(clips: DemoClips) -> None:
    with clips.used("") as example:
        found = read(write_zip(example))
        there, missing = check_list(found)
        assert {"captions/vdc_captions.jsonl", "carebench/metadata.json", "keyframes", "log"} <= there
        assert not [place for place in missing if place not in ("speech", "scenes")]
        assert str(clips.files.folder) not in str(found), "no path of the server"


def test_a_clip_after_a_run(clips: DemoClips, bench: Bench, tmp_path: Path) -> None:
    first = ran(clips, bench, write_clip(tmp_path / "first.mp4", [textured(1)] * 50))
    second = ran(clips, bench, write_clip(tmp_path / "second.mp4", [textured(2)] * 75))
    packed = write_zip(first)
    assert packed.name == "first.zip" and packed.is_relative_to(first.home)
    found = read(packed)
    there, _ = check_list(found)
    assert {"script", "captions/vdc_captions.jsonl", "dailies.jsonl", "keyframes"} <= there
    other = str(read(write_zip(second)))
    assert second.video.id not in str(found) and first.video.id not in other
    assert "second.mp4" not in str(found) and "first.mp4" not in other
    assert str(clips.files.folder) not in str(found), "no path of the server"


def ran(clips: DemoClips, bench: Bench, file: Path) -> DemoClip:
    home = clips.files.new("ann") / "0"
    home.mkdir()
    clip = DemoClip(clips.files.new("ann"), file.rename(home / file.name))
    clips.add(clip, "s")
    run = ClipRun(clip, STAGES, lambda: nullcontext(bench.engines()), lambda one: one.add())
    run.start()
    run._thread.join()
    assert run.failed == ""
    return clip


def own(clips: DemoClips) -> DemoClip:
    with clips.used(clips.own("", "ann", "s")) as clip:
        return clip


@pytest.mark.parametrize(("title", "stem"), [(ODD, ""), ("...", "clip"), ("\u202e", "clip"), ("a/b", "a_b")])
def test_titles_with_odd_characters(clips: DemoClips, title: str, stem: str) -> None:
    clip = own(clips)
    clip.add(title=title)
    packed = write_zip(clip)
    assert packed.parent.parent == clip.home / "downloads"
    assert len(packed.name.encode()) <= 255 and (not stem or packed.stem == stem)
    check_list(read(packed))


def test_the_metadata_of_an_edited_split(clips: DemoClips) -> None:
    clip = own(clips)
    words = Texts("A boat \U0001f6a3 sails.\nIt turns.", "A boat.", "It sails. <b>It turns.</b>")
    (record,) = json.loads(write_metadata(clip, words).read_text(encoding="utf-8"))
    assert record["spatial_caption"] == words.spatial and record["temporal_caption"] == words.temporal
    assert record["caption"] == words.full
    again = replace(words, spatial="Another boat.")
    (record,) = json.loads(write_metadata(clip, again).read_text(encoding="utf-8"))
    assert record["spatial_caption"] == "Another boat."
    assert json.loads(read(write_zip(clip))["carebench/metadata.json"]) == [record], "the zip holds the edits"
    with clips.used("") as example:
        (record,) = json.loads(read(write_zip(example))["carebench/metadata.json"])
        assert "Another boat." not in str(record)


def test_an_empty_split(clips: DemoClips, bench: Bench, tmp_path: Path) -> None:
    clip = ran(clips, bench, write_clip(tmp_path / "first.mp4", [textured(1)] * 30))
    with pytest.raises(UsageError):
        write_metadata(clip, Texts("", " ", "\n"))


def test_many_downloads_do_not_fill_the_disk(clips: DemoClips) -> None:
    clip = own(clips)
    made = [write_metadata(clip, Texts("A boat.", "A boat.", f"It sails {n}.")) for n in range(KEPT + 3)]
    assert [file.exists() for file in made] == [False] * 3 + [True] * KEPT
    made = [write_zip(clip) for _ in range(KEPT + 1)]
    assert [file.exists() for file in made] == [False] + [True] * KEPT
    assert len([*(clip.home / "downloads").rglob("*.*")]) == KEPT, "the packed files are removed"
