"""Scenes that came without a file: on real frames once it is there, with everything written on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from annotation.editing.texts_to_review import open_marks
from annotation.intake.add_video import add_video
from annotation.intake.attach_videos import attach_folder
from annotation.intake.take_videos import settle_scenes
from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.cut_versions import CutHistory
from annotation.store.scenes_without_file import NOMINAL, SPREAD, UNTIMED, nearest_frames
from annotation.workspace.workspace import Workspace
from backends.protocols import PtsTable
from exports.catalogue import format_registry as formats
from tests.exports.vript.vript_shapes import captions, cuts, put

NAME = "two shots"
"""Of the clip: four seconds at 25 fps."""


def dataset(folder: Path, *, timed: bool = True) -> Path:
    put(folder, f"{NAME}_caption.json", captions(NAME, 2))
    if timed:
        put(folder, f"{NAME}_cut_meta.json", cuts(NAME, 2, 1.99))
    return folder


def take(workspace: Workspace, folder: Path) -> Video:
    formats.commit(workspace.store, formats.read(folder, workspace.store))
    [video] = workspace.store.find(Video)
    return video


def test_the_file_gives_scenes_their_frames(workspace: Workspace, clip: Path, tmp_path: Path) -> None:
    store = workspace.store
    video = take(workspace, dataset(tmp_path / "vript"))
    before = current_scenes(store, video.id)
    assert store.scene_list(video.id).note == NOMINAL and before[1].start_frame == 1990
    found = attach_folder(store, workspace.media, clip.parent)
    assert found.attached == [video.title]
    scenes = current_scenes(store, video.id)
    assert [(s.start_frame, s.end_frame, s.start_s, s.end_s) for s in scenes] == [
        (0, 50, 0, 2),
        (50, 100, 2, 4),
    ]
    assert [s.key for s in scenes] == [s.key for s in before]
    assert {t.subject_id for t in store.find(Text)} == {s.key for s in scenes}
    assert store.scene_list(video.id).note == "" and open_marks(CutHistory(store, video.id)) == {}
    out = tmp_path / "out"
    formats.write(store, "vript", out)
    assert (out / f"{NAME}_caption.json").read_text(encoding="utf-8").count("voiceover") == 2


def test_a_script_without_times_is_spread_over_the_file(
    workspace: Workspace, clip: Path, tmp_path: Path
) -> None:
    video = take(workspace, dataset(tmp_path / "vript", timed=False))
    assert workspace.store.scene_list(video.id).note == UNTIMED
    add_video(workspace.store, workspace.media, clip)
    scenes = current_scenes(workspace.store, video.id)
    assert [(s.start_frame, s.end_frame) for s in scenes] == [(0, 50), (50, 100)]
    assert workspace.store.scene_list(video.id).note == SPREAD


def test_a_script_for_a_video_that_is_here(workspace: Workspace, clip: Path, tmp_path: Path) -> None:
    store = workspace.store
    here = add_video(store, workspace.media, clip)
    assert take(workspace, dataset(tmp_path / "vript")).id == here.id
    media = MediaLibrary(workspace.media)
    assert settle_scenes(store, media) == 1 and settle_scenes(store, media) == 0
    media.close()
    assert [s.start_frame for s in current_scenes(store, here.id)] == [0, 50]


@pytest.mark.parametrize(
    ("starts", "frames"),
    [
        ([0.0, 0.05, 0.1], [0, 1, 2]),
        ([0.0, 0.11, 0.12, 0.13], [0, 3, 4, 5]),
        ([5.0, 90.0], [0, 9]),
        ([0.0] * 4, [0, 1, 2, 3]),
        ([0.0] * 12, [0, 0, 0, *range(1, 10)]),
    ],
)
def test_each_scene_keeps_a_frame_as_far_as_there_are_any(starts: list[float], frames: list[int]) -> None:
    """Ten frames at 25 fps."""
    table = PtsTable(pts=np.arange(10), keyframes=np.array([0]), time_base="1/25", start_s=0.0, end_s=0.4)
    assert nearest_frames(starts, table) == frames
