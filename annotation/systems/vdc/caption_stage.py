"""The stage that writes the five captions of VDC."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.prompts.prompt_files import Prompts
from annotation.records.allowed_values import VDC_ASPECTS, VdcAspect
from annotation.records.captions_to_verdicts import Text
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.facts_for_baseline import video_facts
from annotation.stages.frames_shown_to_models import shown_frames
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_text, sample_id, work_off
from annotation.stages.stage_context import Context, model_run
from annotation.stages.stage_results import StageResults
from annotation.systems.vdc import caption_prompt_pool
from annotation.systems.vdc import requests as vdc
from backends.digest import digest
from backends.protocols import ChatRequest

CAPTION_FRAMES = 16
"""Number of uniformly spaced frames per video for VDC captions; VDC's authors name "around 16"."""


def run_captions(context: Context, video: Video) -> StageResults:
    """Write the five VDC captions, each by its own prompt, all from the same frames."""
    model, prompts = context.engines.captioner, context.prompts
    hashes = digest(*(prompts[f"vdc_caption_{aspect}"].hash for aspect in VDC_ASPECTS))
    params: dict[str, Any] = {"frames": CAPTION_FRAMES, **context.reader_params}
    if context.engines.caption_prompts == "pool":
        prompts, hashes = caption_prompt_pool.drawn(prompts, video), caption_prompt_pool.pool_hash()
        params["caption_prompts"] = "pool"
    run = context.start_run(model_run("captions", model, hashes, **params))
    frames = shown_frames(video, CAPTION_FRAMES)
    facts = video_facts(context, video)
    items = [_caption_item(context, run, video, aspect, frames, facts, prompts) for aspect in VDC_ASPECTS]
    return work_off(context, video, "captions", run, model, Text, items)


def _caption_item(
    context: Context,
    run: Run,
    video: Video,
    aspect: VdcAspect,
    frames: tuple[int, ...],
    facts: dict[str, Any],
    prompts: Prompts,
) -> Item:
    # The inputs of a vision model do not depend on the cuts; the baseline's inputs do.
    inputs = digest("caption", frames, facts if run.baseline else None)
    parts = ("txt", run.id, video.id, aspect, inputs)

    def build() -> ChatRequest:
        pictures = context.pictures(video, frames)
        return vdc.caption_request(prompts, aspect, pictures, frames, facts)

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = vdc.read_caption(called.reply) if called.reply else None
        values = (reading.state, reading.value, reading.reason) if reading else FAILED
        return [
            new_text(
                sample_id(parts, sample),
                called,
                run,
                video,
                f"vdc:{aspect}",
                ("video", video.id),
                values,
                source_hash=inputs,
                frames=frames,
            )
        ]

    return Item(parts, build, read)
