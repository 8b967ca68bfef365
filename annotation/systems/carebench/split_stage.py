"""The stage that proposes the spatial and the temporal part of a caption (CaReBench, stage II)."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.records import fingerprints
from annotation.records.captions_to_verdicts import Text
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_text, sample_id, work_off
from annotation.stages.stage_context import Context, model_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.store.store import Store
from annotation.systems.carebench import split_requests
from annotation.systems.carebench.texts_of_split import CAPTIONS_TO_SPLIT, caption_to_split
from annotation.texts.which_text_counts import (
    CountingText,
    counting_texts,
)
from backends.protocols import ChatRequest


def run_split(context: Context, video: Video) -> StageResults:
    """Propose the spatial and the temporal part of the full caption (CaReBench, stage II)."""
    model, prompts = context.engines.writer, context.prompts
    full = text_to_split(context.store, video.id)
    if full is None:
        return skipped("no full caption and no readable detailed caption to split")
    run = context.start_run(model_run("split", model, prompts["carebench_split"].hash))
    item = _split_item(context, run, video, full.text, full.value)
    return work_off(context, video, "split", run, model, Text, [item])


def text_to_split(store: Store, video_id: str) -> CountingText | None:
    """The current full caption of CaReBench, else the detailed one of VDC; None if there is none."""
    found = counting_texts(store, CAPTIONS_TO_SPLIT, video_ids=[video_id])
    return caption_to_split(found.get(video_id, {}))


def _split_item(context: Context, run: Run, video: Video, full: Text, value: str) -> Item:
    inputs = fingerprints.of_text(value)
    parts = {side: ("txt", run.id, full.id, side, inputs) for side in ("spatial", "temporal")}

    def build() -> ChatRequest:
        return split_requests.split_request(context.prompts, value)

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = split_requests.read_split(called.reply) if called.reply else None
        return [
            new_text(
                sample_id(parts[side], sample),
                called,
                run,
                video,
                f"carebench:{side}",
                ("video", video.id),
                (reading.state, getattr(reading, side), reading.reason) if reading else FAILED,
                source_text_id=full.id,
                source_hash=inputs,
            )
            for side in parts
        ]

    return Item(parts["temporal"], build, read)
