"""Responses of the Split page: texts aligned by clause, findings, and writing CaReBench captions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from annotation.systems.carebench.progress_time_and_agreement import Likeness, State
from annotation.systems.carebench.split_checks.finding import Fix, Side
from annotation.systems.carebench.split_checks.length_and_script import SeenText
from ui.lib.shared_wire_types import EditableText, Finding, PlayerData, VideoTitle
from ui.pages.library.wire_types import Work

SideName = Literal["spatial", "temporal"]
Span = tuple[int, int]
"""[start, end) in code points of a text."""


# --- texts and rows -------------------------------------------------------------------


class ColumnText(EditableText):
    by: Literal["person", "dataset", "run"]
    of_other: bool
    """Whether it was made from another full caption than the one shown."""


class ColumnTexts(TypedDict):
    """The text that each column shows."""

    full: ColumnText | None
    spatial: ColumnText | None
    temporal: ColumnText | None


class TextVersion(TypedDict):
    id: str
    kind: str
    author: str
    baseline: bool
    created_at: float


class ColumnVersions(TypedDict):
    """Every author's newest text, the oldest first."""

    full: list[TextVersion]
    spatial: list[TextVersion]
    temporal: list[TextVersion]


class ClauseRow(TypedDict):
    """A clause of the full caption with the clauses of each side that came from it."""

    full: Span | None
    """Null: a row for clauses of a side that match no clause of the full caption."""
    told: str
    """The clause as a complete sentence."""
    continues: bool
    """Whether the clause above belongs to the same sentence."""
    spatial: list[Span]
    temporal: list[Span]


class SideSpans(TypedDict):
    spatial: list[Span]
    temporal: list[Span]


class SidePlaces(TypedDict):
    spatial: int
    temporal: int


class SharedWords(SideSpans):
    """Ranges of words that the full clause and a side share."""

    full: list[tuple[int, int, str]]
    """Start, end and the side, or `both`."""


class AlignedRow(ClauseRow):
    also: SideSpans
    """Clauses assigned to another row that cover this one too."""
    place: SidePlaces
    """Position in each side's text at which to insert the full clause."""
    shared: SharedWords
    state: Literal["spatial", "temporal", "both", "neither", "extra"]
    """The sides that contain the clause; `extra`: the row has no full clause."""


class SplitFinding(Finding):
    name: str
    """The name of the check for people."""
    side: Side
    """The text that the finding is in."""
    fix: Fix | None
    """What the finding's key changes."""


class SplitFindings(TypedDict):
    """Findings in the three texts and in the video."""

    findings: list[SplitFinding]
    seen: list[SeenText]
    """Text in another script that is visible in the picture, and therefore allowed."""


class SplitPage(SplitFindings):
    """One video with the three texts that are shown."""

    video: VideoTitle
    player: PlayerData | None
    """Null if the page already has it."""
    texts: ColumnTexts
    versions: ColumnVersions
    words: tuple[int, int]
    """Recommended length of a full caption in words: fewest and most."""
    rows: list[AlignedRow]


class SplitChecked(TypedDict):
    """The typed texts aligned; with findings if requested."""

    rows: list[AlignedRow]
    findings: NotRequired[list[SplitFinding]]
    seen: NotRequired[list[SeenText]]


# --- writing and merging --------------------------------------------------------------


class PartSource(TypedDict):
    """The source of a merged part's words."""

    how: Literal["taken", "edited", "own"]
    by: str
    """Name of the writer; empty: written by the merger."""
    person: str
    """Id of that person."""
    revision: int | None
    was: str | None
    """The words used, if the writer has changed them since."""


class PartsWork(TypedDict):
    """One person's four parts."""

    work: Work
    id: str
    """Id of the person."""
    name: str
    texts: dict[str, EditableText] | None
    """By part; null: hidden from the current person for now."""


MergedFrom = TypedDict("MergedFrom", {"from": dict[str, PartSource] | None})
"""By part, the sources of the full caption; null if it was typed, or changed since."""


class MergeWork(PartsWork, MergedFrom):
    full: EditableText | None
    sources: dict[str, PartSource] | None
    """By part, the sources of the merger's own parts; null if those are hidden."""
    approved: int | None
    """The approved revision of the full caption."""


class AspectsPage(TypedDict):
    """One video for the tabs Write and Merge."""

    video: VideoTitle
    player: PlayerData | None
    """Null if the page already has it."""
    parts: list[tuple[str, str]]
    """Name and heading of each part."""
    words: tuple[int, int]
    """Recommended length of a full caption in words: fewest and most."""
    state: State | Literal[""]
    """Empty: assigned to no one."""
    agreement: Mapping[str, Likeness]
    """Agreement of the writers by part, once all are done."""
    writers: list[PartsWork]
    merge: MergeWork | None
    split: list[Work]


# --- progress -------------------------------------------------------------------------


class MeanLikeness(TypedDict):
    rouge_l: float
    shared: float
    n: int
    """Number of videos."""


class StateCount(TypedDict):
    state: State
    n: int


class MeanWords(TypedDict):
    mean: int | None
    n: int


class MeanMinutes(TypedDict):
    mean: float | None
    n: int


class PersonProgress(TypedDict):
    """Progress of one person's assignments of one task."""

    id: str
    name: str
    role: str
    task: str
    of: int
    states: dict[str, int]
    """Number of videos by state of the work."""
    words: NotRequired[MeanWords]
    """Words and `minutes` are given for writers only."""
    minutes: NotRequired[MeanMinutes]


class Written(TypedDict, total=False):
    """Empty for people who do not write."""

    words: int
    """Total of the four parts."""
    minutes: float | None
    """Time spent writing; null: nothing is saved."""


class VideoWork(Work, Written): ...


class VideoState(TypedDict):
    id: str
    title: str
    state: State
    work: list[VideoWork]
    agreement: Mapping[str, Likeness]


class ProgressNotes(TypedDict):
    """How figures are counted."""

    agreement: str
    minutes: str


class AspectsProgress(TypedDict):
    """All assigned videos; `videos` is one page of them."""

    of: int
    states: list[StateCount]
    people: list[PersonProgress]
    agreement: dict[str, MeanLikeness]
    """By part."""
    parts: list[tuple[str, str]]
    words: tuple[int, int]
    how: ProgressNotes
    videos: list[VideoState]
    offset: int
