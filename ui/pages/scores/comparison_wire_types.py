"""Responses of the Scores page that compare two or more evaluations."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ui.lib.score_wire_types import EstimateFacts, Figure
from ui.pages.scores.wire_types import PeopleMeans, RoleRuns
from ui.pages.verdicts.wire_types import EvaluationName


class JudgesOfTwo(TypedDict):
    a: list[str]
    b: list[str]


class PeopleMeansOfTwo(TypedDict):
    a: PeopleMeans
    b: PeopleMeans


class PowerFacts(TypedDict):
    """The statistical power of a set of videos."""

    smallest: float
    """The difference that it would detect in four of five repetitions."""
    for_half: int
    """Number of videos that would detect half of that difference."""


class ScoreDifference(TypedDict):
    """Means over videos, paired by question."""

    aspect: str
    """Empty: all."""
    metric: Literal["accuracy", "score"]
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    videos: int
    n: int
    """Number of questions that count in both."""
    only_a: int
    only_b: int
    wins: int
    """Number of videos on which `b` is better."""
    ties: int
    losses: int
    power: PowerFacts | None
    """Null if there are few videos."""
    partial: bool
    """Whether a run of either evaluation is unfinished, so that the values may change."""


class FlippedVerdict(TypedDict):
    question: str
    verdict: str
    """Id of the verdict of `b`."""
    video: str
    aspect: str
    before: float
    after: float
    score_before: float
    score_after: float
    text: str
    title: str


class EvaluationDifference(TypedDict):
    """Evaluation `b` minus `a`; both are names."""

    a: str
    b: str
    policy: str
    judges: JudgesOfTwo
    prompts: JudgesOfTwo
    """Prompts of extractor and judge that are not the benchmark's."""
    people: PeopleMeansOfTwo
    rows: list[ScoreDifference]
    flips: list[FlippedVerdict]
    """The first of them; `flipped` is the total number."""
    flipped: int


class PeopleAgreement(TypedDict):
    n: int
    observed: float | None
    kappa: EstimateFacts


class EvaluationColumn(EvaluationName):
    """One of several evaluations in a comparison."""

    runs: dict[str, RoleRuns]
    figures: dict[str, dict[str, Figure]]
    """By metric and aspect; the empty aspect is the total."""
    people: PeopleAgreement
    ceiling: bool


class PairCell(TypedDict):
    a: str
    b: str
    n: int


class JudgePair(TypedDict):
    """Two evaluations' judges compared; `a` and `b` are ids."""

    a: str
    b: str
    n: int
    """Number of questions with readable verdicts of both."""
    flips: int
    share: float | None
    kappa: float | None
    confusion: list[PairCell]


class EvaluationsBeside(TypedDict):
    policy: str
    rows: list[EvaluationColumn]
    pairs: list[JudgePair]
