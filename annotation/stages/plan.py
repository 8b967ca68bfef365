"""What a pass over videos is to do: made by the modules that know an evaluation, worked off by plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from annotation.records.allowed_values import Stage
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults

StageFunction = Callable[[Context, Video], StageResults | None]
"""Does a stage for a video. None: it is done."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done, as `plan_fill` or `plan_ceiling` has made it."""

    name: str
    """For people: "judge the answers of gpt-4o"."""
    videos: tuple[Video, ...]
    stages: tuple[Stage, ...]
    functions: Mapping[Stage, StageFunction]
    settle: Callable[[Context], Evaluation | None]
    """Put the runs so far into their evaluation; None while they make none."""
    notes: tuple[str, ...] = ()
    """What is left out, with counts."""
