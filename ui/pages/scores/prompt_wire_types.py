"""What the dialog of prompt versions on Scores is sent."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ui.pages.scores.wire_types import EstimateFacts


class LabelsOfHalves(TypedDict):
    """How many labelled verdicts there are."""

    work: int
    held_back: int


class PromptFigures(TypedDict):
    """A judge against people on one half of what they labelled."""

    half: Literal["work", "held_back"]
    engine: str
    """Who was asked; empty: the evaluation's own."""
    asked: int
    n: int
    """Of these the judge's reply could be read."""
    of: int
    """Labelled verdicts of the half."""
    observed: float | None
    kappa: EstimateFacts
    ac1: EstimateFacts
    base_rate: float | None
    other_answers: int
    """How many extracted answers are others than people judged."""


class PromptWords(TypedDict):
    system: str
    user: str
    hash: str
    figures: list[PromptFigures]


class UsualPrompt(PromptWords):
    protocol: bool
    """Whether it is the benchmark's; else it comes from a file of the workspace."""


class VersionOfPrompt(PromptWords):
    id: str
    label: str
    by: str
    at: float


class LookAtHeldBack(TypedDict):
    number: int
    """1: the first; the others are marked."""
    version: str
    label: str
    by: str
    at: float
    n: int


class PromptKept(TypedDict):
    id: str
    """The version's; empty: the usual prompt."""


class PromptWorkshop(TypedDict):
    prompt: str
    who: str
    evaluation: str
    labels: LabelsOfHalves
    in_use: str
    """The version's id; empty: the usual prompt."""
    engines: list[str]
    """Who would be asked, and whether they read the prompt."""
    as_judged: list[PromptFigures]
    usual: UsualPrompt
    versions: list[VersionOfPrompt]
    looks: list[LookAtHeldBack]
