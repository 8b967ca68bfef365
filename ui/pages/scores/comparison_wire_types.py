"""What the Scores page is sent of two evaluations, or of several beside each other."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ui.pages.scores.wire_types import EstimateFacts, Figure, PeopleMeans, RoleRuns
from ui.pages.verdicts.wire_types import EvaluationName


class JudgesOfTwo(TypedDict):
    a: list[str]
    b: list[str]


class PeopleMeansOfTwo(TypedDict):
    a: PeopleMeans
    b: PeopleMeans


class PowerFacts(TypedDict):
    """What a set of videos could show at all."""

    smallest: float
    """Difference that it would show in four of five repetitions."""
    for_half: int
    """Videos that would show half of it."""


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
    """Questions that both count."""
    only_a: int
    only_b: int
    wins: int
    """Videos on which `b` is better."""
    ties: int
    losses: int
    power: PowerFacts | None
    """Null for few videos."""
    partial: bool
    """Whether a run of one of the two is not finished, so that the values may change."""


class FlippedVerdict(TypedDict):
    question: str
    verdict: str
    """Id of `b`'s."""
    video: str
    aspect: str
    before: float
    after: float
    score_before: float
    score_after: float
    text: str
    title: str


class EvaluationDifference(TypedDict):
    """Evaluation `b` minus `a`; both by name."""

    a: str
    b: str
    policy: str
    judges: JudgesOfTwo
    prompts: JudgesOfTwo
    """Of extractor and judge, those that are not the benchmark's."""
    people: PeopleMeansOfTwo
    rows: list[ScoreDifference]
    flips: list[FlippedVerdict]
    """Not all: `flipped` is their number."""
    flipped: int


class PeopleAgreement(TypedDict):
    n: int
    observed: float | None
    kappa: EstimateFacts


class EvaluationColumn(EvaluationName):
    """One of several evaluations beside each other."""

    runs: dict[str, RoleRuns]
    figures: dict[str, dict[str, Figure]]
    """By metric and aspect; the empty aspect is all together."""
    people: PeopleAgreement
    ceiling: bool


class PairCell(TypedDict):
    a: str
    b: str
    n: int


class JudgePair(TypedDict):
    """Two evaluations' judges against each other; `a` and `b` are ids."""

    a: str
    b: str
    n: int
    """Questions that both judged readably."""
    flips: int
    share: float | None
    kappa: float | None
    confusion: list[PairCell]


class EvaluationsBeside(TypedDict):
    policy: str
    rows: list[EvaluationColumn]
    pairs: list[JudgePair]
