"""Responses of the Keyframes page: candidates and rows, labels of pairs, blind studies, evidence."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

from annotation.records.allowed_values import ResultState
from annotation.records.ids import Json
from annotation.systems.progress_captioner.frame_options import FrameOptions
from annotation.systems.progress_captioner.keyframe_rows_by_method import Method, SizeOf
from annotation.systems.progress_captioner.preference_pairs import Outcome
from annotation.systems.progress_captioner.requests import Progression
from ui.lib.shared_wire_types import EditableText, EditableVerdict, PlayerData, RunFacts, Saved, VideoTitle
from ui.systems.progress_captioner.selection_rates import SelectionRate


class ActionVideo(VideoTitle):
    action: str
    """The action in the video; empty: not named yet."""


class PicturedVideo(ActionVideo):
    file: bool
    """Whether there are pictures to show."""


# --- candidates and rows --------------------------------------------------------------


class CaptionAuthor(TypedDict):
    """One pass of captioning, or an imported file with captions, for which the fields of a run are empty."""

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
    """Null while the file is missing."""
    caption: EditableText
    readable: bool
    other_frames: list[tuple[int, int]]
    """Spans, in code points, that mention another frame."""


class JudgedPair(EditableVerdict):
    """Two adjacent candidates: does the action progress?"""

    id: str
    """Id of the verdict."""
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
    """Difference of the two pictures."""
    baseline: bool


class NeighbourPair(JudgedPair):
    mine: str
    """The current person's own label; empty: none."""


class RowAgreement(TypedDict):
    """Agreement of a row with the current person's row."""

    matched: int
    picked: int
    wanted: int
    exact: int
    precision: float | None
    recall: float | None
    f1: float | None


class RowMeasures(TypedDict):
    redundancy: float | None
    """Similarity of the pictures, 0 to 1; null for fewer than two."""
    repeated: int
    """Number of captions that repeat an earlier one of the row."""
    captions: int
    agreement: RowAgreement | None


class KeyframeRow(RowMeasures):
    """The candidates that a method or a person keeps."""

    key: str
    method: Method
    size_of: SizeOf
    """The row that sets its size, or `budget`; empty if the method sets it."""
    frames: list[int]
    reasons: dict[str, str]
    """Why it was kept or dropped, by frame."""
    note: str
    """The basis of the whole row, if its method does not imply it."""
    baseline: bool
    by: str
    """The person; empty for a method."""
    person_id: str | None
    created_at: NotRequired[float]
    """Only for a person's row."""


class StaleCounts(TypedDict):
    captions: int
    verdicts: int


class KeyframesPage(TypedDict):
    """One video with one author's captions of its candidates."""

    video: ActionVideo
    player: PlayerData | None
    """Null if the page already has it."""
    author: str
    """The author whose captions are shown; empty: there are none."""
    authors: list[CaptionAuthor]
    judge: RunFacts | None
    looks: str
    """Features used for clusters and redundancy."""
    looks_offered: list[str]
    tolerance: int
    """Largest distance, in candidates, of two frames that count as the same moment."""
    frames: list[CandidateFrame]
    pairs: list[NeighbourPair]
    rows: list[KeyframeRow]
    budget: int
    """Number of frames in the rows of a fixed size."""
    stale: StaleCounts


class FramesPicked(Saved):
    frames: list[int]


class ActionNamed(TypedDict):
    action: str


# --- labels of pairs ------------------------------------------------------------------


class JudgeLabel(TypedDict):
    """A judge's verdict on a pair, with the captions it was based on."""

    judge: str
    captions: str
    label: str
    state: str
    baseline: bool


class PersonLabel(TypedDict):
    by: str
    label: str


class PairToLabel(TypedDict):
    """Null fields are hidden until the current person has labelled the pair."""

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
    """Number of models that are compared."""
    sequences: list[int]
    """Number of frames in each sequence."""
    done: list[int]
    """Number of frames in each for which the current person has chosen."""


class StudyList(TypedDict):
    studies: list[StudyFacts]
    may: bool
    """Whether the current person may create and close studies."""


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
    """Positions in the order that is shown; both null: none of the captions is acceptable."""

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


class StudyResult(TypedDict):
    name: str
    closed: bool
    people: int
    """Number of people who have chosen."""
    rows: list[SelectionRate]
    """Empty while the study is open."""


# --- evidence -------------------------------------------------------------------------


class FrameTime(TypedDict):
    index: int
    seconds: float | None


class ChangeVotes(TypedDict):
    """The verdicts of all judges on two adjacent frames, over all models' captions."""

    yes: int
    no: int
    uncertain: int
    word: Progression
    """The majority's verdict; empty on a tie."""


class ModelEvidence(TypedDict):
    """One model's captions of a sequence, with the judges' results."""

    run: str
    name: str
    baseline: bool
    captions: list[str]
    choices: list[str]
    """The chosen letters; `?` if there is none."""
    correct: list[bool | None]
    """Per frame whether the caption was matched to it; null: cannot be determined."""
    passed: bool | None
    outcome: Outcome


class EvidenceSequence(TypedDict):
    frames: list[FrameTime]
    changes: list[ChangeVotes]
    models: list[ModelEvidence]


class FrameEvidence(TypedDict):
    """The result of using a video's frame captions as training data."""

    video: PicturedVideo
    preferences: int
    accepted: int
    sequences: list[EvidenceSequence]
