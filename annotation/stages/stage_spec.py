"""Declares a stage, and a pass of stages over videos. Generic code reads a stage's facts here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from annotation.records.allowed_values import Stage
from annotation.records.runs import Evaluation
from annotation.records.system_facts import stages_of_texts
from annotation.records.videos import Video
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults

StageFunction = Callable[[Context, Video], StageResults | None]
"""Runs a stage for a video. Returns None if it is done."""

ChatRole = Literal["captioner", "writer", "extractor", "judge"]
EngineRole = ChatRole | Literal["detector", "speech", "measurer", "text_reader", "embedder"]
"""A field of `Engines`."""

CHAT_ROLES: tuple[ChatRole, ...] = get_args(ChatRole)

When = Literal["usual", "where_it_applies", "on_demand"]
"""`usual`: part of every run. `where_it_applies`: part of every run, but without effect on most videos, so it
is shown as missing or skipped only if it is named. `on_demand`: only if it is named.
"""


@dataclass(frozen=True, slots=True)
class StageChoice:
    """A setting of a stage that people choose before a run."""

    name: str
    label: str
    """Label in the dialog that chooses stages."""
    options: Mapping[str, str]
    """The values, each with its label. The first is the default."""
    settings: Callable[[str], object]
    """Returns what a run takes as its options. Raises UsageError for an unknown value."""


@dataclass(frozen=True, slots=True)
class StageSpec:
    """One stage. The runner, the estimate, dialogs, help and the Demo page read these fields.

    The cost is not declared: `annotation.pipeline.estimate` counts the requests of a dry run.
    """

    name: Stage
    """Name on the command line and in the store."""
    label: str
    """What it makes, in a few words; shown beside the name."""
    run: StageFunction
    doing: str = ""
    """Label while it is running; empty: `label`."""
    engines: tuple[EngineRole, ...] = ()
    """Engines that it uses. Their chat models are started before a run."""
    pictures: tuple[ChatRole, ...] = ()
    """Chat models that receive pictures."""
    needs: tuple[Stage, ...] = ()
    """Stages whose runs it builds on. They run too; their existing results are reused at no cost."""
    apart: bool = False
    """Whether it uses no chat model and takes most of the processor and the memory."""
    optional: bool = False
    """Whether the other stages continue if its engine is not available."""
    when: When = "usual"
    choice: StageChoice | None = None

    @property
    def reads_file(self) -> bool:
        """Whether it reads the video's file, which is then fetched. False: it reads only stored records."""
        return self.name not in stages_of_texts()


@dataclass(frozen=True, slots=True)
class Plan:
    """Work planned by `plan_fill` or `plan_ceiling`."""

    name: str
    """Shown to people: "judge the answers of gpt-4o"."""
    videos: tuple[Video, ...]
    stages: tuple[StageSpec, ...]
    settle: Callable[[Context], Evaluation | None]
    """Adds the runs so far to their evaluation; returns None if they cannot form one yet."""
    notes: tuple[str, ...] = ()
    """What is left out, with counts."""


def names_of(stages: Iterable[StageSpec]) -> tuple[Stage, ...]:
    """Return the names of the stages in the same order."""
    return tuple(spec.name for spec in stages)


def engines_of(stages: Iterable[StageSpec]) -> set[EngineRole]:
    """Return the engines that at least one of the stages uses."""
    return {role for spec in stages for role in spec.engines}
