"""People, and what they decide: corrections, labels, error sources, dismissed findings, assignments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotation.records.allowed_values import AssignmentState, ErrorSourceKind, Role, SubjectType
from annotation.records.ids import Json

AGAIN = "undo or redo"
"""Reason of a correction, and note of a version, that undo or redo made; a verdict keeps its own reason."""


def reason_of_turn(revision: int) -> str:
    """Reason of a correction by undo or redo, which brings the words of an earlier revision back."""
    return f"{AGAIN} of {revision}" if revision else AGAIN


def is_again(correction: Correction) -> bool:
    """Whether undo or redo made it."""
    return correction.reason == AGAIN or revision_brought_back(correction) > 0


def revision_brought_back(correction: Correction) -> int:
    """The revision whose words it brings back; 0 where it does not say, as in a workspace of 0.1.0."""
    turn, _, revision = correction.reason.partition(" of ")
    return int(revision) if turn == AGAIN and revision.isdecimal() else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A person's value laid over the machine's. Appended, never changed."""

    id: str
    subject_type: SubjectType
    subject_id: str
    field: str
    """`value` of a text or answer, `text` or `reference` of a question, `verdict` of a verdict."""
    value: Json
    """The new value; ignored when `cleared`."""
    cleared: bool
    """Whether this takes the overlay away, so that the machine's value shows again."""
    revision: int
    """1 for the first change of this field, then counting."""
    person_id: str
    reason: str
    created_at: float
    blind: bool = False
    """Of a verdict: whether the person gave it before the judge's verdict was shown to them. Figures on judge
    against people use that label, whatever the person says later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Keyframes picked by a method or a person."""

    id: str
    video_id: str
    method: str
    """`progression`, `uniform`, `clusters` or `person`."""
    frames: tuple[int, ...]
    reasons: Mapping[str, Json]
    """Per candidate frame index (as text): why it was kept or dropped."""
    created_at: float
    run_id: str | None = None
    person_id: str | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedFrames:
    """The frames that show, in a person's view, what a question asks about. The newest row counts."""

    id: str
    question_id: str
    video_id: str
    person_id: str
    frames: tuple[int, ...]
    """Frame indices, ascending; empty: all taken back."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameLabel:
    """A person's word on whether the action moves on between two frames (FrameCapEval).

    People label for themselves, none over another: the newest row of a person and pair counts.
    """

    id: str
    video_id: str
    first: int
    """Index of the earlier frame."""
    second: int
    """Index of the later frame."""
    person_id: str
    label: Literal["yes", "no", "uncertain", ""]
    """Empty: taken back."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A blind comparison of frame captions: people choose the best and second best per frame."""

    id: str
    name: str
    """No other study has it."""
    runs: tuple[str, ...]
    """The runs whose captions are compared, 2 to 5."""
    sequences: tuple[Mapping[str, Json], ...]
    """`{"video_id", "frames"}` of each sequence, in the order in which they are shown."""
    seed: int
    """It decides, with the number of the sequence, the order in which the captions stand."""
    person_id: str
    """Who made it."""
    created_at: float
    closed_at: float | None = None
    """When the last answer came; models are named from then on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChoice:
    """What a person chose for one frame of a study. The newest row counts."""

    id: str
    study_id: str
    video_id: str
    sequence: int
    """Number of the sequence, from 0."""
    frame: int
    """Frame index."""
    person_id: str
    best: str | None
    """The run whose caption is the best; None: none of them will do. `-`: taken back."""
    second: str | None
    """The run whose caption is the second best, if one was chosen."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """A person's word that a finding is in order."""

    id: str
    finding_id: str
    person_id: str
    reason: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSource:
    """Whose fault a verdict is, in a person's view. The newest row counts; an empty kind withdraws."""

    id: str
    video_id: str
    verdict_id: str
    person_id: str
    kind: ErrorSourceKind | Literal[""]
    created_at: float
    note: str = ""
    proposed: ErrorSourceKind | Literal[""] = ""
    """What the page proposed when the person decided; empty: nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A person's word that a question cannot be answered fairly: it is not to be counted.

    The newest row of a question counts; an empty reason withdraws.
    """

    id: str
    question_id: str
    video_id: str
    person_id: str
    reason: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Someone who works here."""

    id: str
    name: str
    role: Role
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A video given to a person for a task. The newest row of the three counts."""

    id: str
    video_id: str
    person_id: str
    task: str
    """One of `annotation.editing.assignments.TASKS`."""
    state: AssignmentState
    created_at: float
    note: str = ""
    """Why it was flagged, returned or skipped."""
    versions: Mapping[str, Json] = field(default_factory=dict)
    """Of an approved CaReBench caption: the revision of each text that was approved, by text id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """What a full caption was joined from. The newest whose `hash` is that of the caption tells of it."""

    id: str
    video_id: str
    person_id: str
    text_id: str
    """The full caption."""
    hash: str
    """Fingerprint of its value when it was joined."""
    parts: Mapping[str, Json]
    """By part (`overview` ...): `text_id` and `revision` of the merged part, `how` it came about (`taken`,
    `edited` or `own`), and for the first two `from_id`, `from_revision` and `by`: the annotator's text."""
    created_at: float
