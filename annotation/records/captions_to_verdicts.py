"""Captions, questions, answers and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotation.records.allowed_values import ResultState, SubjectType, TextKind, ValueType
from annotation.records.ids import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A caption of any kind. Its author is a run, a person, or the reference of a dataset."""

    id: str
    video_id: str
    kind: TextKind
    subject_type: SubjectType
    subject_id: str
    """The video's id, a scene's `key`, a frame's id or a segment's id."""
    value: str
    created_at: float
    state: ResultState = "done"
    reason: str = ""
    """Why it is not `done`, or a note that fewer frames were sent than requested."""
    run_id: str | None = None
    person_id: str | None = None
    dataset_id: str | None = None
    source_text_id: str | None = None
    """The text it was made from, if any (splits)."""
    source_hash: str = ""
    """Fingerprint of the source. If the fingerprint of the current source differs, the text is stale."""
    frames: tuple[int, ...] = ()
    """Indices of the frames sent to the model."""
    call_id: str | None = None
    baseline: bool = False
    """Whether it was made by the embedded baseline instead of a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question with its reference answer."""

    id: str
    video_id: str
    kind: TextKind
    """The caption that it asks about."""
    index: int
    text: str
    reference: str
    created_at: float
    category: str = ""
    run_id: str | None = None
    person_id: str | None = None
    dataset_id: str | None = None
    source_text_id: str | None = None
    source_hash: str = ""
    call_id: str | None = None
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkItem:
    """One item of a benchmark: its question and correct answer, as a whole line of the file."""

    id: str
    video_id: str
    dataset_id: str
    task: str
    """What is to be done with it, in the words of its system: `hal`, `rr` or `ero` in Vript-Hard."""
    name: str
    """Its name in files: the id of a clip or of a video."""
    index: int
    """Line number in the file, from 0."""
    value: Mapping[str, Json]
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to a question, extracted from a caption or given by a model that saw the video."""

    id: str
    video_id: str
    question_id: str
    run_id: str
    source: Literal["caption", "video", "imported"]
    value: str
    created_at: float
    state: ResultState = "done"
    reason: str = ""
    text_id: str | None = None
    """The caption that was searched."""
    source_hash: str = ""
    """Fingerprint of that caption's value and of the question."""
    span_start: int | None = None
    """First character of the supporting words in the caption."""
    span_end: int | None = None
    call_id: str | None = None
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's verdict on a subject, with a label, a score or both."""

    id: str
    video_id: str
    run_id: str
    subject_type: SubjectType
    subject_id: str
    value_type: ValueType
    created_at: float
    state: ResultState
    label: str = ""
    """`yes`/`no`, `entailment`/`neutral`/`contradiction`, `A`/`B`/`C`, an order; empty if not done."""
    score: float | None = None
    """0 to 5 for `yes_no_score`, kept raw (4.8 stays 4.8)."""
    reason: str = ""
    """Why it is not `done`, or the judge's own reason."""
    raw: str = ""
    """The judge's reply, unchanged."""
    kind: TextKind | None = None
    """The aspect, if a log only names video and aspect."""
    source_hash: str = ""
    call_id: str | None = None
    baseline: bool = False
    extra: Mapping[str, Json] = field(default_factory=dict)

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over a video's questions, from a log without verdicts on single questions."""
        return self.subject_type == "video_aspect" and self.value_type == "score_only"
