"""Responses of the Scores page: the table of an evaluation, and other benchmarks.

The figures are those of `annotation.reports`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired

from typing_extensions import TypedDict

from annotation.records.allowed_values import OpinionRule
from annotation.records.ids import Json
from annotation.reports.points_by_cause import Points
from ui.lib.score_wire_types import EstimateFacts, FigureRow, Metric, PublishedTable, SystemRow, ThingsList
from ui.lib.shared_wire_types import JobEstimate
from ui.pages.verdicts.wire_types import EvaluationName

# --- one evaluation -------------------------------------------------------------------


class ScoreRow(FigureRow):
    videos: int
    """Number of videos counted."""
    dropped: dict[str, int]
    """Number of items left out, by reason."""
    note: NotRequired[str]
    """A one-line note on how to read the value."""


class OpinionsSummary(TypedDict):
    """Agreement of people on the verdicts."""

    rule: OpinionRule
    people: int
    """Number of people with verdicts."""
    several: int
    """Number of verdicts with opinions of several people."""
    disputed: int
    """Number of these on which people disagree."""
    what: str
    """The rule in words."""


class ConfusionCell(TypedDict):
    judge: str
    person: str
    n: int


class JudgeAgreement(TypedDict):
    """Agreement of the judge with people."""

    n: int
    confusion: list[ConfusionCell]
    observed: float | None
    """Share of equal verdicts."""
    kappa: EstimateFacts
    ac1: EstimateFacts
    base_rate: float | None
    """Share of yes among people's verdicts."""
    means: int
    """Number of means over a video's questions that a log has in place of verdicts; they are left out."""


class JudgeRepeats(TypedDict):
    """Consistency of the judge when it judges the same answers several times."""

    n: int
    """Number of questions with at least two readable verdicts."""
    most: int
    flip_rate: EstimateFacts
    """Probability that two verdicts on one question differ."""
    consistency: EstimateFacts
    inconsistent: int
    """Number of questions with both verdicts, yes and no."""
    ties: int
    temperature: float
    seeds: list[int]


class CeilingFigures(TypedDict):
    """The scores of the reference captions."""

    id: str
    name: str
    same_judge: bool
    baseline: bool
    figures: dict[str, dict[str, float | None]]
    """By metric and aspect."""


class RoleRuns(TypedDict):
    """The runs of one role of an evaluation, with the properties that affect figures."""

    ids: list[str]
    model: str
    prompt: str
    """Hash of the prompt."""
    frames: Json
    """The run's parameter; null: not set."""


class PeopleMean(TypedDict):
    """Estimate of the mean over all readable verdicts if people judged them."""

    estimate: EstimateFacts
    judge: float | None
    """The judge's mean over the same verdicts."""
    labelled: int
    of: int
    smallest: float | None
    """The difference from the judge's mean that these labels would detect in four of five repetitions."""
    for_half: int | None
    """Number of labels that would detect half of that difference."""
    tells_apart: bool | None
    """Whether the labels show that people's mean differs from the judge's."""


class PeopleMeans(TypedDict):
    accuracy: PeopleMean
    score: PeopleMean


class NextLabel(TypedDict):
    """A verdict whose label would add the most information."""

    verdict: str
    video: str
    title: str
    aspect: str
    text: str
    """The question."""
    label: str
    score: float | None


class CausesTable(TypedDict):
    rows: list[Points]
    groups: list[str]
    groups_left: int
    waiting: int
    """Number of videos whose questions are not processed yet: request the table again."""
    causes: dict[str, str]
    """Labels by name, in their order."""


class ScoresPage(TypedDict):
    """One evaluation's table with the figures around it."""

    benchmark: str
    metric: str
    """Name of the benchmark's score."""
    evaluation: str
    """Its name."""
    baseline: bool
    judges: list[str]
    prompts: list[str]
    """Prompts of extractor and judge that are not the benchmark's; then the figures do not bear its name."""
    flags: list[str]
    """Reasons to check the judge, in words."""
    rows: list[ScoreRow]
    policies: dict[str, str]
    """By name a one-line description of what counts."""
    suspects: str
    """How suspect questions were treated, in words."""
    opinions: OpinionsSummary
    agreement: JudgeAgreement
    repeats: JudgeRepeats | None
    """None if answers were judged once."""
    id: str
    by: str
    """Dimensions of the groups, comma-separated."""
    usual: str
    """The benchmark's default dimension."""
    groups: list[str]
    """Dimensions that only this benchmark has."""
    kinds: dict[str, dict[str, str]]
    """By dimension (`aspect`, `task`) and value, the kind of the questions."""
    policy_labels: dict[str, str]
    """Labels of policies of this benchmark."""
    versioned: dict[str, str]
    """By the name of a prompt that can have versions: the model that receives it."""
    ceiling: CeilingFigures | None
    runs: dict[str, RoleRuns]
    """By role."""
    same_answers: list[str]
    """Ids of the evaluations whose judges judged the same answers, including this one."""
    people: PeopleMeans
    next: list[NextLabel]
    published: PublishedTable


class SoundFigures(TypedDict):
    """The rows without flagged questions."""

    rows: list[FigureRow]
    suspects: str


# --- other benchmarks -----------------------------------------------------------------


class SystemName(TypedDict):
    name: str
    """Empty: the systems of questions."""
    title: str
    evaluations: int
    """Number of its evaluations."""


class SystemChoice(TypedDict):
    options: dict[str, str]
    chosen: str


class SystemTable(TypedDict):
    """One benchmark's table; without an evaluation `id` is empty, and the fields about it are left out."""

    system: str
    title: str
    evaluations: list[EvaluationName]
    start: str
    """What to do if there is no evaluation yet."""
    measures: str
    """The pass that creates an evaluation; empty if pages cannot start one."""
    choices: dict[str, SystemChoice]
    rows: list[SystemRow]
    id: str
    evaluation: NotRequired[str]
    """Its name."""
    baseline: NotRequired[bool]
    judges: NotRequired[list[str]]
    policies: NotRequired[dict[str, str]]
    """By name a one-line description of what counts. The first is the default."""
    about: NotRequired[str]
    metrics: NotRequired[Mapping[str, Metric]]
    """By name, in the order of their columns."""
    lists: NotRequired[list[ThingsList]]


# --- passes ---------------------------------------------------------------------------


class PassEngine(TypedDict):
    stage: str
    model: str
    baseline: bool


class PassPlan(TypedDict):
    """The effect of a pass."""

    name: str
    videos: int
    """Number of videos."""
    stages: list[str]
    notes: list[str]
    """What the pass leaves out."""
    engines: list[PassEngine]
    estimate: JobEstimate | None
    """None for passes without calls of a chat model."""
