"""Progression verdicts between neighbouring frames, and the keyframes by them (ProgressCaptioner)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from itertools import pairwise

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Selection
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.model_calls import Called
from annotation.stages.model_items import Item, failed_id, sampled, vote, work_off
from annotation.stages.stage_context import Context, model_run
from annotation.systems.progress_captioner import requests as progress
from annotation.systems.progress_captioner.caption_stage import frame_captions
from annotation.systems.progress_captioner.frame_differences import (
    DESCRIPTOR,
    frame_looks,
    picture_difference,
)
from annotation.systems.progress_captioner.keyframe_rows_by_method import Pair, Row, machine_rows
from backends.digest import digest
from backends.protocols import ChatRequest

LOOK_WIDTH = 160


def run_keyframes(context: Context, video: Video) -> int:
    """A verdict on every pair of neighbours, then the selections by progression, uniform and clusters."""
    model, prompts = context.engines.judge, context.prompts
    captions_run = context.runs.get("frames")
    if captions_run is None:
        return 0
    run = context.start_run(
        model_run("keyframes", model, prompts["frames_progression"].hash, (captions_run.id,))
    )
    captions = frame_captions(context.store, video.id, captions_run.id)
    indices = sorted(captions)
    gaps = _differences(context, video, indices)
    items = [
        _pair_item(context, run, video, pair, (captions[pair[0]], captions[pair[1]]), gaps[pair])
        for pair in pairwise(indices)
    ]
    failed = work_off(context, video, "keyframes", run, model, Verdict, items)
    if indices:
        context.store.add(_selections(context, run, video, indices))
    return failed


def _differences(context: Context, video: Video, indices: Sequence[int]) -> dict[tuple[int, int], float]:
    """How much the pictures of neighbouring candidates differ, 0 to 1."""
    with context.media.reader(video) as reader:
        pictures = [picture for _, picture in reader.frames(indices, width=LOOK_WIDTH)]
    return {
        (a, b): picture_difference(pictures[n], pictures[n + 1]) for n, (a, b) in enumerate(pairwise(indices))
    }


def pair_id(video: Video, pair: tuple[int, int]) -> str:
    return record_id("pair", video.id, pair)


def pair_inputs(captions: tuple[str, str], action: str) -> str:
    """Fingerprint of what a progression verdict is made from; a different one now means it is stale."""
    return digest("progression", captions, action)


def _pair_item(
    context: Context,
    run: Run,
    video: Video,
    pair: tuple[int, int],
    captions: tuple[str, str],
    gap: float,
    sample: int = 0,
) -> Item:
    inputs = pair_inputs(captions, video.action)
    record = record_id("jdg", run.id, pair_id(video, pair), inputs, *vote(sample))

    def build() -> ChatRequest:
        request = progress.progression_request(
            context.prompts,
            action=video.action,
            before=captions[0],
            after=captions[1],
            facts={"before": captions[0], "after": captions[1], "difference": gap},
        )
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        found = progress.ProgressionReading("failed", "", called.failure)
        if called.reply:
            found = progress.read_progression(called.reply)
        return [
            Verdict(
                id=record if called.reply else failed_id(record),
                video_id=video.id,
                run_id=run.id,
                subject_type="frame_pair",
                subject_id=pair_id(video, pair),
                value_type="progression",
                created_at=time.time(),
                state=found.state,
                label=found.label,
                reason=found.reason,
                raw=called.raw,
                source_hash=inputs,
                call_id=called.call_id,
                baseline=run.baseline,
                extra={"frames": list(pair), "difference": gap},
            )
        ]

    again = partial(_pair_item, context, run, video, pair, captions, gap)
    return Item(record, build, read, again)


def _selections(context: Context, run: Run, video: Video, indices: Sequence[int]) -> list[Record]:
    """What every method keeps, as the machine has it; people's changes are laid over it when it is shown."""
    found = context.store.find(Verdict, run_id=run.id, video_id=video.id, order_by=["created_at"])
    labels = {(int(j.extra["frames"][0]), int(j.extra["frames"][1])): j.label for j in found}
    pairs = [Pair(pair, labels.get(pair, "")) for pair in pairwise(indices)]
    rows = machine_rows(indices, pairs, frame_looks(context.media, video, indices))
    return [_selection(run, video, row) for row in rows]


def _selection(run: Run, video: Video, row: Row) -> Selection:
    size = [row.size_of] if row.size_of else []
    params = {"size_of": row.size_of} if row.size_of else {}
    return Selection(
        id=record_id("sel", run.id, video.id, row.method, list(row.frames), *size),
        video_id=video.id,
        method=row.method,
        frames=row.frames,
        created_at=time.time(),
        run_id=run.id,
        baseline=run.baseline and row.method == "progression",
        params=params | ({"descriptor": DESCRIPTOR} if row.method == "clusters" else {}),
        reasons={str(index): why for index, why in row.reasons.items()},
    )
