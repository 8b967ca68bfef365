"""A short clip with two shots, a workspace, and engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest

from annotation.intake.add_video import add_video
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import VideoResult, new_context, run_video
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.stage_context import Context, Engines
from annotation.systems.vript.rr_settings import rr_options
from annotation.workspace.workspace import Workspace
from tests.backends.clips import textured, write_clip
from tests.databases import new_workspace

CLIP_FRAMES = 100


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds at 25 fps: a dark shot, a bright shot."""
    path = tmp_path_factory.mktemp("clip") / "two shots.mp4"
    pictures = [textured(1 + (i >= 50), 70.0 + 110 * (i >= 50)) for i in range(CLIP_FRAMES)]
    return write_clip(path, pictures)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    space = new_workspace(tmp_path / "workspace")
    yield space
    space.close()


def failed_requests(result: VideoResult) -> int:
    """How many requests of all its stages have no reply."""
    return sum(stage.failed for stage in result.stages.values())


class Bench:
    """Runs the pipeline over the clip as often as a test wants."""

    def __init__(self, workspace: Workspace, clip: Path) -> None:
        self.workspace = workspace
        self.store = workspace.store
        self.media = MediaLibrary(workspace.media)
        self.video: Video = add_video(workspace.store, workspace.media, clip)
        self.reports: list[tuple[str, str, str]] = []

    def engines(self, **specs: str) -> Engines:
        return make_engines(EngineChoice(**{"speech": "none", "ocr": "none", **specs}), self.workspace)

    def context(
        self, engines: Engines, stop: Event | None = None, *, again: bool = False, rr_setting: str = "whole"
    ) -> Context:
        def report(_video: Video, stage: str, state: str, _done: int, _total: int, message: str) -> None:
            self.reports.append((stage, state, message))

        return new_context(
            self.workspace, engines, self.media, report, stop, again=again, options=[rr_options(rr_setting)]
        )

    def run(self, *stages: str, rr_setting: str = "whole", **specs: str) -> tuple[VideoResult, Context]:
        context = self.context(self.engines(**specs), rr_setting=rr_setting)
        return run_video(context, self.video, chosen_stages(stages)), context


@pytest.fixture
def bench(workspace: Workspace, clip: Path) -> Iterator[Bench]:
    made = Bench(workspace, clip)
    yield made
    made.media.close()
