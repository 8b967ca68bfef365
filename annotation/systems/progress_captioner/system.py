"""ProgressCaptioner and FrameCapEval as a system: its stages."""

from __future__ import annotations

from annotation.stages.stage_spec import StageSpec
from annotation.systems.progress_captioner.caption_judging_stages import run_changes, run_matching
from annotation.systems.progress_captioner.caption_stage import run_frames
from annotation.systems.progress_captioner.keyframe_stage import run_keyframes

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
