"""Responses with items of Vript-Hard."""

from __future__ import annotations

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ui.lib.item_wire_types import ItemHead, ItemJudged, ItemShown, OwnOpinion

# --- words of captions (HAL) ----------------------------------------------------------


class ComparedWord(TypedDict):
    """One word of a caption, compared with those of its references."""

    id: str
    word: str
    part: str
    """`verb`, `noun` or `propn`."""
    best: str
    """The nearest word of the references."""
    similarity: float
    matched: bool
    corrected: bool
    confirmed: bool
    machine: bool
    """Whether the machine matched it."""
    base_revision: int
    mine: NotRequired[str]
    """The current person's own opinion, if they have one."""


class ClipShown(ItemShown):
    references: list[str]


class ClipJudged(ItemJudged, total=False):
    """The result of comparing the words."""

    compared: bool
    engines: str
    baseline: bool
    threshold: float
    """Similarity above which a word is matched."""
    missed: list[str]
    reference_words: list[str]
    matched: int
    predicted: int
    counted_references: int
    precision: float | None
    recall: float | None
    """May exceed 1."""
    f1: float | None
    words: list[ComparedWord]


class ClipItem(ItemHead, ClipShown, ClipJudged, OwnOpinion):
    of: Literal["hal"]


class WordsCompared(TypedDict):
    run: str
    clips: int


# --- orders and answers (ERO, RR) -----------------------------------------------------


class HardShown(ItemShown):
    baseline: bool


class OrderShown(HardShown):
    question: str
    scenes: dict[str, str]
    """The description of each scene, by letter."""
    answer: str
    """The right order; empty if it is not known."""


class OrderJudged(ItemJudged, total=False):
    machine_flag: str
    rule: Literal["scene", "capital"]
    """What the letters were read from."""
    hits: int | None
    """Number of scenes at their right position."""


class OrderItem(ItemHead, OrderShown, OrderJudged, OwnOpinion):
    of: Literal["ero"]


class ShotShown(HardShown):
    """A question about one scene."""

    question: str
    hint: str
    options: list[str]
    answer: str
    """The right letter, or the text of an open answer; empty if it is not known."""
    open: bool
    scene: str
    clip: str


class ShotJudged(ItemJudged, total=False):
    others: list[str]
    """Other letters in brackets that come later; left out for people who label blind."""
    right: bool | None


class ShotItem(ItemHead, ShotShown, ShotJudged, OwnOpinion):
    of: Literal["rr"]
