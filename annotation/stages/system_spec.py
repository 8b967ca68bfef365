"""Declares a system: what it adds to generic code. Facts for lower layers are in its `system.toml`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.records.allowed_values import Stage
from annotation.records.captions_to_verdicts import Answer, Question
from annotation.records.runs import Evaluation, Run
from annotation.records.videos import Video
from annotation.scores.score_table import Row
from annotation.scores.scored_item import Item as ScoredItem
from annotation.stages.stage_context import Context
from annotation.stages.stage_results import StageResults
from annotation.stages.stage_spec import Plan, StageFunction, StageSpec
from annotation.store.store import Store
from backends.protocols import ChatReply

ReadReply = Callable[[ChatReply, Mapping[str, Any]], dict[str, Any]]
"""Parses a reply as a stage does. The row that it came with may hold more, such as the number of frames.

Returns the reading as JSON. Raises FormatError if the row lacks something.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionChain:
    """How a system answers questions and judges the answers; its evaluations consist of these."""

    prefix: str
    """Prefix of the kinds of its questions: `vdc:`."""
    stages: Mapping[Stage, StageFunction]
    """Its part of the stages `captions`, `questions`, `answers` and `verdicts`."""
    verdict_prompt: Callable[[str], str]
    """Returns the judge's prompt for a kind of question."""
    answer_again: Callable[[Context, Video, Run, Sequence[Question]], StageResults]
    """Answers these questions from the current captions of a run, and judges the answers."""
    judge: Callable[[Context, Video, Sequence[Answer], Sequence[Run]], StageResults]
    """Judges current answers of these runs."""
    name_evaluation: Callable[[Context, str], Evaluation]
    """Links the runs of a pass to an evaluation with this name."""
    has_run: Callable[[Context], bool]
    """Whether the pass has runs of this chain."""
    benchmark: str
    """Name of its scores: `python app.py score BENCHMARK`."""
    metric: str
    """Name of the score, for figures made under the benchmark's conditions."""
    group: str = "aspect"
    """The usual dimension of its tables."""
    table: Callable[[Sequence[ScoredItem], Sequence[str]], Sequence[Row]] | None = None
    """Rows of its tables grouped by `group`, for these policies; None: the usual rows."""
    from_captions: bool = True
    """Whether all answers come from captions, so that they can be extracted again without the video."""


@dataclass(frozen=True, slots=True)
class EvaluationPass:
    """Stages of a system that can be run over the captions of an existing evaluation."""

    stages: tuple[StageSpec, ...]
    plan: Callable[[Store, str, Sequence[StageSpec]], Plan]
    """Plans these stages over the evaluation with this id. Raises NotFound, UsageError."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec:
    """One system. `annotation/pipeline/system_list.py` lists them."""

    name: str
    """Name of its folders."""
    label: str
    """Name as people read it."""
    stages: tuple[StageSpec, ...] = ()
    """In the order in which they run. Systems with a `chain` share the stages of `chain.stages`."""
    chain: QuestionChain | None = None
    passes: tuple[EvaluationPass, ...] = ()
    reply_kinds: Mapping[str, ReadReply] = field(default_factory=dict)
    """By the kind that is typed: `python app.py read-replies KIND FILE`."""
