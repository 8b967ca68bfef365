"""A workspace with one film of many short scenes and a script for each, made without running the pipeline."""

from __future__ import annotations

from pathlib import Path

from annotation.intake.add_video import add_video
from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.captions_to_verdicts import Text
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Scene, SceneList, Segment, Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import scenes_from_starts
from annotation.workspace.workspace import Workspace
from tests.backends.clips import textured, write_clip

SCENE_FRAMES = 6
WORDS = {
    "shot_type": "Medium shot, eye level, the subject in the centre.",
    "camera_movement": "Static camera.",
    "content": "A textured wall in soft light. " * 20,
    "scene_title": "A wall",
}


def long_script(folder: Path, scenes: int = 500) -> Video:
    """Makes `folder/workspace`; every scene has four texts and a line of speech."""
    path = folder / "many scenes.mp4"
    pictures = [textured(seed, 128.0) for seed in range(8)]
    write_clip(path, (pictures[n // SCENE_FRAMES % 8] for n in range(scenes * SCENE_FRAMES)))
    space = Workspace(folder / "workspace")
    media = MediaLibrary(space.media)
    try:
        video = add_video(space.store, space.media, path)
        space.store.add(_records(video, media, scenes))
    finally:
        media.close()
        space.close()
    return video


def _records(video: Video, media: MediaLibrary, scenes: int) -> list[Record]:
    runs = [
        Run(id=f"run-{stage}", stage=stage, backend="http://127.0.0.1:1/v1#m", model="m", created_at=1.0)
        for stage in ("scenes", "script", "speech")
    ]
    header = SceneList(
        id="scl-1",
        video_id=video.id,
        created_at=1.0,
        run_id="run-scenes",
        detector={"name": "content", "params": {}, "version": "1"},
    )
    starts = [n * SCENE_FRAMES for n in range(scenes)]
    found = scenes_from_starts(header.id, video, starts, media.table(video))
    return [*runs, header, *found, *(record for scene in found for record in _of_scene(video, scene))]


def _of_scene(video: Video, scene: Scene) -> list[Record]:
    texts = [
        Text(
            id=record_id("txt", scene.key, name),
            video_id=video.id,
            kind=f"script:{name}",
            subject_type="scene",
            subject_id=scene.key,
            value=f"{scene.index + 1}: {WORDS[name]}",
            created_at=2.0,
            run_id="run-script",
            frames=(scene.start_frame + 1, scene.start_frame + 3),
        )
        for name in SCRIPT_FIELDS
    ]
    said = Segment(
        id=f"seg-{scene.index}",
        video_id=video.id,
        run_id="run-speech",
        index=scene.index,
        start_s=scene.start_s + 0.02,
        end_s=scene.end_s - 0.02,
        text=f"Line {scene.index + 1} is said.",
        language="en",
        avg_logprob=-0.2,
        no_speech_prob=0.01,
    )
    return [*texts, said]
