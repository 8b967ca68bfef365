"""Frame captions, progression between neighbours, keyframes (ProgressCaptioner, sections 3 and 4)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from annotation import progress_captioner as progress
from annotation.pipeline.calls import Called
from annotation.pipeline.context import Context, model_run
from annotation.pipeline.footage import facts_of
from annotation.pipeline.items import Item, failed_id, sampled, vote, work_off
from annotation.pipeline.writing import new_text
from annotation.records import (
    Frame,
    Judgement,
    Record,
    ResultState,
    Run,
    Selection,
    Text,
    Video,
    digest,
    record_id,
)
from annotation.store.store import Store
from backends.protocols import ChatRequest, Picture

MOST_CANDIDATES = 24
"""Candidate frames of one video: 1 per second, fewer per second when it is longer than this."""


def candidate_frames(video: Video, seconds: Sequence[float]) -> tuple[int, ...]:
    """Frame indices at 1 fps, or evenly spread when that would be more than MOST_CANDIDATES."""
    duration = facts_of(video).duration_s
    count = max(2, min(MOST_CANDIDATES, int(duration) + 1))
    wanted = [i * min(1.0, duration / count) if count < MOST_CANDIDATES else i * duration / count
              for i in range(count)]  # fmt: skip
    at = np.searchsorted(np.asarray(seconds), np.asarray(wanted) + seconds[0])
    return tuple(dict.fromkeys(int(min(i, len(seconds) - 1)) for i in at))


def run_frames(context: Context, video: Video) -> int:
    """A caption for every candidate frame, from the pair with the frame before it."""
    model, prompts = context.engines.captioner, context.workspace.prompts
    run = context.start_run(
        model_run(
            "frames",
            model,
            prompts["frames_caption"].hash,
            window=2,
            most=MOST_CANDIDATES,
            **context.reader_params,
        )
    )
    table = context.media.table(video)
    candidates = candidate_frames(video, table.seconds.tolist())
    context.store.add(
        Frame(id=frame_id(video, i), video_id=video.id, index=i, pts=int(table.pts[i])) for i in candidates
    )
    facts = _frame_facts(context, video, candidates) if model.baseline else {}
    items = [
        _frame_item(context, run, video, pair, facts, first=pair[0] == candidates[0])
        for pair in pairwise(candidates)
    ]
    return work_off(context, video, "frames", model, Text, items)


def frame_id(video: Video, index: int) -> str:
    return record_id("frm", video.id, index)


def _frame_item(
    context: Context,
    run: Run,
    video: Video,
    pair: tuple[int, int],
    facts: dict[int, dict[str, Any]],
    sample: int = 0,
    *,
    first: bool,
) -> Item:
    inputs = digest("frames", pair, video.action)
    ids = {i: record_id("txt", run.id, frame_id(video, i), inputs, *vote(sample)) for i in pair}

    def build() -> ChatRequest:
        request = progress.frame_captions_request(
            context.workspace.prompts, action=video.action, pictures=context.pictures(video, pair),
            frames=pair, facts={"action": video.action, "frames": [facts[i] for i in pair if i in facts]},
        )  # fmt: skip
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        state: ResultState = "failed"
        captions: Sequence[str] = ("", "")
        reason = called.failure
        if called.reply:
            reading = progress.read_frame_captions_reply(called.reply, 2)
            state, reason = reading.state, reading.reason
            captions = reading.captions if state == "done" else ("", "")
        # The first frame of all has no pair before it: it takes the first caption of its own pair.
        wanted = pair if first else pair[1:]
        return [
            new_text(ids[i], called, run, video, "frame", ("frame", frame_id(video, i)),
                     (state, captions[pair.index(i)], reason), source_hash=inputs, frames=pair)
            for i in wanted
        ]  # fmt: skip

    again = partial(_frame_item, context, run, video, pair, facts, first=first)
    return Item(ids[pair[1]], build, read, again)


def _frame_facts(context: Context, video: Video, indices: Sequence[int]) -> dict[int, dict[str, Any]]:
    """What the embedded engine may say about frames: time, brightness, how much changed."""
    seconds = context.media.table(video).seconds
    facts: dict[int, dict[str, Any]] = {}
    before: Picture | None = None
    measurer = context.engines.measurer()
    with context.media.reader(video) as reader:
        for index, picture in reader.frames(indices, width=160):
            facts[index] = {
                "index": index, "seconds": round(float(seconds[index]), 3),
                "brightness": round(float(picture.mean()) / 255, 3),
                "palette": list(measurer.colours(picture)),
                "difference_to_previous": 0.0 if before is None else picture_difference(before, picture),
            }  # fmt: skip
            before = picture
    return facts


def picture_difference(a: Picture, b: Picture) -> float:
    """0 (same) to 1: half colour histogram distance, half mean structure difference."""
    return round(0.5 * float(np.abs(histogram(a) - histogram(b)).sum()) / 2 + 0.5 * _structure(a, b), 4)


def histogram(picture: Picture) -> np.ndarray[Any, Any]:
    """(64,) joint colour histogram in 4 steps per channel, summing to 1."""
    steps = (picture // 64).astype(np.int64)
    index = steps[..., 0] * 16 + steps[..., 1] * 4 + steps[..., 2]
    counts = np.bincount(index.ravel(), minlength=64).astype(np.float64)
    return np.asarray(counts / counts.sum())


def _structure(a: Picture, b: Picture) -> float:
    gray_a, gray_b = (p[::4, ::4].mean(axis=2) for p in (a, b))
    return float(min(1.0, np.abs(gray_a - gray_b).mean() / 64))


# --- keyframes ------------------------------------------------------------------------


def run_keyframes(context: Context, video: Video) -> int:
    """Progression verdicts between neighbours, then the selections by progression, uniform and clusters."""
    model, prompts = context.engines.judge, context.workspace.prompts
    captions_run = context.runs.get("frames")
    if captions_run is None:
        return 0
    run = context.start_run(
        model_run("keyframes", model, prompts["frames_progression"].hash, (captions_run.id,))
    )
    captions = frame_captions(context.store, video.id, captions_run.id)
    indices = sorted(captions)
    pairs = list(pairwise(indices))
    features, gaps = _looks(context, video, indices)
    items = [
        _pair_item(context, run, video, pair, (captions[pair[0]], captions[pair[1]]), gaps[pair])
        for pair in pairs
    ]
    failed = work_off(context, video, "keyframes", model, Judgement, items)
    if indices:
        context.store.add(_selections(context.store, run, video, pairs, indices, features))
    return failed


def frame_captions(store: Store, video_id: str, run_id: str) -> dict[int, str]:
    """`{frame index: caption that counts now}` of one run."""
    texts = store.find(Text, video_id=video_id, run_id=run_id, kind="frame", state="done")
    frames = {f.id: f.index for f in store.find(Frame, video_id=video_id)}
    now = store.currents("text", [t.id for t in texts], "value")
    return {frames[t.subject_id]: str(now[t.id].value) for t in texts if not now[t.id].superseded}


def _looks(
    context: Context, video: Video, indices: Sequence[int]
) -> tuple[np.ndarray[Any, Any], dict[tuple[int, int], float]]:
    """A descriptor per frame (colour histogram), and the difference of each neighbouring pair."""
    with context.media.reader(video) as reader:
        pictures = [picture for _, picture in reader.frames(indices, width=160)]
    features = np.array([histogram(picture) for picture in pictures])
    gaps = {
        (a, b): picture_difference(pictures[n], pictures[n + 1]) for n, (a, b) in enumerate(pairwise(indices))
    }
    return features, gaps


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
            context.workspace.prompts, action=video.action, before=captions[0], after=captions[1],
            facts={"before": captions[0], "after": captions[1], "difference": gap},
        )  # fmt: skip
        return sampled(request, sample)

    def read(called: Called) -> Sequence[Record]:
        state, label, reason = "failed", "", called.failure
        if called.reply:
            state, label, reason = progress.read_progression(called.reply)
        return [
            Judgement(
                id=record if called.reply else failed_id(record), video_id=video.id, run_id=run.id,
                subject_type="frame_pair", subject_id=pair_id(video, pair), value_type="progression",
                created_at=time.time(), state=state, label=label, reason=reason,  # type: ignore[arg-type]
                raw=called.reply.text if called.reply else "", source_hash=inputs, call_id=called.call_id,
                baseline=run.baseline, extra={"frames": list(pair), "difference": gap},
            )
        ]  # fmt: skip

    again = partial(_pair_item, context, run, video, pair, captions, gap)
    return Item(record, build, read, again)


def _selections(
    store: Store, run: Run, video: Video, pairs: Sequence[tuple[int, int]], indices: Sequence[int],
    features: np.ndarray[Any, Any],
) -> list[Record]:  # fmt: skip
    labels = _progression_labels(store, run, video)
    progressed = [{"yes": True, "no": False}.get(labels.get(pair, "")) for pair in pairs]
    kept = progress.select_keyframes(progressed)
    methods = {
        "progression": kept,
        "uniform": progress.uniform(len(indices), len(kept)),
        "clusters": progress.clusters(features),
    }
    return [
        Selection(
            id=record_id("sel", run.id, video.id, method, [indices[i] for i in chosen]), video_id=video.id,
            method=method, frames=tuple(indices[i] for i in chosen), created_at=time.time(), run_id=run.id,
            baseline=run.baseline and method == "progression",
            reasons=_reasons(pairs, labels) if method == "progression" else {},
        )
        for method, chosen in methods.items()
    ]  # fmt: skip


def _progression_labels(store: Store, run: Run, video: Video) -> dict[tuple[int, int], str]:
    found = store.find(Judgement, run_id=run.id, video_id=video.id, order_by=["created_at"])
    return {(int(j.extra["frames"][0]), int(j.extra["frames"][1])): j.label for j in found}


def _reasons(pairs: Sequence[tuple[int, int]], labels: dict[tuple[int, int], str]) -> dict[str, str]:
    words = {
        "yes": "kept: the action has moved on since frame {}",
        "no": "dropped: no progress since frame {}",
        "uncertain": "dropped: progress since frame {} is unclear",
    }
    reasons = {str(pairs[0][0]): "kept: the first frame"} if pairs else {}
    for pair in pairs:
        reasons[str(pair[1])] = words.get(
            labels.get(pair, ""), "dropped: no readable verdict against frame {}"
        ).format(pair[0])
    return reasons
