"""Progression verdicts between neighbouring frames, and the keyframes they select (ProgressCaptioner)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Selection
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.model_items import work_off
from annotation.stages.stage_context import Context, model_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.systems.progress_captioner.caption_judging_stages import ask_progression, verdict_item
from annotation.systems.progress_captioner.caption_stage import frame_captions
from annotation.systems.progress_captioner.frame_differences import (
    DESCRIPTOR,
    frame_looks,
    picture_difference,
)
from annotation.systems.progress_captioner.keyframe_rows_by_method import Pair, Row, machine_rows

LOOK_WIDTH = 160


def run_keyframes(context: Context, video: Video) -> StageResults:
    """Judge every pair of neighbours, then store the selections by progression, uniform and clusters."""
    model, prompt = context.engines.judge, context.prompts["frames_progression"]
    captions_run = context.runs.get("frames")
    if captions_run is None:
        return skipped("no frame captions; run the stage frames first")
    run = context.start_run(model_run("keyframes", model, prompt.hash, (captions_run.id,)))
    captions = frame_captions(context.store, video.id, captions_run.id)
    indices = sorted(captions)
    asks = [
        ask_progression(context, video, (a, b), (captions[a], captions[b]), difference=gap)
        for (a, b), gap in _differences(context, video, indices).items()
    ]
    items = [verdict_item(run, video, ask) for ask in asks]
    judged = work_off(context, video, "keyframes", run, model, Verdict, items)
    if indices:
        context.store.add(_selections(context, run, video, indices))
    return judged if indices else skipped("no readable frame captions")


def _differences(context: Context, video: Video, indices: Sequence[int]) -> dict[tuple[int, int], float]:
    """Difference between the pictures of neighbouring candidates, 0 to 1."""
    with context.media.reader(video) as reader:
        pictures = [picture for _, picture in reader.frames(indices, width=LOOK_WIDTH)]
    return {
        (a, b): picture_difference(pictures[n], pictures[n + 1]) for n, (a, b) in enumerate(pairwise(indices))
    }


def _selections(context: Context, run: Run, video: Video, indices: Sequence[int]) -> list[Record]:
    """Selections of every method by machine verdicts; people's corrections are applied on display."""
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
