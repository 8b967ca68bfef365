"""ProgressCaptioner and FrameCapEval as a system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.records.errors import FormatError
from annotation.stages.stage_spec import StageSpec
from annotation.stages.system_spec import SystemSpec
from annotation.systems.progress_captioner import requests
from annotation.systems.progress_captioner.caption_judging_stages import run_changes, run_matching
from annotation.systems.progress_captioner.caption_stage import run_frames
from annotation.systems.progress_captioner.keyframe_stage import run_keyframes
from backends.protocols import ChatReply

FRAMES = StageSpec(
    "frames",
    "a caption for every candidate frame",
    run_frames,
    doing="captioning frames",
    engines=("captioner",),
    pictures=("captioner",),
)
KEYFRAMES = StageSpec(
    "keyframes",
    "which frames show progress",
    run_keyframes,
    doing="choosing keyframes",
    engines=("judge",),
    needs=("frames",),
)
CHANGES = StageSpec(
    "changes",
    "change between frames, for preference pairs",
    run_changes,
    engines=("judge",),
    needs=("frames",),
    when="on_demand",
)
MATCHING = StageSpec(
    "matching",
    "which caption fits which frame, for FrameCapEval",
    run_matching,
    engines=("judge",),
    pictures=("judge",),
    needs=("frames",),
    when="on_demand",
)


def _frames(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    return requests.read_frame_captions_reply(reply, _count(row))._asdict()


def _matching(reply: ChatReply, row: Mapping[str, Any]) -> dict[str, Any]:
    return requests.read_matching(reply, _count(row))._asdict()


def _count(row: Mapping[str, Any]) -> int:
    n = row.get("n")
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise FormatError('lines of this kind need "n", the number of frames or captions')
    return n


SYSTEM = SystemSpec(
    name="progress_captioner",
    label="ProgressCaptioner",
    stages=(FRAMES, KEYFRAMES, CHANGES, MATCHING),
    reply_kinds={
        "frames": _frames,
        "progression": lambda reply, _row: requests.read_progression(reply)._asdict(),
        "change": lambda reply, _row: requests.read_change(reply)._asdict(),
        "matching": _matching,
    },
)
