"""The results of each stage of a clip, as values of Gradio's components."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotation.records.allowed_values import VDC_ASPECTS, Stage
from annotation.records.videos import Video
from annotation.stages.measurement_stage import measured
from annotation.stages.media_library import MediaLibrary
from annotation.stages.newest_screen_texts import screen_texts
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.store import Store
from annotation.systems.progress_captioner.keyframes_of_video import Sheet, read_sheet
from ui.lib.view_parts import speech_json
from ui.pages.script.view import captions_json, fields_json

WIDTH = 480
"""Width of pictures in pixels."""
METHODS = ("progression", "uniform", "clusters")
LINE_COLUMNS = ("from s", "to s", "text")
SCRIPT = ("scene", "title", "shot type", "camera movement", "content")
CAPTIONS = ("part", "caption", "written by")
RULES = "rules; no model is connected"
Picture = tuple[str, str]
"""A file and its caption."""


@dataclass(frozen=True, slots=True)
class Clip:
    """The clip that is processed, and the folder for its pictures."""

    store: Store
    media: MediaLibrary
    video: Video
    pictures: Path

    def files(self, frames: Sequence[int]) -> dict[int, str]:
        """JPEGs of these frames, under random names."""
        made = self.media.thumbnails(self.video, frames, WIDTH)
        found = {}
        for frame, file in zip(frames, made, strict=True):
            found[frame] = str(self.pictures / f"{secrets.token_hex(16)}.jpg")
            shutil.copyfile(file, found[frame])
        return found


@dataclass(frozen=True, slots=True)
class Keyframes:
    """Candidates with captions and verdicts, from which rows of any number of frames are made."""

    sheet: Sheet
    files: Mapping[int, str]
    """By frame."""

    def rows(self, budget: int) -> dict[str, tuple[str, list[Picture]]]:
        """By method: the note of the row, and its pictures with the reason for each."""
        seconds = {caption.index: caption.seconds for caption in self.sheet.captions}
        found: dict[str, tuple[str, list[Picture]]] = {}
        for row in self.sheet.rows_of_budget(budget):
            why = [(i, row.reasons.get(i, "").removeprefix("kept: ")) for i in row.frames]
            pictures = [(self.files[i], f"{seconds[i]:.1f} s: {reason}") for i, reason in why]
            found[row.method] = row.note, pictures
        return found


def scenes(clip: Clip) -> list[Picture]:
    """The middle frame of each scene, with the scene's length and camera movement."""
    found, about = current_scenes(clip.store, clip.video.id), measured(clip.store, clip.video.id)
    middle = {scene.key: (scene.start_frame + scene.end_frame - 1) // 2 for scene in found}
    files = clip.files(list(middle.values()))
    rows = []
    for scene in found:
        words = f"Scene {scene.index + 1}: {scene.start_s:.1f} to {scene.end_s:.1f} s"
        if motion := about.get(scene.key, {}).get("camera_motion"):
            words += f", camera {motion['label'].replace('_', ' ')}"
        rows.append((files[middle[scene.key]], words))
    return rows


def speech(clip: Clip) -> list[list[Any]]:
    lines = speech_json(clip.store, clip.video.id)["segments"]
    return [[round(line["start_s"], 1), round(line["end_s"], 1), line["text"]["value"]] for line in lines]


def text(clip: Clip) -> list[list[Any]]:
    found = screen_texts(clip.store, clip.video.id)
    return [[round(one.start_s, 1), round(one.end_s, 1), one.text] for one in found]


def script(clip: Clip) -> list[list[Any]]:
    fields = fields_json(clip.store, clip.video.id)
    names = ("scene_title", "shot_type", "camera_movement", "content")
    rows: list[list[Any]] = []
    for scene in current_scenes(clip.store, clip.video.id):
        texts = fields.get(scene.key, {})
        words = [texts[f"script:{name}"]["value"] if f"script:{name}" in texts else "" for name in names]
        rows.append([scene.index + 1, *words])
    return rows


def captions(clip: Clip) -> list[list[Any]]:
    found = captions_json(clip.store, clip.video.id)
    return [
        [aspect.replace("_", " "), row["value"], RULES if row["baseline"] else row["model"]]
        for aspect in VDC_ASPECTS
        for row in found[f"vdc:{aspect}"]
    ]


def keyframes(clip: Clip) -> Keyframes:
    sheet = read_sheet(clip.store, clip.media, clip.video.id)
    return Keyframes(sheet, clip.files(sheet.indices))


PARTS: Mapping[Stage, Callable[[Clip], Any]] = {
    "scenes": scenes,
    "speech": speech,
    "measurements": scenes,
    "text": text,
    "script": script,
    "captions": captions,
    "keyframes": keyframes,
}
"""The result of a stage once it has ended; after the measurements the scenes are shown in more detail."""
