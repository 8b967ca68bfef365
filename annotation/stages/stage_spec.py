"""What a stage is, and a pass of stages over videos. Generic code reads what it knows of a stage here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from annotation.records.allowed_values import Stage
from annotation.records.runs import Evaluation
from annotation.records.videos import Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults

StageFunction = Callable[[Context, Video], StageResults | None]
"""Does a stage for a video. None: it is done."""

ChatRole = Literal["captioner", "writer", "extractor", "judge"]
EngineRole = ChatRole | Literal["detector", "speech", "measurer", "text_reader", "embedder"]
"""A field of `Engines`."""

CHAT_ROLES: tuple[ChatRole, ...] = get_args(ChatRole)

When = Literal["usual", "where_it_applies", "on_demand"]
"""`usual`: in every run. `where_it_applies`: in every run, but most videos have nothing for it to do, so that
it is not shown as missing or skipped unless it is named. `on_demand`: only if it is named."""


@dataclass(frozen=True, slots=True)
class StageSpec:
    """One stage: the runner, the estimate, dialogs, help and the Demo page read these facts.

    What it costs is not declared: `annotation.pipeline.estimate` counts the requests of a dry run.
    """

    name: Stage
    """As it is typed and stored."""
    label: str
    """What it makes, in a few words: stands beside the name."""
    run: StageFunction
    doing: str = ""
    """What it does, while it is at work; empty: the label."""
    engines: tuple[EngineRole, ...] = ()
    """The engines that it asks; the chat models among them are started before a run."""
    pictures: tuple[ChatRole, ...] = ()
    """The chat models among them that are shown pictures."""
    needs: tuple[Stage, ...] = ()
    """Stages whose runs it builds on. They run too; what they have done is found and costs nothing."""
    reads_file: bool = True
    """Whether it looks at the video's file, which is fetched for it; False: it reads what was written."""
    apart: bool = False
    """Whether it asks no chat model and keeps the processor and the memory busy by itself."""
    optional: bool = False
    """Whether the other stages go on without its engine."""
    when: When = "usual"


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done, as `plan_fill` or `plan_ceiling` has made it."""

    name: str
    """For people: "judge the answers of gpt-4o"."""
    videos: tuple[Video, ...]
    stages: tuple[StageSpec, ...]
    settle: Callable[[Context], Evaluation | None]
    """Put the runs so far into their evaluation; None while they make none."""
    notes: tuple[str, ...] = ()
    """What is left out, with counts."""


def names_of(stages: Iterable[StageSpec]) -> tuple[Stage, ...]:
    """In the same order."""
    return tuple(spec.name for spec in stages)


def engines_of(stages: Iterable[StageSpec]) -> set[EngineRole]:
    """The engines that at least one of them asks."""
    return {role for spec in stages for role in spec.engines}
