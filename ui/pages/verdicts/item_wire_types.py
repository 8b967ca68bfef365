"""What the Verdicts page is sent of items: the list, and one item of each system (`item_sources`)."""

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
    """Of its verdict, where a correction is of that."""
    video_id: str
    title: str
    """Of the video."""
    text: str
    """What is asked, in a line or two."""
    note: str
    """Small words under it."""
    state: str
    """A shape of `ui/lib/parts/elements_and_requests.js`: `yes` right, `no` wrong, `flagged`, `unparsed`,
    `failed`, `missing`, `done` read but not known to be right, `entailment`, `neutral`, `contradiction`."""
    label: str
    """The value in a few letters."""
    rank: float
    """What the order `verdict` sorts by, the lowest first."""
    score: float | None = None
    corrected: bool = False
    confirmed: bool = False
    """Whether a person found it as the machine says."""
    stale: bool = False
    flag: str = ""
    """What is wrong with how the reply was read, in a line."""
    facets: Mapping[str, str] = field(default_factory=dict)
    """What the list can be narrowed by: `{"setting": "whole", "place": "40 %"}`."""
    hidden: bool = False
    """Whether the asker may not see the verdict yet."""

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
    """Of the item that `at` names."""
    counts: dict[str, int]
    """Items of each state, before states and words narrow the list."""
    blind: bool
    evaluation: str
    facets: dict[str, list[str]]
    """By name the values that there are to choose from."""
    groups: list[int]
    """Rows per video, where the list is sorted by videos and most of them have several."""
    sort: Literal["verdict", "mean", "title"]
    what: str
    """One item, in words."""
    evaluations: list[EvaluationName]


class NextItem(TypedDict):
    """Null: there is no other."""

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
    """Whether the asker may not see the verdict yet: what was said of the item is left out."""
    state: str
    """`hidden`, or what counts now."""
    base_revision: int
    """0 of a hidden one."""


class OwnOpinion(TypedDict, total=False):
    mine: str
    """What the asker says, where they have an opinion."""
    by: str
    """Whose opinion counts; empty where it is the machine's."""


class ItemChoice(TypedDict):
    """What a person can set an item to."""

    value: str
    words: str
    mark: str
    """A shape beside the words; empty: none."""


class ItemShown(TypedDict):
    """What everybody is sent of an item."""

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
    """What the element leans on, in code points."""


class ListedElement(TypedDict):
    id: str
    words: str
    corrected: bool
    item: str
    """Empty where it was not judged yet."""


class ElementList(TypedDict):
    """The elements of one kind of one caption."""

    kind: ElementKind
    side: SideName
    text: str
    """Id of the caption."""
    state: str
    """Of the extraction."""
    stale: bool
    elements: list[ListedElement]


class ElementShown(ItemShown):
    kind: ElementKind
    side: SideName
    baseline: bool
    model: str
    element: ElementValue
    captions: dict[str, CaptionWithSpans]
    """Of both sides; the one that the element is of stands first."""
    lists: list[ElementList]
    frames: list[int]


class ElementTold(TypedDict, total=False):
    """What was said of an element. `raw` and `others` tell of other elements too: not to who labels blind."""

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
    """By element what counts of it: a label, or the state where there is none."""


class ElementItem(ItemHead, ElementShown, ElementTold, OwnOpinion):
    of: Literal["capst"]


# --- words of captions (Vript-HAL) ----------------------------------------------------


class ComparedWord(TypedDict):
    """One word of a caption beside those of its references."""

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
    """Whether the machine says that it is matched."""
    base_revision: int
    mine: NotRequired[str]
    """What the asker says, where they have an opinion."""


class ClipShown(ItemShown):
    name: str
    known: bool
    """Whether the benchmark's annotations are here."""
    reply: ReplyText
    frames: list[int]
    model: str
    references: list[str]


class ClipTold(TypedDict, total=False):
    """What the comparison of the words found."""

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
    """What the model had, and its reply."""

    name: str
    known: bool
    """Whether the benchmark's annotations are here."""
    reply: ReplyText | None
    frames: list[int]
    model: str
    setting: str
    """What the model was given with the question, in words."""
    place: str
    """Where in the video the scene lies: `40 %`."""
    baseline: bool


class HardTold(TypedDict, total=False):
    """How a reply was read. `raw` tells of other items too: not to who labels blind."""

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
    """By letter what is said of the scene."""
    answer: str
    """The right order; empty where it is not known."""


class OrderTold(HardTold, total=False):
    flag: str
    """What is wrong with the order that counts, in a line."""
    machine_flag: str
    rule: Literal["scene", "capital"]
    """What the letters were read from."""
    spans: Sequence[tuple[int, int]]
    """Where they stand in the reply, in code points."""
    hits: int | None
    """Scenes that stand in their place."""


class OrderItem(ItemHead, OrderShown, OrderTold, OwnOpinion):
    of: Literal["ero"]


class ShotShown(HardShown):
    """A question about one scene."""

    question: str
    hint: str
    options: list[str]
    answer: str
    """The right letter, or the text of an open answer; empty where it is not known."""
    open: bool
    scene: str
    clip: str
    shot: dict[str, Json]
    """Of a scene that was shown alone: where it lies, and what told so."""
    share: float | None
    """Where in the video the scene lies, 0 to 1."""


class ShotTold(HardTold, total=False):
    spans: list[tuple[int, int]]
    """Where the letter stands in the reply, in code points."""
    others: list[str]
    """Other letters in brackets that come later; not to who labels blind."""
    right: bool | None


class ShotItem(ItemHead, ShotShown, ShotTold, OwnOpinion):
    of: Literal["rr"]


SystemItem = ElementItem | ClipItem | OrderItem | ShotItem
ItemDetail = Annotated[SystemItem, Field(discriminator="of")]
"""Everything about one item that the asker may see."""
