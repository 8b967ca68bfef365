"""Captions of the candidate frames of a video (ProgressCaptioner, section 3)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from annotation.records.captions_to_verdicts import Text
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Frame, Video
from annotation.stages.frames_shown_to_models import slates
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_text, sample_id, work_off
from annotation.stages.probe_scenes_speech import facts_of
from annotation.stages.stage_context import Context, model_run
from annotation.stages.stage_results import StageResults
from annotation.store.store import Store
from annotation.systems.progress_captioner import framecapeval_frames as framecapeval
from annotation.systems.progress_captioner import requests as progress
from annotation.systems.progress_captioner.frame_differences import frame_looks, picture_difference
from annotation.systems.progress_captioner.frame_options import USUAL, FrameOptions
from backends.digest import digest
from backends.errors import UsageError
from backends.protocols import ChatRequest, Picture

MOST_CANDIDATES = 24
"""Maximum number of candidate frames of one video: 1 per second, fewer per second in longer videos."""


def candidate_frames(
    video: Video, seconds: Sequence[float], options: FrameOptions = USUAL
) -> tuple[int, ...]:
    """Frame indices at 1 fps, or evenly spread if that would exceed MOST_CANDIDATES.

    A requested rate or list of frames is used unchanged. Raises UsageError for frames that do not
    exist.
    """
    if options.frames:
        if options.frames[-1] >= len(seconds):
            raise UsageError(f"{video.title} has frames 0 to {len(seconds) - 1}, not {options.frames[-1]}")
        return tuple(sorted(set(options.frames)))
    duration = facts_of(video).duration_s
    if options.fps is not None:
        wanted = [i / options.fps for i in range(int(duration * options.fps) + 1)]
    else:
        count = max(2, min(MOST_CANDIDATES, int(duration) + 1))
        wanted = [
            i * min(1.0, duration / count) if count < MOST_CANDIDATES else i * duration / count
            for i in range(count)
        ]
    at = np.searchsorted(np.asarray(seconds), np.asarray(wanted) + seconds[0])
    without = slates(video)
    found = (int(min(i, len(seconds) - 1)) for i in at)
    return tuple(dict.fromkeys(i for i in found if i not in without))


def run_frames(context: Context, video: Video) -> StageResults:
    """Write a caption for every candidate frame, from the window that ends (or begins) with it."""
    options = context.option(FrameOptions)
    table = context.media.table(video)
    candidates = candidate_frames(video, table.seconds.tolist(), options)
    if options.sampling == "framecapeval":
        candidates = framecapeval_frames(context, video, table.seconds.tolist())
    context.store.add(
        Frame(id=frame_id(video, i), video_id=video.id, index=i, pts=int(table.pts[i])) for i in candidates
    )
    if options.context != "both":
        return _run_windows(context, video, candidates, options)
    # The windows are the same, so the second pass finds every reply in the cache.
    results, sides = StageResults(), []
    for side in (replace(options, context="before"), replace(options, context="after")):
        results += _run_windows(context, video, candidates, side)
        sides.append(context.runs["frames"])
    _join(context, video, sides, options)
    return results


def framecapeval_frames(context: Context, video: Video, seconds: Sequence[float]) -> tuple[int, ...]:
    """Frames of a FrameCapEval sequence; the same video always gives the same frames."""
    rate = FrameOptions(fps=framecapeval.FRAMES_PER_SECOND)
    dense = candidate_frames(video, seconds, rate)
    rows = np.asarray(frame_looks(context.media, video, dense), np.float64)
    seed = int(digest("framecapeval", video.sha256 or video.id)[:8], 16)
    return tuple(dense[place] for place in framecapeval.sequence(rows, seed))


def _start_run(context: Context, options: FrameOptions, upstream: tuple[str, ...] = ()) -> Run:
    prompt = context.prompts["frames_caption_in_paper" if options.mode == "page" else "frames_caption"]
    return context.start_run(
        model_run(
            "frames",
            context.engines.captioner,
            prompt.hash,
            upstream,
            window=options.per_call,
            most=MOST_CANDIDATES,
            **options.params,
            **context.reader_params,
        )
    )


def _run_windows(
    context: Context, video: Video, candidates: Sequence[int], options: FrameOptions
) -> StageResults:
    run, model = _start_run(context, options), context.engines.captioner
    side: Literal["before", "after"] = "after" if options.context == "after" else "before"
    sources = progress.caption_sources(len(candidates), options.per_call, side)
    facts = frame_facts(context, video, candidates) if model.baseline else {}
    items = []
    for number, places in enumerate(progress.windows(len(candidates), options.per_call)):
        wanted = tuple(candidates[t] for t, (window, _) in enumerate(sources) if window == number)
        window = tuple(candidates[place] for place in places)
        items.append(_frame_item(context, run, video, window, facts, wanted=wanted))
    return work_off(context, video, "frames", run, model, Text, items)


def _join(context: Context, video: Video, sides: Sequence[Run], options: FrameOptions) -> None:
    """Store the texts of both windows of a frame, one after the other, as a separate run."""
    run = _start_run(context, options, tuple(side.id for side in sides))
    before, after = (frame_captions(context.store, video.id, side.id) for side in sides)
    context.store.add(
        Text(
            id=record_id("txt", run.id, frame_id(video, i), before[i], after[i]),
            video_id=video.id,
            kind="frame",
            subject_type="frame",
            subject_id=frame_id(video, i),
            run_id=run.id,
            value=progress.joined(before[i], after[i]),
            created_at=time.time(),
            baseline=run.baseline,
            source_hash=digest("joined", before[i], after[i]),
            frames=(i,),
        )
        for i in sorted(before.keys() & after.keys())
    )


def frame_id(video: Video, index: int) -> str:
    return record_id("frm", video.id, index)


def caption_inputs(frames: Sequence[int], action: str) -> str:
    """Fingerprint of the inputs of a frame's caption; if it differs now, the caption is stale."""
    return digest("frames", frames, action)


def _frame_item(
    context: Context,
    run: Run,
    video: Video,
    window: tuple[int, ...],
    facts: dict[int, dict[str, Any]],
    *,
    wanted: tuple[int, ...],
) -> Item:
    """The captions of one window; only the captions of the `wanted` frames are stored."""
    inputs = caption_inputs(window, video.action)
    parts = {i: ("txt", run.id, frame_id(video, i), inputs) for i in wanted}

    def build() -> ChatRequest:
        return progress.frame_captions_request(
            context.prompts,
            action=video.action,
            pictures=context.pictures(video, window),
            frames=window,
            mode=context.option(FrameOptions).mode,
            facts={"action": video.action, "frames": [facts[i] for i in window if i in facts]},
        )

    def read(called: Called, sample: int) -> Sequence[Record]:
        reading = progress.read_frame_captions_reply(called.reply, len(window)) if called.reply else None
        state, _, reason = (reading.state, "", reading.reason) if reading else FAILED
        captions = (reading.captions if reading else ()) or ("",) * len(window)
        return [
            new_text(
                sample_id(parts[i], sample),
                called,
                run,
                video,
                "frame",
                ("frame", frame_id(video, i)),
                (state, captions[window.index(i)], reason),
                source_hash=inputs,
                frames=window,
            )
            for i in wanted
        ]

    return Item(parts[wanted[-1]], build, read)


def frame_facts(context: Context, video: Video, indices: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Facts about frames for the embedded engine: time, brightness, and amount of change."""
    seconds = context.media.table(video).seconds
    facts: dict[int, dict[str, Any]] = {}
    before: Picture | None = None
    measurer = context.engines.measurer()
    with context.media.reader(video) as reader:
        for index, picture in reader.frames(indices, width=160):
            facts[index] = {
                "index": index,
                "seconds": round(float(seconds[index]), 3),
                "brightness": round(float(picture.mean()) / 255, 3),
                "palette": list(measurer.colours(picture)),
                "difference_to_previous": 0.0 if before is None else picture_difference(before, picture),
            }
            before = picture
    return facts


def frame_captions(store: Store, video_id: str, run_id: str) -> dict[int, str]:
    """`{frame index: current caption}` of one run, for captions that are readable or corrected."""
    texts = store.find(Text, video_id=video_id, run_id=run_id, kind="frame", order_by=["created_at", "id"])
    frames = {f.id: f.index for f in store.find(Frame, video_id=video_id)}
    return {
        frames[text.subject_id]: str(now.value)
        for text, now in store.not_superseded(texts)
        if text.state == "done" or now.corrected
    }
