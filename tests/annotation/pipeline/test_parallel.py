"""Several videos at once: the records of a serial run, whatever happens to a worker."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from threading import Event, Timer
from typing import Any

import numpy as np
import pytest

from annotation.intake.add_video import add_video
from annotation.pipeline.distributed.video_worker import Job
from annotation.pipeline.distributed.worker_processes import Pool
from annotation.pipeline.engines import EngineChoice
from annotation.records.allowed_values import Stage
from annotation.records.runs import RunVideo
from annotation.records.videos import SceneList, Video
from annotation.workspace.workspace import Workspace
from backends.errors import Stopped
from tests.annotation.pipeline.test_interrupted import contents
from tests.app_process import run_app
from tests.backends.clips import textured, write_clip

STAGES: tuple[Stage, ...] = ("probe", "scenes", "measurements")


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three short films and a text that calls itself a film."""
    folder = tmp_path_factory.mktemp("films")
    for number in range(3):
        shots = [textured(10 * number + shot, 70 + 60 * (shot % 2)) for shot in range(3)]
        pictures = [np.roll(shots[i // 30], i // 3, axis=1) for i in range(90)]
        write_clip(folder / f"film {number}.mp4", pictures)
    (folder / "text.mp4").write_text("this is no film")
    return sorted(folder.glob("film*"))


def run(films: list[Path], workspace: Path, *more: str) -> tuple[int, Any]:
    options = ("--workspace", workspace, "--speech", "none", "--ocr", "none", "--json")
    done = run_app("run", *films, *options, *more)
    return done.returncode, json.loads(done.stdout)


def test_two_at_a_time_give_the_records_of_one_at_a_time(films: list[Path], tmp_path: Path) -> None:
    files = [*films, films[0].with_name("text.mp4")]
    code, alone = run(files, tmp_path / "alone")
    assert (code, len(alone)) == (1, 3)
    assert run(files, tmp_path / "pool", "--processes", "2") == (1, alone)
    assert contents(tmp_path / "pool") == contents(tmp_path / "alone")


class Work:
    """A pool on a workspace of its own."""

    def __init__(self, folder: Path, files: list[Path]) -> None:
        self.space = Workspace(folder)
        self.videos = [add_video(self.space.store, self.space.media, file) for file in files]
        self.stop = Event()
        self.heard: list[tuple[str, str, str]] = []

    def report(self, video: Video, stage: Stage, state: str, _done: int, _total: int, message: str) -> None:
        self.heard.append((video.title, f"{stage} {state}", message))

    def pool(self, *stages: Stage) -> Pool:
        job = Job(
            self.space.path, self.space.store.url, EngineChoice(speech="none", ocr="none"), stages or STAGES
        )
        return Pool(job, self.space.store, self.report, self.stop)


def _children() -> list[int]:
    """Processes that this one started and that are alive: workers (and what watches over them)."""
    text = " ".join(file.read_text() for file in Path("/proc/self/task").glob("*/children"))
    lines = {int(pid): Path(f"/proc/{pid}/cmdline").read_text() for pid in text.split()}
    return [pid for pid, line in lines.items() if "spawn_main" in line]


def _kill_in_a_stage(work: Work, before: set[int]) -> None:
    """Kill the worker that has the first video, when the store says that a stage of it is under way."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if not any(title == "long" for title, *_ in work.heard):
            time.sleep(0.02)
            continue
        # The first worker that was started has the first video. Held still, it ends no stage meanwhile.
        first = min(set(_children()) - before)
        os.kill(first, signal.SIGSTOP)
        if work.space.store.find(RunVideo, video_id=work.videos[0].id, state="running"):
            os.kill(first, signal.SIGKILL)
            return
        os.kill(first, signal.SIGCONT)
        time.sleep(0.02)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="/proc is not beside this system")
def test_a_killed_worker_costs_its_video_and_no_other(films: list[Path], tmp_path: Path) -> None:
    long = write_clip(tmp_path / "long.mp4", (textured(i // 200) for i in range(1200)), keyint=250)
    work = Work(tmp_path / "space", [long, *films])
    before = set(_children())

    killer = Timer(0, _kill_in_a_stage, (work, before))
    killer.start()
    results = {result.video.title: result for result in work.pool().run(work.videos, 2)}
    killer.join()
    assert results["long"].lost
    (problem,) = results["long"].problems
    assert "long" in problem and "SIGKILL" in problem and "--processes" in problem
    assert {title for title, result in results.items() if not result.problems} == {f.stem for f in films}
    store = work.space.store
    assert all(store.find(SceneList, video_id=video.id) for video in work.videos[1:])
    failed = store.find(RunVideo, video_id=work.videos[0].id, state="failed")
    assert failed and "SIGKILL" in failed[0].message
    again = list(work.pool().run(work.videos, 2))
    assert not any(result.problems for result in again)
    assert store.find(SceneList, video_id=work.videos[0].id)
    assert set(_children()) == before, "every worker ended"


def test_stopped_all_workers_stop_and_the_next_run_goes_on(films: list[Path], tmp_path: Path) -> None:
    work = Work(tmp_path / "space", films)
    results = []
    with pytest.raises(Stopped):
        for result in work.pool().run(work.videos, 2):
            results.append(result)
            work.stop.set()
    assert 1 <= len(results) < len(films)
    work.stop.clear()
    assert len(list(work.pool().run(work.videos, 2))) == len(films)
    assert all(work.space.store.find(SceneList, video_id=video.id) for video in work.videos)
