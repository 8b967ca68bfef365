"""People and their decisions: corrections, labels, error sources, dismissed findings, assignments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotation.records.allowed_values import AssignmentState, ErrorSourceKind, Role, SubjectType
from annotation.records.ids import Json

AGAIN = "undo or redo"
"""Reason of a correction, and note of a version, by undo or redo. A verdict keeps its original reason."""


def reason_of_turn(revision: int) -> str:
    """Return the reason of a correction by undo or redo that restores an earlier revision."""
    return f"{AGAIN} of {revision}" if revision else AGAIN


def is_again(correction: Correction) -> bool:
    """Whether a correction was made by undo or redo."""
    return correction.reason == AGAIN or revision_brought_back(correction) > 0


def revision_brought_back(correction: Correction) -> int:
    """Return the restored revision, or 0 if it is not recorded (workspaces of 0.1.0)."""
    turn, _, revision = correction.reason.partition(" of ")
    return int(revision) if turn == AGAIN and revision.isdecimal() else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A person's value that replaces the machine's. Corrections are appended and never changed."""

    id: str
    subject_type: SubjectType
    subject_id: str
    field: str
    """`value` of a text or answer, `text` or `reference` of a question, `verdict` of a verdict."""
    value: Json
    """The new value; ignored if `cleared`."""
    cleared: bool
    """Whether this removes the correction, so that the machine's value counts again."""
    revision: int
    """1 for the first change of this field, then ascending."""
    person_id: str
    reason: str
    created_at: float
    blind: bool = False
    """For a verdict: whether the person gave it before the judge's verdict was shown to them. Figures that
    compare the judge with people use this label, even if the person changes it later."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Keyframes picked by a method or a person."""

    id: str
    video_id: str
    method: str
    """`progression`, `uniform`, `clusters` or `person`."""
    frames: tuple[int, ...]
    reasons: Mapping[str, Json]
    """By candidate frame index (as text): why it was kept or dropped."""
    created_at: float
    run_id: str | None = None
    person_id: str | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedFrames:
    """The frames that a person chose as evidence for a question. The newest row counts."""

    id: str
    question_id: str
    video_id: str
    person_id: str
    frames: tuple[int, ...]
    """Frame indices, ascending; empty if all were withdrawn."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameLabel:
    """A person's label for whether the action progresses between two frames (FrameCapEval).

    People do not overwrite each other's labels: the newest row of each person and pair counts.
    """

    id: str
    video_id: str
    first: int
    """Index of the earlier frame."""
    second: int
    """Index of the later frame."""
    person_id: str
    label: Literal["yes", "no", "uncertain", ""]
    """Empty if withdrawn."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A blind comparison of frame captions: people choose the best and second best per frame."""

    id: str
    name: str
    """Unique among the studies."""
    runs: tuple[str, ...]
    """The runs whose captions are compared, 2 to 5."""
    sequences: tuple[Mapping[str, Json], ...]
    """`{"video_id", "frames"}` of each sequence, in the order in which they are shown."""
    seed: int
    """Determines, with the number of the sequence, the order of the captions."""
    person_id: str
    """The person who created it."""
    created_at: float
    closed_at: float | None = None
    """When the last answer was given. From then on the models are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChoice:
    """A person's choice for one frame of a study. The newest row counts."""

    id: str
    study_id: str
    video_id: str
    sequence: int
    """Number of the sequence, from 0."""
    frame: int
    """Frame index."""
    person_id: str
    best: str | None
    """The run with the best caption; None if no caption is good enough; `-` if withdrawn."""
    second: str | None
    """The run with the second best caption, if one was chosen."""
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """A person's decision that a finding is not a problem."""

    id: str
    finding_id: str
    person_id: str
    reason: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorSource:
    """A person's opinion on why an answer failed. The newest row counts; an empty kind withdraws it."""

    id: str
    video_id: str
    verdict_id: str
    person_id: str
    kind: ErrorSourceKind | Literal[""]
    created_at: float
    note: str = ""
    proposed: ErrorSourceKind | Literal[""] = ""
    """The kind that the page proposed when the person decided; empty if none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A person's decision to exclude a question from scores because it cannot be answered fairly.

    The newest row of a question counts; an empty reason withdraws the exclusion.
    """

    id: str
    question_id: str
    video_id: str
    person_id: str
    reason: str
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """A person who works in this workspace."""

    id: str
    name: str
    role: Role
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """A video assigned to a person for a task. The newest row of each video, person and task counts."""

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
    """For an approved CaReBench caption: the approved revision of each text, by text id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """The parts that a full caption was merged from. The newest row with the caption's `hash` counts."""

    id: str
    video_id: str
    person_id: str
    text_id: str
    """The full caption."""
    hash: str
    """Fingerprint of its value when it was merged."""
    parts: Mapping[str, Json]
    """By part (`overview` ...): `text_id` and `revision` of the merged part; `how` it was made (`taken`,
    `edited` or `own`); for the first two also the annotator's text as `from_id`, `from_revision` and `by`."""
    created_at: float
