"""What the Keyframes page is sent: candidates and rows, labels of pairs, blind studies, evidence."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from annotation.records.allowed_values import ResultState
from annotation.records.ids import Json
from annotation.systems.progress_captioner.frame_options import FrameOptions
from annotation.systems.progress_captioner.keyframe_rows_by_method import Method, SizeOf
from annotation.systems.progress_captioner.preference_pairs import Outcome
from annotation.systems.progress_captioner.requests import Progression
from ui.lib.shared_wire_types import EditableText, EditableVerdict, PlayerData, RunFacts, Saved
from ui.pages.library.wire_types import VideoTitle
from ui.pages.scores.wire_types import FigureRow


class ActionVideo(VideoTitle):
    action: str
    """What is done in it; empty: nobody has named it."""


class PicturedVideo(ActionVideo):
    file: bool
    """Whether there are pictures to show."""


# --- candidates and rows --------------------------------------------------------------


class CaptionAuthor(TypedDict):
    """One pass of captioning, or a file that brought captions: then what is told of a run is empty."""

    id: str
    frames: int
    at: float
    model: str
    name: str
    baseline: bool
    stage: str
    options: FrameOptions | None
    """How frames were chosen and captioned."""


class CandidateFrame(TypedDict):
    index: int
    seconds: float | None
    """Null while the file is not here."""
    caption: EditableText
    readable: bool
    other_frames: list[tuple[int, int]]
    """Code points of what speaks of another frame."""


class JudgedPair(EditableVerdict):
    """Two neighbouring candidates: does the action move on?"""

    id: str
    """Of the verdict."""
    frames: list[int]
    label: str
    judged: str
    """The judge's own label."""
    judged_state: ResultState
    by: str
    """Whose opinion counts; empty while the judge's does."""
    reason: str
    raw: str
    letter: str
    difference: float | None
    """Of the two pictures."""
    baseline: bool


class NeighbourPair(JudgedPair):
    mine: str
    """The asker's own label; empty: none."""


class RowAgreement(TypedDict):
    """How far a row has what one's own row has."""

    matched: int
    picked: int
    wanted: int
    exact: int
    precision: float | None
    recall: float | None
    f1: float | None


class RowMeasures(TypedDict):
    redundancy: float | None
    """How alike the pictures are, 0 to 1; null with fewer than two."""
    repeated: int
    """Captions that say what an earlier one of the row says."""
    captions: int
    agreement: RowAgreement | None


class KeyframeRow(RowMeasures):
    """What a method or a person keeps of the candidates."""

    key: str
    method: Method
    size_of: SizeOf
    """The row that it has its size from, or `budget`; empty when the size is its own."""
    frames: list[int]
    reasons: dict[str, str]
    """Why it was kept or dropped, by frame."""
    note: str
    """What the whole row goes by, where its method does not say it."""
    baseline: bool
    by: str
    """The person; empty for a method."""
    person_id: str | None
    created_at: NotRequired[float]
    """Of a person's row."""


class StaleCounts(TypedDict):
    captions: int
    verdicts: int


class KeyframesPage(TypedDict):
    """One video with one author's captions of its candidates."""

    video: ActionVideo
    player: PlayerData | None
    """Null where the page has it already."""
    author: str
    """Whose captions are shown; empty: there are none."""
    authors: list[CaptionAuthor]
    judge: RunFacts | None
    looks: str
    """What clusters and redundancy go by."""
    looks_offered: list[str]
    tolerance: int
    """Candidates by which two frames may lie apart and be the same moment."""
    frames: list[CandidateFrame]
    pairs: list[NeighbourPair]
    rows: list[KeyframeRow]
    budget: int
    """Frames of the rows of a fixed size."""
    stale: StaleCounts


class FramesPicked(Saved):
    frames: list[int]


class ActionNamed(TypedDict):
    action: str


# --- labels of pairs ------------------------------------------------------------------


class JudgeLabel(TypedDict):
    """What a judge said of a pair, by whose captions."""

    judge: str
    captions: str
    label: str
    state: str
    baseline: bool


class PersonLabel(TypedDict):
    by: str
    label: str


class PairToLabel(TypedDict):
    """Null: one is not told before one has labelled it oneself."""

    first: int
    second: int
    seconds: list[float | None]
    mine: str
    judges: list[JudgeLabel] | None
    others: list[PersonLabel] | None


class FrameLabels(TypedDict):
    video: PicturedVideo
    pairs: list[PairToLabel]


class PairLabelled(Saved):
    label: str


# --- studies --------------------------------------------------------------------------


class StudyFacts(TypedDict):
    id: str
    name: str
    closed: bool
    models: int
    """How many are compared."""
    sequences: list[int]
    """Frames of each."""
    done: list[int]
    """Frames of each that the asker has chosen for."""


class StudyList(TypedDict):
    studies: list[StudyFacts]
    may: bool
    """Whether the asker may make and close them."""


class StudyMade(TypedDict):
    id: str
    sequences: int


class CaptionModel(TypedDict):
    """A run that can be compared."""

    id: str
    model: str
    name: str
    baseline: bool
    captions: int
    params: dict[str, Json]


class ChosenPlaces(TypedDict):
    """By place in the order that is shown; both null: none of them will do."""

    best: int | None
    second: int | None


class StudyFrame(TypedDict):
    index: int
    seconds: float | None
    captions: list[str]
    mine: ChosenPlaces | None


class StudySequence(TypedDict):
    study: str
    number: int
    of: int
    frames: list[StudyFrame]
    video: PicturedVideo
    models: list[str] | None
    """In the order of the captions; null while the study is open."""


class StudyClosed(TypedDict):
    id: str
    closed_at: float | None


class SelectionRate(FigureRow):
    runs: dict[str, str]
    """Ids of what the group names, by its keys."""


class StudyResult(TypedDict):
    name: str
    closed: bool
    people: int
    """Who have chosen."""
    rows: list[SelectionRate]
    """Empty while the study is open."""


# --- evidence -------------------------------------------------------------------------


class FrameTime(TypedDict):
    index: int
    seconds: float | None


class ChangeVotes(TypedDict):
    """What all judges say of two neighbours, over all models' captions."""

    yes: int
    no: int
    uncertain: int
    word: Progression
    """The majority's; empty on a tie."""


class ModelEvidence(TypedDict):
    """One model's captions of a sequence, and what the judges made of them."""

    run: str
    name: str
    baseline: bool
    captions: list[str]
    choices: list[str]
    """The letters that were chosen; `?` where there is none."""
    correct: list[bool | None]
    """Per frame whether it found its own caption; null: nobody can tell."""
    passed: bool | None
    outcome: Outcome


class EvidenceSequence(TypedDict):
    frames: list[FrameTime]
    changes: list[ChangeVotes]
    models: list[ModelEvidence]


class FrameEvidence(TypedDict):
    """What became of a video's frame captions as training data."""

    video: PicturedVideo
    preferences: int
    accepted: int
    sequences: list[EvidenceSequence]
