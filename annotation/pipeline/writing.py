"""Stages that write texts: the Vript script, the five VDC captions, the spatial/temporal split."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

from annotation import carebench, fingerprints, vdc, vript
from annotation.pipeline.calls import Called
from annotation.pipeline.context import Context, model_run
from annotation.pipeline.footage import current_scenes, facts_of
from annotation.pipeline.items import Item, failed_id, sampled, vote, work_off
from annotation.pipeline.measuring import measured
from annotation.pipeline.media import spread
from annotation.records import (
    SCRIPT_FIELDS,
    VDC_ASPECTS,
    Record,
    ResultState,
    Run,
    Scene,
    SubjectType,
    Text,
    TextKind,
    VdcAspect,
    Video,
    digest,
    record_id,
)
from annotation.speech_lines import spoken
from annotation.store.approvals import rank, standing
from annotation.store.store import Store
from backends.protocols import ChatRequest

FAILED: tuple[ResultState, str, str] = ("failed", "", "")
CAPTION_FRAMES = 16
"""Frames per video given for VDC captions, uniform; VDC's authors name "around 16"."""


def new_text(
    record: str, called: Called, run: Run, video: Video, kind: TextKind, subject: tuple[SubjectType, str],
    reading: tuple[ResultState, str, str], **more: Any,
) -> Text:  # fmt: skip
    """The text that a reply gives: `reading` is (state, value, reason)."""
    state, value, reason = reading if called.reply else ("failed", "", called.failure)
    if called.fewer:
        more["frames"], reason = called.frames, "; ".join(filter(None, (reason, called.fewer)))
    return Text(
        id=record if called.reply else failed_id(record), video_id=video.id, kind=kind,
        subject_type=subject[0], subject_id=subject[1], value=value, created_at=time.time(), state=state,
        reason=reason, run_id=run.id, call_id=called.call_id, baseline=run.baseline, **more,
    )  # fmt: skip


# --- script ---------------------------------------------------------------------------


def run_script(context: Context, video: Video) -> int:
    """Four fields per scene, frames at the published positions (Vript, README of the dataset)."""
    model, prompts = context.engines.captioner, context.workspace.prompts
    run = context.start_run(model_run("script", model, prompts["vript_script"].hash, **context.reader_params))
    scenes = current_scenes(context.store, video.id)
    speech = [line.timed for line in spoken(context.store, video.id)]
    found = measured(context.store, video.id)
    items = [
        _script_item(
            context, run, video, scene, len(scenes),
            vript.voice_over(speech, scene.start_s, scene.end_s), found.get(scene.key, {}),
        )
        for scene in scenes
    ]  # fmt: skip
    return work_off(context, video, "script", model, Text, items)


def scene_frames(scene: Scene) -> tuple[int, ...]:
    """Indices of the frames at the published positions of a scene."""
    length = scene.end_frame - scene.start_frame
    positions = vript.frame_positions(scene.end_s - scene.start_s)
    return tuple(dict.fromkeys(scene.start_frame + min(length - 1, int(p * length)) for p in positions))


def script_inputs(scene: Scene, words: str) -> str:
    """Fingerprint of what a scene's script is written from: its frames and its voice-over."""
    return digest("script", words, scene_frames(scene), scene.start_frame, scene.end_frame)


def _script_item(
    context: Context,
    run: Run,
    video: Video,
    scene: Scene,
    of: int,
    words: str,
    facts: Mapping[str, Any],
    sample: int = 0,
) -> Item:
    frames = scene_frames(scene)
    inputs = script_inputs(scene, words)
    ids = {name: record_id("txt", run.id, scene.key, name, inputs, *vote(sample)) for name in SCRIPT_FIELDS}

    def build() -> ChatRequest:
        request = vript.script_request(
            context.workspace.prompts, title=video.title, voice_over=words,
            pictures=context.pictures(video, frames), frames=frames,
            facts={
                "title": video.title, "voice_over": words,
                "duration_s": round(scene.end_s - scene.start_s, 3),
                "scene": {"index": scene.index, "of": of, "start_s": scene.start_s, "end_s": scene.end_s},
                "measurements": dict(facts),
            },
        )  # fmt: skip
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        reading = vript.read_script(called.reply) if called.reply else None
        return [
            new_text(
                ids[name], called, run, video, cast(TextKind, f"script:{name}"), ("scene", scene.key),
                (reading.state, reading.fields.get(name, ""), reading.reason) if reading else FAILED,
                source_hash=inputs, frames=frames,
            )
            for name in SCRIPT_FIELDS
        ]  # fmt: skip

    again = partial(_script_item, context, run, video, scene, of, words, facts)
    return Item(ids[SCRIPT_FIELDS[-1]], build, read, again)


# --- VDC captions ---------------------------------------------------------------------


def run_captions(context: Context, video: Video) -> int:
    """The five VDC captions, each by its own fixed prompt, all from the same frames."""
    model, prompts = context.engines.captioner, context.workspace.prompts
    hashes = digest(*(prompts[f"vdc_caption_{aspect}"].hash for aspect in VDC_ASPECTS))
    run = context.start_run(
        model_run("captions", model, hashes, frames=CAPTION_FRAMES, **context.reader_params)
    )
    frames = spread(facts_of(video).frames, CAPTION_FRAMES)
    facts = video_facts(context, video)
    items = [_caption_item(context, run, video, aspect, frames, facts) for aspect in VDC_ASPECTS]
    return work_off(context, video, "captions", model, Text, items)


def video_facts(context: Context, video: Video) -> dict[str, Any]:
    """What the baseline knows of a video: its scenes, what was measured in them and what was heard."""
    speech = [line.timed for line in spoken(context.store, video.id)]
    found = measured(context.store, video.id)
    return {
        "title": video.title, "duration_s": facts_of(video).duration_s,
        "scenes": [
            {"index": s.index, "start_s": s.start_s, "end_s": s.end_s,
             "voice_over": vript.voice_over(speech, s.start_s, s.end_s), "measurements": found.get(s.key, {})}
            for s in current_scenes(context.store, video.id)
        ],
    }  # fmt: skip


def _caption_item(
    context: Context,
    run: Run,
    video: Video,
    aspect: VdcAspect,
    frames: tuple[int, ...],
    facts: dict[str, Any],
    sample: int = 0,
) -> Item:
    # What a model that looks at pictures reads does not change with the cuts; the baseline's does.
    inputs = digest("caption", frames, facts if run.baseline else None)
    record = record_id("txt", run.id, video.id, aspect, inputs, *vote(sample))

    def build() -> ChatRequest:
        pictures = context.pictures(video, frames)
        request = vdc.caption_request(context.workspace.prompts, aspect, pictures, frames, facts)
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        reading = vdc.read_caption(called.reply) if called.reply else None
        values = (reading.state, reading.value, reading.reason) if reading else FAILED
        return [
            new_text(record, called, run, video, cast(TextKind, f"vdc:{aspect}"), ("video", video.id), values,
                     source_hash=inputs, frames=frames)
        ]  # fmt: skip

    return Item(record, build, read, partial(_caption_item, context, run, video, aspect, frames, facts))


# --- spatial / temporal split -----------------------------------------------------------


def run_split(context: Context, video: Video) -> int:
    """A proposal for the spatial and the temporal part of the full caption (CaReBench, stage II)."""
    model, prompts = context.engines.writer, context.workspace.prompts
    full = text_to_split(context.store, video.id)
    if full is None:
        return 0
    run = context.start_run(model_run("split", model, prompts["carebench_split"].hash))
    value = str(context.store.current("text", full.id, "value").value)
    return work_off(context, video, "split", model, Text, [_split_item(context, run, video, full, value)])


def text_to_split(store: Store, video_id: str) -> Text | None:
    """The full CaReBench caption, the approved one first; else the newest detailed caption."""
    for kind in ("carebench:full", "vdc:detailed"):
        found = store.find(Text, video_id=video_id, kind=kind, state="done", order_by=["created_at"])
        if found:
            now = standing(store, video_id)
            return max(reversed(found), key=lambda text: rank(text, now))
    return None


def _split_item(context: Context, run: Run, video: Video, full: Text, value: str, sample: int = 0) -> Item:
    inputs = fingerprints.of_text(value)
    ids = {
        side: record_id("txt", run.id, full.id, side, inputs, *vote(sample))
        for side in ("spatial", "temporal")
    }

    def build() -> ChatRequest:
        return sampled(carebench.split_request(context.workspace.prompts, value), sample)

    def read(called: Called) -> Sequence[Record]:
        reading = carebench.read_split(called.reply) if called.reply else None
        return [
            new_text(
                ids[side], called, run, video, cast(TextKind, f"carebench:{side}"), ("video", video.id),
                (reading.state, getattr(reading, side), reading.reason) if reading else FAILED,
                source_text_id=full.id, source_hash=inputs,
            )
            for side in ids
        ]  # fmt: skip

    again = partial(_split_item, context, run, video, full, value)
    return Item(ids["temporal"], build, read, again)
