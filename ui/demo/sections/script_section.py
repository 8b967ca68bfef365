"""Script: the scenes with their texts, the speech, and the text on screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gradio as gr

from annotation.records.allowed_values import SCRIPT_FIELDS, Stage
from annotation.records.videos import Scene
from annotation.stages.measurement_stage import measured
from annotation.stages.newest_screen_texts import screen_texts
from annotation.stages.probe_scenes_speech import current_scenes
from ui.demo.clips.demo_clips import DemoClip
from ui.demo.sections.section import QUIET, Desk, Values, pictures, row_of, table
from ui.lib.view_parts import speech_json
from ui.pages.script.view import fields_json

LINE = ("from s", "to s", "text")
LINE_WIDTHS = ("14%", "14%", "72%")
SCRIPT = ("scene", "title", "shot type", "camera movement", "content")
SPEECH, TEXT = "Speech", "Text on screen"


class ScriptSection:
    """Selecting a scene or a line moves the player there."""

    stages: frozenset[Stage] = frozenset({"scenes", "speech", "measurements", "text", "script"})

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.scenes = pictures("Scenes", columns=5)
        self.script = table("Script, scene by scene", SCRIPT, ("9%", "20%", "15%", "16%", "40%"))
        with gr.Row():
            with gr.Column(min_width=320):
                self.speech = table(SPEECH, LINE, LINE_WIDTHS, max_height=240)
            with gr.Column(min_width=320):
                self.text = table(TEXT, LINE, LINE_WIDTHS, max_height=240)
        self.outputs: Sequence[gr.blocks.Block] = (self.scenes, self.script, self.speech, self.text)

    def listen(self) -> None:
        for part in (self.scenes, self.script):
            part.select(self._scene, [self.desk.key], self.desk.player, **QUIET)
        self.speech.select(self._spoken, [self.desk.key], self.desk.player, **QUIET)
        self.text.select(self._read, [self.desk.key], self.desk.player, **QUIET)

    def _scene(self, key: str, request: gr.Request, event: gr.SelectData) -> Any:
        with self.desk.clip(key, request) as clip:
            starts = [scene.start_frame for scene in current_scenes(clip.store, clip.video.id)]
            return _at(starts, row_of(event))

    def _spoken(self, key: str, request: gr.Request, event: gr.SelectData) -> Any:
        with self.desk.clip(key, request) as clip:
            lines = speech_json(clip.store, clip.video.id)["segments"]
            return _at([clip.frame_at(line["start_s"]) for line in lines], row_of(event))

    def _read(self, key: str, request: gr.Request, event: gr.SelectData) -> Any:
        with self.desk.clip(key, request) as clip:
            found = screen_texts(clip.store, clip.video.id)
            return _at([clip.frame_at(one.start_s) for one in found], row_of(event))

    def show(self, clip: DemoClip) -> Values:
        store, video = clip.store, clip.video
        lines = [
            [f"{line['start_s']:.1f}", f"{line['end_s']:.1f}", line["text"]["value"]]
            for line in speech_json(store, video.id)["segments"]
        ]
        on_screen = screen_texts(store, video.id)
        texts = [[f"{one.start_s:.1f}", f"{one.end_s:.1f}", one.text] for one in on_screen]
        return {
            self.scenes: _scenes(clip),
            self.script: _script(clip),
            self.speech: gr.update(value=lines, label=SPEECH if lines else f"{SPEECH}: none found"),
            self.text: gr.update(value=texts, label=TEXT if texts else f"{TEXT}: none found"),
        }

    def empty(self) -> Values:
        return {
            self.scenes: None,
            self.script: None,
            self.speech: gr.update(value=None, label=SPEECH),
            self.text: gr.update(value=None, label=TEXT),
        }


def _at(frames: Sequence[int], index: int) -> Any:
    """The frame to show; no change if the table has fewer rows by now."""
    return frames[index] if 0 <= index < len(frames) else gr.skip()


def _scenes(clip: DemoClip) -> list[tuple[str, str]]:
    """The middle frame of each scene, with the scene's length and camera movement."""
    found, about = current_scenes(clip.store, clip.video.id), measured(clip.store, clip.video.id)
    middle = {scene.key: (scene.start_frame + scene.end_frame - 1) // 2 for scene in found}
    files = clip.pictures(list(middle.values()))
    return [(files[middle[scene.key]], _about(scene, about.get(scene.key, {}))) for scene in found]


def _about(scene: Scene, found: dict[str, Any]) -> str:
    words = f"Scene {scene.index + 1}: {scene.start_s:.1f} to {scene.end_s:.1f} s"
    if motion := found.get("camera_motion"):
        words += f", camera {motion['label'].replace('_', ' ')}"
    return words


def _script(clip: DemoClip) -> list[list[str]]:
    fields = fields_json(clip.store, clip.video.id)
    rows = []
    for scene in current_scenes(clip.store, clip.video.id):
        texts = fields.get(scene.key, {})
        words = [texts[kind]["value"] if kind in texts else "" for kind in _KINDS]
        rows.append([str(scene.index + 1), *words])
    return rows


_KINDS = tuple(f"script:{name}" for name in ("scene_title", "shot_type", "camera_movement", "content"))
assert {kind.removeprefix("script:") for kind in _KINDS} <= set(SCRIPT_FIELDS)
