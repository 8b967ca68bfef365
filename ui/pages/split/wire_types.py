"""What the Split page is sent: texts lined up by clause, findings, and the making of CaReBench captions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from annotation.systems.carebench.progress_time_and_agreement import Likeness, State
from annotation.systems.carebench.split_checks.finding import Fix, Side
from annotation.systems.carebench.split_checks.length_and_script import SeenText
from ui.lib.shared_wire_types import EditableText, Finding, PlayerData
from ui.pages.library.wire_types import VideoTitle, Work

SideName = Literal["spatial", "temporal"]
Span = tuple[int, int]
"""[start, end) in code points of a text."""


# --- texts and rows -------------------------------------------------------------------


class ColumnText(EditableText):
    by: Literal["person", "dataset", "run"]
    of_other: bool
    """Whether it was made from another full caption than the one beside it."""


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
    """Null: a row for clauses of a side that match nothing."""
    told: str
    """The clause as a sentence of its own."""
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
    """Stretches of words that the full clause and a side have in common."""

    full: list[tuple[int, int, str]]
    """Start, end and the side, or `both`."""


class AlignedRow(ClauseRow):
    also: SideSpans
    """Clauses at home in another row that tell of this one too."""
    place: SidePlaces
    """Where the full clause would go into a side's text."""
    shared: SharedWords
    state: Literal["spatial", "temporal", "both", "neither", "extra"]
    """Where the clause went; `extra`: no full clause stands behind the row."""


class SplitFinding(Finding):
    side: Side
    """The text that it is about."""
    fix: Fix | None
    """What the key of a finding would do."""


class SplitFindings(TypedDict):
    """Of the three texts, and of the video."""

    findings: list[SplitFinding]
    seen: list[SeenText]
    """Text in another script that is seen in the picture, and may stay."""


class SplitPage(SplitFindings):
    """One video with the three texts that are shown."""

    video: VideoTitle
    player: PlayerData | None
    """Null where the page has it already."""
    texts: ColumnTexts
    versions: ColumnVersions
    words: tuple[int, int]
    """That a full caption should have: fewest and most."""
    rows: list[AlignedRow]


class SplitChecked(TypedDict):
    """Texts as they were typed; findings where they were asked for."""

    rows: list[AlignedRow]
    findings: NotRequired[list[SplitFinding]]
    seen: NotRequired[list[SeenText]]


# --- writing and merging --------------------------------------------------------------


class PartSource(TypedDict):
    """Whose words a merged part holds."""

    how: Literal["taken", "edited", "own"]
    by: str
    """Name of the writer; empty: the merger's own."""
    person: str
    """The same by id."""
    revision: int | None
    was: str | None
    """The words of then, where the writer has written others since."""


class PartsWork(TypedDict):
    """One person's four parts."""

    work: Work
    id: str
    """Of the person."""
    name: str
    texts: dict[str, EditableText] | None
    """By part; null: they are not to be seen yet."""


MergedFrom = TypedDict("MergedFrom", {"from": dict[str, PartSource] | None})
"""By part, what the full caption was joined from; null where it was typed, or changed since."""


class MergeWork(PartsWork, MergedFrom):
    full: EditableText | None
    sources: dict[str, PartSource] | None
    """By part, whose words the merger's own parts hold; null where those are not to be seen."""
    approved: int | None
    """The revision of the full caption that is approved."""


class AspectsPage(TypedDict):
    """One video for the tabs Write and Merge."""

    video: VideoTitle
    player: PlayerData | None
    """Null where the page has it already."""
    parts: list[tuple[str, str]]
    """Name and heading of each."""
    words: tuple[int, int]
    """That a full caption should have: fewest and most."""
    state: State | Literal[""]
    """Empty: it was given to nobody."""
    agreement: Mapping[str, Likeness]
    """By part, between the writers; once all are done."""
    writers: list[PartsWork]
    merge: MergeWork | None
    split: list[Work]


# --- progress -------------------------------------------------------------------------


class MeanLikeness(TypedDict):
    rouge_l: float
    shared: float
    n: int
    """Videos."""


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
    """What became of all that a person was given of one task."""

    id: str
    name: str
    role: str
    task: str
    of: int
    states: dict[str, int]
    """Videos by the state of the work."""
    words: NotRequired[MeanWords]
    """Of a writer, as `minutes`."""
    minutes: NotRequired[MeanMinutes]


class Written(TypedDict, total=False):
    """Empty for those who do not write."""

    words: int
    """Of the four parts."""
    minutes: float | None
    """That the writer was at it; null: nothing is saved."""


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
    """All videos that were given to somebody; `videos` is a page of them."""

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
