"""The facts of a system whose evaluations consist of questions and answers, for Scores and Verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotation.stages.system_spec import QuestionChain
from ui.lib.score_wire_types import PublishedTable

Published = Callable[[Mapping[str, Mapping[str, Any]], Sequence[str]], PublishedTable]
"""Returns published figures for an evaluation with these runs by role (`ScoresPage.runs`) and judges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSystem:
    """A system of questions. All of them share one table on Scores and one list on Verdicts."""

    title: str
    chain: QuestionChain
    from_video: tuple[str, ...] = ()
    """The kinds that a model answers from the video, without a caption."""
    groups: tuple[str, ...] = ()
    """Dimensions of groups that only this system has. The first is its default."""
    task_kinds: Mapping[str, str] = field(default_factory=dict)
    """By the value of the dimension `task`, the kind of its questions."""
    prompts: Mapping[str, str]
    """By the name of a prompt that can have versions: the model that receives it, in words."""
    policy_labels: Mapping[str, str] = field(default_factory=dict)
    """By policy, the label of its column."""
    published: Published
