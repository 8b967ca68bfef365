"""A dataset's clip folder as the file of its video: the clips are the scenes, a missing one is a gap."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest

from annotation.intake.attach_videos import Attached, attach_folder
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Measurement, SceneList, Video
from annotation.stages.frames_shown_to_models import is_missing, shown_frames, shown_scenes, slates
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.systems.progress_captioner.caption_stage import candidate_frames
from annotation.workspace.workspace import Workspace
from backends.errors import MediaError
from exports.catalogue import format_registry as formats
from tests.backends.clips import textured, write_clip
from tests.exports.vript.vript_shapes import asr_row, captions, clip_id, put

NAME = "0J7UPHL08fU"
LENGTHS = (50, 75, 100, 60)
"""Frames of the clips, 25 a second."""


def dataset(folder: Path) -> Path:
    rows = [
        asr_row(NAME, n, count / 25, scene_text=[{"span": [0.4, 1.5], "text": f" Line {n}."}])
        for n, count in enumerate(LENGTHS, 1)
    ]
    put(folder, f"{NAME}_caption.json", captions(NAME, len(LENGTHS)))
    put(folder, f"{NAME}_asr.jsonl", rows[::-1])
    return folder


def clip_folder(folder: Path, *numbers: int) -> Path:
    (folder / NAME).mkdir(parents=True, exist_ok=True)
    for n in numbers:
        pictures = [textured(n, 90.0)] * LENGTHS[n - 1]
        write_clip(folder / NAME / f"{clip_id(NAME, n)}.mp4", pictures)
    return folder


def attached(workspace: Workspace, tmp_path: Path, *numbers: int) -> tuple[Video, Attached]:
    formats.commit(workspace.store, formats.read(dataset(tmp_path / "vript"), workspace.store))
    found = attach_folder(workspace.store, workspace.media, clip_folder(tmp_path / "clips", *numbers))
    [video] = workspace.store.find(Video)
    return video, found


def test_the_clips_are_the_scenes_and_a_missing_one_is_a_gap(workspace: Workspace, tmp_path: Path) -> None:
    store = workspace.store
    video, found = attached(workspace, tmp_path, 1, 2, 4)
    assert (found.attached, found.unused) == ([video.title], 0)
    assert found.problems == [(video.title, "1 of 4 clips are missing and leave gaps in the film: Scene 003")]
    scenes = current_scenes(store, video.id)
    assert [(s.start_frame, s.end_frame) for s in scenes] == [(0, 50), (50, 125), (125, 126), (126, 186)]
    assert [round(s.start_s, 3) for s in scenes] == [0, 2, 5, 9]
    assert [Path(c.path).name if c.path else None for c in video.clips] == [
        f"{clip_id(NAME, n)}.mp4" if n != 3 else None for n in (1, 2, 3, 4)
    ]
    assert slates(video) == {125}
    assert [is_missing(scene, slates(video)) for scene in scenes] == [False, False, True, False]
    assert {t.subject_id for t in store.find(Text)} == {s.key for s in scenes}


def test_no_model_is_shown_a_slate(workspace: Workspace, tmp_path: Path) -> None:
    store = workspace.store
    video, _ = attached(workspace, tmp_path, 1, 2, 4)
    media = MediaLibrary(workspace.media)
    assert 125 not in shown_frames(video, 186) and len(shown_frames(video, 16)) == 16
    assert 125 not in candidate_frames(video, media.table(video).seconds.tolist())
    assert [s.index for s in shown_scenes(store, video)] == [0, 1, 3]
    engines = make_engines(EngineChoice(speech="none"), workspace)
    context = new_context(workspace, engines, media, lambda *_: None, Event())
    run_video(context, video, chosen_stages(["measurements", "script", "captions"]))
    media.close()
    scenes = current_scenes(store, video.id)
    measured = {m.subject_id for m in store.find(Measurement, kind="camera_motion")}
    assert measured == {s.key for s in scenes if s.index != 2}
    texts = [t for t in store.find(Text) if t.run_id]
    assert texts and all(125 not in t.frames for t in texts)
    assert {t.subject_id for t in texts if t.kind == "script:content"} == measured


def test_what_goes_out_is_what_came_and_coming_again_changes_nothing(
    workspace: Workspace, tmp_path: Path
) -> None:
    store = workspace.store
    formats.commit(store, formats.read(dataset(tmp_path / "vript"), store))
    formats.write(store, "vript", tmp_path / "before")
    attach_folder(store, workspace.media, clip_folder(tmp_path / "clips", 1, 2, 4))
    formats.write(store, "vript", tmp_path / "after")
    for name in (f"{NAME}_caption.json", f"{NAME}_asr.jsonl", f"{NAME}_cut_meta.json"):
        assert (tmp_path / "after" / name).read_text() == (tmp_path / "before" / name).read_text(), name
    batch = formats.read(tmp_path / "vript", store)
    formats.commit(store, batch)
    assert not any("scenes" in problem.what for problem in batch.problems)
    assert len(store.find(SceneList)) == 1
    formats.write(store, "dailies-jsonl", tmp_path / "all.jsonl")
    written = (tmp_path / "all.jsonl").read_text()
    assert str(tmp_path) not in written
    [line] = [json.loads(row) for row in written.splitlines() if '"record": "Video"' in row]
    assert (line["path"], line["clips"]) == (None, [])


def test_clips_of_a_video_without_scenes_make_no_film(workspace: Workspace, tmp_path: Path) -> None:
    """As those of Vript-Hard, which are four of many."""
    meta = put(tmp_path, "vript_long_videos_meta.json", {NAME: {"title": "A bag", "categories": ["Tech"]}})
    formats.commit(workspace.store, formats.read(meta, workspace.store))
    found = attach_folder(workspace.store, workspace.media, clip_folder(tmp_path / "clips", 2, 3))
    assert (found.attached, found.unused) == ([], 2)


def test_a_file_of_the_whole_video_goes_before_clips(workspace: Workspace, tmp_path: Path) -> None:
    folder = clip_folder(tmp_path / "clips", 1)
    write_clip(folder / f"{NAME}.mp4", [textured(9, 90.0)] * 30)
    formats.commit(workspace.store, formats.read(dataset(tmp_path / "vript"), workspace.store))
    attach_folder(workspace.store, workspace.media, folder)
    [video] = workspace.store.find(Video)
    assert video.clips == () and video.facts and video.facts.frames == 30


def test_clips_of_which_none_can_be_read_are_told(workspace: Workspace, tmp_path: Path) -> None:
    folder = clip_folder(tmp_path / "clips", 1)
    (folder / NAME / f"{clip_id(NAME, 1)}.mp4").write_bytes(b"no video")
    formats.commit(workspace.store, formats.read(dataset(tmp_path / "vript"), workspace.store))
    found = attach_folder(workspace.store, workspace.media, folder)
    said = "Scene 001: none of the 4 clips can be read; check the files"
    assert [what for _, what in found.problems] == [said]
    [video] = workspace.store.find(Video)
    assert video.path is None and not video.clips
    with pytest.raises(MediaError):
        shown_frames(video, 4)
