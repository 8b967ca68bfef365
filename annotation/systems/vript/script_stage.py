"""The stage that writes scene scripts: four fields per scene (Vript)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.records.allowed_values import SCRIPT_FIELDS
from annotation.records.captions_to_verdicts import Text
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.speech_of_scene import voice_over
from annotation.records.videos import Scene, ScreenText, Video
from annotation.stages.frames_shown_to_models import NO_SCENES, shown_scenes
from annotation.stages.measurement_stage import measured
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_text, sample_id, work_off
from annotation.stages.newest_screen_texts import (
    MOST_IN_SCENE,
    screen_texts,
    shown_between,
    sure_words,
    words_shown,
)
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.stages.stage_context import Context, model_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.store.current_speech import spoken
from annotation.systems.vript import script_requests
from backends.digest import digest
from backends.protocols import ChatRequest


def run_script(context: Context, video: Video) -> StageResults:
    """Write four fields per scene from frames at the published positions (Vript, README of the dataset)."""
    model, prompts = context.engines.captioner, context.prompts
    run = context.start_run(model_run("script", model, prompts["vript_script"].hash, **context.reader_params))
    scenes = shown_scenes(context.store, video)
    if not scenes:
        return skipped(NO_SCENES)
    of = len(current_scenes(context.store, video.id))
    speech = [line.timed for line in spoken(context.store, video.id)]
    written = screen_texts(context.store, video.id)
    found = measured(context.store, video.id)
    items = [
        _script_item(
            context,
            run,
            video,
            scene,
            of,
            scene_words(speech, written, scene),
            found.get(scene.key, {}),
        )
        for scene in scenes
    ]
    return work_off(context, video, "script", run, model, Text, items)


def scene_frames(scene: Scene) -> tuple[int, ...]:
    """Indices of the frames at the published positions of a scene."""
    length = scene.end_frame - scene.start_frame
    positions = script_requests.frame_positions(scene.end_s - scene.start_s)
    return tuple(dict.fromkeys(scene.start_frame + min(length - 1, int(p * length)) for p in positions))


@dataclass(frozen=True, slots=True)
class SceneWords:
    """Text inputs of a scene's script."""

    voice_over: str
    on_screen: str = ""
    """Lines of on-screen text, one per row."""
    sure: str = ""
    """The lines that were read with high confidence."""


def scene_words(
    speech: Sequence[tuple[float, float, str]], texts: Sequence[ScreenText], scene: Scene
) -> SceneWords:
    """The speech of a scene (`speech` as passed to `voice_over`) and its on-screen text."""
    shown = shown_between(texts, scene.start_s, scene.end_s)
    sure = sure_words(texts, scene.start_s, scene.end_s)
    voice = voice_over(speech, scene.start_s, scene.end_s)
    return SceneWords(voice, words_shown(shown, MOST_IN_SCENE), sure)


def script_inputs(scene: Scene, words: SceneWords) -> str:
    """Fingerprint of the inputs of a scene's script: frames, speech and on-screen text."""
    shown = (words.on_screen,) if words.on_screen else ()
    return digest("script", words.voice_over, scene_frames(scene), scene.start_frame, scene.end_frame, *shown)


def _script_item(
    context: Context,
    run: Run,
    video: Video,
    scene: Scene,
    of: int,
    words: SceneWords,
    facts: Mapping[str, Any],
) -> Item:
    frames = scene_frames(scene)
    inputs = script_inputs(scene, words)
    parts = {name: ("txt", run.id, scene.key, name, inputs) for name in SCRIPT_FIELDS}

    def build() -> ChatRequest:
        return script_requests.script_request(
            context.prompts,
            title=video.title,
            voice_over=words.voice_over,
            on_screen=words.on_screen,
            pictures=context.pictures(video, frames),
            frames=frames,
            facts={
                "title": video.title,
                "voice_over": words.voice_over,
                "duration_s": round(scene.end_s - scene.start_s, 3),
                "scene": {"index": scene.index, "of": of, "start_s": scene.start_s, "end_s": scene.end_s},
                "measurements": dict(facts),
                "on_screen": words.sure,
            },
        )

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = script_requests.read_script(called.reply) if called.reply else None
        return [
            new_text(
                sample_id(parts[name], sample),
                called,
                run,
                video,
                f"script:{name}",
                ("scene", scene.key),
                (reading.state, reading.fields.get(name, ""), reading.reason) if reading else FAILED,
                source_hash=inputs,
                frames=frames,
            )
            for name in SCRIPT_FIELDS
        ]

    return Item(parts[SCRIPT_FIELDS[-1]], build, read)
