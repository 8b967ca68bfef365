"""Judge frame captions without selecting keyframes: change votes, caption matching, progression.

Sources: ProgressCaptioner, supplement 2.2. `changes` asks a language model with the pseudo-label
prompt, `matching` shows a vision model one frame and all captions of its sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from annotation.records.allowed_values import ResultState, Stage, SubjectType, ValueType
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.stages.model_calls import Called
from annotation.stages.model_items import FAILED, Item, new_verdict, sample_id, work_off
from annotation.stages.stage_context import Context, model_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.store.store import Store
from annotation.systems.progress_captioner import preference_pairs
from annotation.systems.progress_captioner import requests as progress
from annotation.systems.progress_captioner.caption_stage import frame_facts
from annotation.systems.progress_captioner.frame_options import FrameOptions
from annotation.systems.progress_captioner.frame_sequences import (
    Frames,
    Pair,
    caption_runs,
    captions_of,
    change_inputs,
    change_subject,
    match_subject,
    neighbours,
    pair_id,
    pair_inputs,
    read_judged,
    sequences_of,
)
from backends.protocols import ChatReply, ChatRequest

Reading = tuple[ResultState, str, str]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question to a judge, and the subject of its verdict."""

    subject: tuple[SubjectType, str]
    value_type: ValueType
    inputs: str
    request: Callable[[], ChatRequest]
    read: Callable[[ChatReply], Reading]
    """State, label, reason."""
    extra: Mapping[str, Any]


_AskOfPair = Callable[[Context, Video, Pair, tuple[str, str]], Ask]


def run_changes(context: Context, video: Video) -> StageResults:
    """Judge whether each neighbouring pair of captions describes a change (pseudo-label prompt)."""
    return _ask_of_pairs(context, video, "changes", "frames_change", _change)


def run_progression(context: Context, video: Video) -> StageResults:
    """Judge whether the action has advanced between neighbours of each sequence (evaluation prompt)."""
    return _ask_of_pairs(context, video, "keyframes", "frames_progression", ask_progression)


def _ask_of_pairs(context: Context, video: Video, stage: Stage, prompt: str, ask: _AskOfPair) -> StageResults:
    captions = _captions(context, video)
    if not captions:
        return skipped("no readable frame captions; run the stage frames first")
    run = _start(context, stage, prompt)
    pairs = neighbours(sequences_of(context.store, video.id, captions))
    asks = [ask(context, video, pair, (captions[pair[0]], captions[pair[1]])) for pair in pairs]
    return _work(context, video, stage, run, asks)


def run_matching(context: Context, video: Video) -> StageResults:
    """Match each frame with the caption of its sequence that describes it.

    With the option `distinct`, only frames that differ by the majority of stored change votes are matched.
    """
    found = _captions(context, video)
    if not found:
        return skipped("no readable frame captions; run the stage frames first")
    captions, over = found, context.option(FrameOptions).matching
    run = _start(context, "matching", "frames_matching", **({} if over == "all" else {"over": over}))
    chosen = sequences_of(context.store, video.id, captions)
    if over == "distinct":
        chosen = _distinct(context.store, video, chosen)
    looks = {s: frame_facts(context, video, s) if context.engines.judge.baseline else {} for s in chosen}
    asks = [
        _match(context, video, sequence, place, [captions[i] for i in sequence], looks[sequence])
        for sequence in chosen
        for place in range(len(sequence))
    ]
    return _work(context, video, "matching", run, asks)


def _distinct(store: Store, video: Video, chosen: Sequence[Frames]) -> list[Frames]:
    """Sequences without frames that look like the previous one; sequences with one frame left are dropped."""
    judged = read_judged(store, captions_of(store, [run.id for run in caption_runs(store)], video.id))
    kept = [
        preference_pairs.distinct(s, [judged.changed(video.id, pair) for pair in pairwise(s)]) for s in chosen
    ]
    return [frames for frames in dict.fromkeys(kept) if len(frames) > 1]


# --- the three questions ------------------------------------------------------------------


def _change(context: Context, video: Video, pair: Pair, captions: tuple[str, str]) -> Ask:
    prompts = context.prompts
    return Ask(
        ("frame_change", change_subject(video.id, pair)),
        "progression",
        change_inputs(captions),
        lambda: progress.change_request(prompts, before=captions[0], after=captions[1], facts={}),
        progress.read_change,
        {"frames": list(pair)},
    )


def ask_progression(
    context: Context, video: Video, pair: Pair, captions: tuple[str, str], **more: float
) -> Ask:
    """`more` is passed to the embedded engine and stored with the verdict."""
    prompts = context.prompts
    return Ask(
        ("frame_pair", pair_id(video, pair)),
        "progression",
        pair_inputs(captions, video.action),
        lambda: progress.progression_request(
            prompts,
            action=video.action,
            before=captions[0],
            after=captions[1],
            facts={"before": captions[0], "after": captions[1], **more},
        ),
        progress.read_progression,
        {"frames": list(pair), **more},
    )


def _match(
    context: Context,
    video: Video,
    sequence: Frames,
    place: int,
    captions: Sequence[str],
    looks: Mapping[int, Mapping[str, Any]],
) -> Ask:
    prompts, frame = context.prompts, sequence[place]
    facts = {"look": looks.get(frame, {}), "action": video.action}

    def request() -> ChatRequest:
        picture = context.pictures(video, sequence)[place]
        return progress.matching_request(prompts, captions, picture, frame, facts)

    def read(reply: ChatReply) -> Reading:
        found = progress.read_matching(reply, len(captions))
        return found.state, found.letter, found.reason

    return Ask(
        ("frame_match", match_subject(video.id, sequence, frame)),
        "letter",
        change_inputs(captions),
        request,
        read,
        {"sequence": list(sequence), "frame": frame, "own": ascii_uppercase[place]},
    )


def _captions(context: Context, video: Video) -> dict[int, str] | None:
    run = context.runs.get("frames")
    return captions_of(context.store, [run.id], video.id).get((run.id, video.id), {}) if run else None


def _start(context: Context, stage: Stage, prompt: str, **params: Any) -> Run:
    model, captions = context.engines.judge, context.runs["frames"]
    hash_ = context.prompts[prompt].hash
    return context.start_run(model_run(stage, model, hash_, (captions.id,), **params))


def _work(context: Context, video: Video, stage: Stage, run: Run, asks: Sequence[Ask]) -> StageResults:
    captions_run = context.runs["frames"].id
    ready = [replace(ask, extra={**ask.extra, "captions_run": captions_run}) for ask in asks]
    items = [verdict_item(run, video, ask) for ask in ready]
    return work_off(context, video, stage, run, context.engines.judge, Verdict, items)


def verdict_item(run: Run, video: Video, ask: Ask) -> Item:
    parts = ("jdg", run.id, ask.subject[1], ask.inputs)

    def read(called: Called, sample: int) -> Sequence[Verdict]:
        return [
            new_verdict(
                sample_id(parts, sample),
                called,
                run,
                video.id,
                ask.subject,
                ask.value_type,
                ask.read(called.reply) if called.reply else FAILED,
                raw=called.raw,
                source_hash=ask.inputs,
                extra=dict(ask.extra),
            )
        ]

    return Item(parts, ask.request, read)
