"""Responses of the Verdicts page for items: the list, and one item of each system (`item_sources`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from annotation.records.ids import Json
from annotation.systems.carebench.capst_requests import ElementKind
from annotation.systems.carebench.capst_scores import SideName
from ui.lib.shared_wire_types import EditableText, EditableWords, HistoryEntry, RunFacts, Saved, VerdictValue
from ui.pages.library.wire_types import VideoTitle
from ui.pages.verdicts.wire_types import EvaluationName, NamedChange


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One line of the list."""

    id: str
    """Id of its verdict, if corrections apply to that."""
    video_id: str
    title: str
    """Title of the video."""
    text: str
    """The question in a line or two."""
    note: str
    """A note in small print below it."""
    state: str
    """A shape of `ui/lib/parts/elements_and_requests.js`: `yes` right, `no` wrong, `flagged`, `unparsed`,
    `failed`, `missing`, `done` read but not known to be right, `entailment`, `neutral`, `contradiction`.
    """
    label: str
    """The value in a few letters."""
    rank: float
    """Sort key of the order `verdict`, the lowest first."""
    score: float | None = None
    corrected: bool = False
    confirmed: bool = False
    """Whether a person confirmed the machine's value."""
    stale: bool = False
    flag: str = ""
    """A one-line problem with how the reply was read."""
    facets: Mapping[str, str] = field(default_factory=dict)
    """Values for filters: `{"setting": "whole", "place": "40 %"}`."""
    hidden: bool = False
    """Whether the verdict is hidden from the current person."""

    @property
    def open(self) -> bool:
        """Whether a person should look at it."""
        return not (self.corrected or self.confirmed) and self.state not in ("yes", "entailment")


class ItemList(TypedDict):
    """A page of an evaluation's items."""

    rows: list[ItemRow]
    total: int
    offset: int
    position: int | None
    """Position of the item that `at` names."""
    counts: dict[str, int]
    """Number of items in each state, before the filters by state and words."""
    blind: bool
    evaluation: str
    facets: dict[str, list[str]]
    """The values of each facet, by name."""
    groups: list[int]
    """Rows per video, if the list is sorted by videos and most of them have several rows."""
    sort: Literal["verdict", "mean", "title"]
    what: str
    """The word for one item."""
    evaluations: list[EvaluationName]


class NextItem(TypedDict):
    """The next open item; `position` is null if there is none."""

    position: int | None
    id: NotRequired[str]
    video_id: NotRequired[str]


class WordsCompared(TypedDict):
    run: str
    clips: int


class ElementAdded(Saved):
    id: str


# --- one item -------------------------------------------------------------------------


class ItemHead(TypedDict):
    id: str
    evaluation: str
    hidden: bool
    """Whether the verdict is hidden from the current person: then everything said of the item is left out."""
    state: str
    """`hidden`, or the state that counts."""
    base_revision: int
    """0 for a hidden item."""


class OwnOpinion(TypedDict, total=False):
    mine: str
    """The current person's own opinion, if they have one."""
    by: str
    """Whose opinion counts; empty if the machine's does."""


class ItemChoice(TypedDict):
    """A value that a person can set for an item."""

    value: str
    words: str
    mark: str
    """A shape beside the words; empty: none."""


class ItemShown(TypedDict):
    """The part of an item that everyone may see."""

    video: VideoTitle
    choices: list[ItemChoice]


class ReplyText(TypedDict):
    value: str
    state: str


# --- elements of captions (CapST) -----------------------------------------------------


class ElementValue(EditableWords):
    id: str
    by: str
    """Who added it; empty for an extracted one."""


class CaptionWithSpans(EditableText):
    spans: list[tuple[int, int]]
    """The spans that support the element, in code points."""


class ListedElement(TypedDict):
    id: str
    words: str
    corrected: bool
    item: str
    """Empty if it was not judged yet."""


class ElementList(TypedDict):
    """The elements of one kind of one caption."""

    kind: ElementKind
    side: SideName
    text: str
    """Id of the caption."""
    state: str
    """State of the extraction."""
    stale: bool
    elements: list[ListedElement]


class ElementShown(ItemShown):
    kind: ElementKind
    side: SideName
    baseline: bool
    model: str
    element: ElementValue
    captions: dict[str, CaptionWithSpans]
    """Captions of both sides; the element's own side comes first."""
    lists: list[ElementList]
    frames: list[int]


class ElementTold(TypedDict, total=False):
    """Verdicts on an element.

    `raw` and `others` reveal other elements too; left out for people who label blind.
    """

    label: str
    machine: VerdictValue
    machine_state: str
    corrected: bool
    confirmed: bool
    reason: str
    stale: bool
    raw: str
    history: list[HistoryEntry]
    run: RunFacts | None
    others: dict[str, str]
    """By element the label that counts, or the state if there is none."""


class ElementItem(ItemHead, ElementShown, ElementTold, OwnOpinion):
    of: Literal["capst"]


# --- words of captions (Vript-HAL) ----------------------------------------------------


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
    name: str
    known: bool
    """Whether the benchmark's annotations are here."""
    reply: ReplyText
    frames: list[int]
    model: str
    references: list[str]


class ClipTold(TypedDict, total=False):
    """The result of comparing the words."""

    label: str
    corrected: bool
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
    flag: str
    reason: str
    history: list[NamedChange]
    words: list[ComparedWord]


class ClipItem(ItemHead, ClipShown, ClipTold, OwnOpinion):
    of: Literal["hal"]


# --- orders and answers (Vript-ERO, Vript-RR) -----------------------------------------


class HardShown(ItemShown):
    """The model's input and its reply."""

    name: str
    known: bool
    """Whether the benchmark's annotations are here."""
    reply: ReplyText | None
    frames: list[int]
    model: str
    setting: str
    """What the model was given with the question, in words."""
    place: str
    """Position of the scene in the video: `40 %`."""
    baseline: bool


class HardTold(TypedDict, total=False):
    """How a reply was read. `raw` reveals other items too; left out for people who label blind."""

    label: str
    machine: VerdictValue
    machine_state: str
    corrected: bool
    confirmed: bool
    raw: str
    reason: str
    history: list[HistoryEntry]
    run: RunFacts | None


class OrderShown(HardShown):
    question: str
    scenes: dict[str, str]
    """The description of each scene, by letter."""
    answer: str
    """The right order; empty if it is not known."""


class OrderTold(HardTold, total=False):
    flag: str
    """A one-line problem with the order that counts."""
    machine_flag: str
    rule: Literal["scene", "capital"]
    """What the letters were read from."""
    spans: Sequence[tuple[int, int]]
    """Their positions in the reply, in code points."""
    hits: int | None
    """Number of scenes at their right position."""


class OrderItem(ItemHead, OrderShown, OrderTold, OwnOpinion):
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
    shot: dict[str, Json]
    """For a scene that was shown alone: its range, and the source of that."""
    share: float | None
    """Position of the scene in the video, 0 to 1."""


class ShotTold(HardTold, total=False):
    spans: list[tuple[int, int]]
    """Position of the letter in the reply, in code points."""
    others: list[str]
    """Other letters in brackets that come later; left out for people who label blind."""
    right: bool | None


class ShotItem(ItemHead, ShotShown, ShotTold, OwnOpinion):
    of: Literal["rr"]


SystemItem = ElementItem | ClipItem | OrderItem | ShotItem
ItemDetail = Annotated[SystemItem, Field(discriminator="of")]
"""Everything about one item that the current person may see."""
