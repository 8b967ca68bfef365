"""What the Scores page is sent: the table of an evaluation, other benchmarks.

The figures are those of `annotation.reports`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from annotation.records.allowed_values import OpinionRule
from annotation.records.ids import Json
from annotation.reports.points_by_cause import Points
from annotation.scores.published import Published, PublishedMmlu
from ui.lib.shared_wire_types import JobEstimate
from ui.pages.verdicts.wire_types import EvaluationName


class EstimateFacts(TypedDict):
    """A value with the ends of its interval; null where there is none."""

    value: float | None
    low: float | None
    high: float | None


class Figure(EstimateFacts):
    n: int
    """Counted."""
    of: int
    """There are."""
    partial: NotRequired[bool]
    """Whether a run of the evaluation is not finished, so that the value may change."""


class FigureRow(Figure):
    """One cell of a long table."""

    group: dict[str, str]
    """By dimension: `{"aspect": "camera"}`; empty for all together."""
    policy: str
    metric: str


# --- one evaluation -------------------------------------------------------------------


class ScoreRow(FigureRow):
    videos: int
    """Counted."""
    dropped: dict[str, int]
    """Why the rest is not counted."""
    note: NotRequired[str]
    """What must be known to read the value, in a line."""


class OpinionsSummary(TypedDict):
    """How far people agree on the verdicts."""

    rule: OpinionRule
    people: int
    """Who have a verdict of their own."""
    several: int
    """Verdicts on which more than one person has an opinion."""
    disputed: int
    """Those of them on which people say different things."""
    what: str
    """The rule in words."""


class ConfusionCell(TypedDict):
    judge: str
    person: str
    n: int


class JudgeAgreement(TypedDict):
    """The judge against people."""

    n: int
    confusion: list[ConfusionCell]
    observed: float | None
    """Share of equal verdicts."""
    kappa: EstimateFacts
    ac1: EstimateFacts
    base_rate: float | None
    """Share of yes among people's verdicts."""
    means: int
    """Means over a video's questions, which a log holds in the place of verdicts: they are left out."""


class JudgeRepeats(TypedDict):
    """How far the judge repeats itself: the same answers judged several times."""

    n: int
    """Questions with at least two readable verdicts."""
    most: int
    flip_rate: EstimateFacts
    """Chance that two verdicts on one question differ."""
    consistency: EstimateFacts
    inconsistent: int
    """Questions on which both words were given."""
    ties: int
    temperature: float
    seeds: list[int]


class CeilingFigures(TypedDict):
    """What the reference captions reach."""

    id: str
    name: str
    same_judge: bool
    baseline: bool
    figures: dict[str, dict[str, float | None]]
    """By metric and aspect."""


class RoleRuns(TypedDict):
    """The runs of one role of an evaluation, as far as they make figures differ."""

    ids: list[str]
    model: str
    prompt: str
    """Fingerprint."""
    frames: Json
    """As the run's parameters have them; null: none were given."""


class PeopleMean(TypedDict):
    """The mean over all readable verdicts as people would give it."""

    estimate: EstimateFacts
    judge: float | None
    """The judge's own mean over the same verdicts."""
    labelled: int
    of: int
    smallest: float | None
    """The difference from the judge's mean that these labels would show in four of five repetitions."""
    for_half: int | None
    """Labels that would show half of it."""
    tells_apart: bool | None
    """Whether the labels say that people's mean is another than the judge's."""


class PeopleMeans(TypedDict):
    accuracy: PeopleMean
    score: PeopleMean


class NextLabel(TypedDict):
    """A verdict of which a label is worth most."""

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
    """Videos whose questions were not looked at yet: ask again."""
    causes: dict[str, str]
    """By name in words, in their order."""


class ScoresPage(TypedDict):
    """One evaluation's table with what stands beside it."""

    benchmark: Literal["vdc", "video-mmlu"]
    evaluation: str
    """Its name."""
    baseline: bool
    judges: list[str]
    prompts: list[str]
    """Of extractor and judge, those that are not the benchmark's: then the figures do not have its name."""
    flags: list[str]
    """What speaks for a look at the judge, in words."""
    rows: list[ScoreRow]
    policies: dict[str, str]
    """By name: what counts, in a line."""
    suspects: str
    """What became of suspect questions, in words."""
    opinions: OpinionsSummary
    agreement: JudgeAgreement
    repeats: JudgeRepeats | None
    """None where answers were judged once."""
    id: str
    by: str
    """Dimensions of the groups, with commas."""
    usual: str
    """The dimension that is usual for the benchmark."""
    ceiling: CeilingFigures | None
    runs: dict[str, RoleRuns]
    """By role."""
    same_answers: list[str]
    """Ids of the evaluations whose judges looked at the same answers, this one among them."""
    people: PeopleMeans
    next: list[NextLabel]
    published: tuple[Published, ...] | tuple[PublishedMmlu, ...]


class SoundFigures(TypedDict):
    """The rows without flagged questions."""

    rows: list[FigureRow]
    suspects: str


# --- other benchmarks -----------------------------------------------------------------


class SystemName(TypedDict):
    name: str
    title: str
    evaluations: int
    """How many there are."""


class SystemChoice(TypedDict):
    options: dict[str, str]
    chosen: str


class SystemRow(FigureRow):
    dropped: NotRequired[dict[str, int]]
    """Why the rest is not counted."""
    note: NotRequired[str]
    videos: NotRequired[int]
    href: NotRequired[str]
    """What is behind the row's figures."""
    runs: NotRequired[dict[str, str]]
    """Ids of what the group names, by its keys."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A column of the table."""

    title: str
    what: str
    """In a line, for the column's tooltip."""
    top: float | None = 1.0
    """The largest value there can be; None where there is no such."""
    better: str = "higher"
    """`higher` or `lower`; empty where neither is."""
    digits: int = 3


class ListedThing(TypedDict):
    text: str
    facts: str
    href: NotRequired[str]
    """Empty where there is nothing to open."""


class ThingsList(TypedDict):
    """Things to look at, below a table."""

    title: str
    items: Sequence[ListedThing]
    about: str
    empty: NotRequired[str]
    """What to say where there are none."""


class SystemTable(TypedDict):
    """One benchmark's table; without an evaluation `id` is empty, and what is told of one is missing."""

    system: str
    title: str
    evaluations: list[EvaluationName]
    start: str
    """What to do where there is no evaluation yet."""
    measures: str
    """The pass that makes an evaluation; empty where a page can start none."""
    choices: dict[str, SystemChoice]
    rows: list[SystemRow]
    id: str
    evaluation: NotRequired[str]
    """Its name."""
    baseline: NotRequired[bool]
    judges: NotRequired[list[str]]
    policies: NotRequired[dict[str, str]]
    """By name: what counts, in a line. The first is shown first."""
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
    """What a pass would do."""

    name: str
    videos: int
    """How many."""
    stages: list[str]
    notes: list[str]
    """What is left out."""
    engines: list[PassEngine]
    estimate: JobEstimate | None
    """None for passes that ask no chat model."""
