"""Playable copies in the probe stage, and the reader of the frames that models are given."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from threading import Event

import cv2
import numpy as np
import pytest

from annotation.pipeline.engines import choose
from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import run_video
from annotation.records.runs import Run, RunVideo
from annotation.workspace.workspace import Workspace
from backends.errors import Stopped, UsageError
from backends.video.probe import probe
from tests.backends.clips import numbered, write_clip
from tests.bench import Bench

COUNT = 40


@pytest.fixture
def hevc(workspace: Workspace, tmp_path: Path) -> Iterator[Bench]:
    """A bench with a clip that browsers do not show."""
    clip = write_clip(tmp_path / "hevc.mp4", map(numbered, range(COUNT)), codec="libx265")
    made = Bench(workspace, clip)
    yield made
    made.media.close()


def test_probe_makes_a_copy_once(hevc: Bench) -> None:
    assert hevc.media.needs_copy(hevc.video) and hevc.media.copy_of(hevc.video) is None
    hevc.run("probe")
    copy = hevc.media.copy_of(hevc.video)
    assert copy is not None
    assert probe(copy)[0].frames == COUNT
    made = copy.stat().st_mtime_ns
    result, _ = hevc.run("probe")
    assert result.problems == [] and copy.stat().st_mtime_ns == made
    assert [row.state for row in hevc.store.find(RunVideo)] == ["done"]


def test_a_stopped_copy_leaves_nothing_and_the_next_run_makes_it(hevc: Bench) -> None:
    stop = Event()
    context = hevc.context(hevc.engines(), stop)
    seen: list[tuple[int, int]] = []

    def report(_video: object, _stage: str, _state: str, done: int, total: int, _message: str) -> None:
        seen.append((done, total))
        if done == 2 * COUNT - 10:
            stop.set()

    context.report = report
    with pytest.raises(Stopped):
        run_video(context, hevc.video, chosen_stages(["probe"]))
    # The strip of so short a video has all of its frames.
    assert seen[-1] == (2 * COUNT - 10, 2 * COUNT)
    assert not list(hevc.media.folder_of(hevc.video).glob("*playable*"))
    hevc.run("probe")
    assert hevc.media.copy_of(hevc.video) is not None


def test_what_browsers_play_gets_no_copy(bench: Bench) -> None:
    bench.run("probe")
    assert not bench.media.needs_copy(bench.video) and bench.media.copy_of(bench.video) is None


def test_damaged_files_get_one(workspace: Workspace, tmp_path: Path) -> None:
    fast = {"movflags": "faststart"}
    whole = write_clip(tmp_path / "whole.mp4", map(numbered, range(60)), muxer=fast).read_bytes()
    (tmp_path / "cut.mp4").write_bytes(whole[: int(len(whole) * 0.7)])
    damaged = Bench(workspace, tmp_path / "cut.mp4")
    damaged.run("probe")
    copy = damaged.media.copy_of(damaged.video)
    assert copy is not None and damaged.video.facts is not None
    facts, _ = probe(copy)
    assert facts.frames == damaged.video.facts.frames and facts.problems == ()
    damaged.media.close()


# --- the reader -----------------------------------------------------------------------


@pytest.mark.skipif(find_spec("decord") is None, reason="decord has wheels for Linux on x86-64 alone")
def test_frames_for_models_by_another_reader_are_recorded(bench: Bench) -> None:
    usual, _ = bench.run("captions", "frames")
    other, _ = bench.run("captions", "frames", reader="decord")
    assert usual.problems == other.problems == []
    for stage in ("captions", "frames"):
        runs = bench.store.find(Run, stage=stage)
        assert sorted(run.params.get("reader", "") for run in runs) == ["", "decord"]
    dark, bright = seen(bench, "decord")
    assert bright.mean() - dark.mean() > 60
    for picture, same in zip((dark, bright), seen(bench, "pyav"), strict=True):
        assert picture.shape == same.shape and np.abs(picture - same).mean() < 6


def seen(bench: Bench, reader: str) -> list[np.ndarray]:
    """The first and the last frame as a model gets them."""
    jpegs = bench.media.pictures(bench.video, [0, 99], reader=reader)
    return [cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR).astype(int) for data in jpegs]


def test_reader_is_a_setting_and_a_misspelt_one_is_told(bench: Bench) -> None:
    assert choose({"reader": "decord"}).reader == "decord"
    assert choose({"reader": "decord"}, reader="pyav").reader == "pyav"
    with pytest.raises(UsageError, match="no reader 'dekord'; choose from pyav, decord"):
        bench.engines(reader="dekord")
