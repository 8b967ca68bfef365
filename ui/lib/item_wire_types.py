"""Types of items on the Verdicts page that all systems share (`item_sources`).

A system's own type of item extends `ItemFacts`. Generic code and scripts read the fields that are here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NotRequired

from typing_extensions import TypedDict

from annotation.records.ids import Json
from ui.lib.shared_wire_types import HistoryEntry, RunFacts, VerdictValue, VideoTitle


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
    """A shape of `ui/lib/parts/icons.js`: `yes` right, `no` wrong, `flagged`, `unparsed`,
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


class ReplyText(TypedDict):
    value: str
    state: str


class ItemShown(TypedDict):
    """The part of an item that everyone may see: the model's input and its reply."""

    video: VideoTitle
    """The video of `frames`."""
    choices: list[ItemChoice]
    """The values for corrections; empty if the system corrects its items in its own form."""
    frames: list[int]
    """The frames given to the model."""
    model: str
    name: NotRequired[str]
    """Name in the benchmark's files."""
    known: NotRequired[bool]
    """Whether the benchmark's annotations are here."""
    reply: NotRequired[ReplyText | None]
    setting: NotRequired[str]
    """What the model was given with the question, in words."""
    place: NotRequired[str]
    """Position in the video: `40 %`."""
    share: NotRequired[float | None]
    """Position in the video, 0 to 1."""
    shot: NotRequired[dict[str, Json]]
    """For a scene that was shown alone: its range, and the source of that."""


class ItemJudged(TypedDict, total=False):
    """Verdicts on an item, and how its reply was read."""

    label: str
    machine: VerdictValue
    machine_state: str
    corrected: bool
    confirmed: bool
    stale: bool
    raw: str
    reason: str
    flag: str
    """A one-line problem with the value that counts."""
    spans: Sequence[tuple[int, int]]
    """Positions in the reply that were read, in code points."""
    history: list[HistoryEntry]
    run: RunFacts | None


class ItemFacts(ItemHead, ItemShown, ItemJudged, OwnOpinion):
    of: str
    """Name of the `ItemSource`: a `Literal` in the type of a system, which tells the types apart."""
