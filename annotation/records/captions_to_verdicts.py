"""Captions, questions, answers and verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from annotation.records.allowed_values import HardTask, ResultState, SubjectType, TextKind, ValueType
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
    """Why it is not `done`, or that fewer frames were given than asked for."""
    run_id: str | None = None
    person_id: str | None = None
    dataset_id: str | None = None
    source_text_id: str | None = None
    """The text it was made from, where it was made from one (splits)."""
    source_hash: str = ""
    """Fingerprint of what it was made from; a different one now means it is stale."""
    frames: tuple[int, ...] = ()
    """Indices of the frames that the model was given."""
    call_id: str | None = None
    baseline: bool = False
    """Made by the embedded baseline, not by a model."""


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
    """One entry of a benchmark: what is asked, and what is right. Its line of the file is kept whole."""

    id: str
    video_id: str
    dataset_id: str
    task: HardTask
    """Of Vript-Hard: captions against words of a reference, questions, order of scenes."""
    name: str
    """What files call it: the id of a clip, or of a video."""
    index: int
    """Its line in the file, from 0."""
    value: Mapping[str, Json]
    created_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a caption (or a model that saw the video) answers to a question."""

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
    """A verdict."""

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
    """The judge's reply, untouched."""
    kind: TextKind | None = None
    """The aspect, where a log holds no more than video and aspect."""
    source_hash: str = ""
    call_id: str | None = None
    baseline: bool = False
    extra: Mapping[str, Json] = field(default_factory=dict)

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean over a video's questions, of a log that holds no more: no verdict on one."""
        return self.subject_type == "video_aspect" and self.value_type == "score_only"
