"""Responses for the dialog of prompt versions on Scores."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ui.lib.score_wire_types import EstimateFacts


class LabelsOfHalves(TypedDict):
    """Number of labelled verdicts in each half."""

    work: int
    held_back: int


class PromptFigures(TypedDict):
    """Agreement of a judge with people on one half of the labelled verdicts."""

    half: Literal["work", "held_back"]
    engine: str
    """The engine that was used; empty: the evaluation's own."""
    asked: int
    n: int
    """Number of these with a readable reply."""
    of: int
    """Number of labelled verdicts in the half."""
    observed: float | None
    kappa: EstimateFacts
    ac1: EstimateFacts
    base_rate: float | None
    other_answers: int
    """Number of extracted answers that differ from those people judged."""


class PromptWords(TypedDict):
    system: str
    user: str
    hash: str
    figures: list[PromptFigures]


class UsualPrompt(PromptWords):
    protocol: bool
    """Whether it is the benchmark's prompt; else it comes from a file of the workspace."""


class VersionOfPrompt(PromptWords):
    id: str
    label: str
    by: str
    at: float


class LookAtHeldBack(TypedDict):
    number: int
    """1: the first; later ones are marked."""
    version: str
    label: str
    by: str
    at: float
    n: int


class PromptKept(TypedDict):
    id: str
    """Id of the version; empty: the usual prompt."""


class PromptWorkshop(TypedDict):
    prompt: str
    who: str
    evaluation: str
    labels: LabelsOfHalves
    in_use: str
    """Id of the version; empty: the usual prompt."""
    engines: list[str]
    """The engines that would be used, and whether they read the prompt."""
    as_judged: list[PromptFigures]
    usual: UsualPrompt
    versions: list[VersionOfPrompt]
    looks: list[LookAtHeldBack]
