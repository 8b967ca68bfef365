"""Elements of captions, such as events and objects, and findings of the checks."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.records.allowed_values import ResultState, SubjectType


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementList:
    """One extraction of the elements of one kind from a caption. It may be empty."""

    id: str
    video_id: str
    text_id: str
    kind: str
    """`event` or `object` in CapST; other systems have their own kinds."""
    created_at: float
    state: ResultState = "done"
    reason: str = ""
    """Why it is not `done`, or what was left out."""
    run_id: str | None = None
    """None if it is part of the caption's dataset."""
    source_hash: str = ""
    call_id: str | None = None
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An atomic event, object or other unit of a caption.

    An element added by a person has an empty value: its text is its first correction. A correction to an
    empty text removes an element.
    """

    id: str
    video_id: str
    text_id: str
    kind: str
    """As in its list; `verb`, `noun` or `propn` for words of a caption that Vript-HAL compares."""
    index: int
    value: str
    created_at: float
    run_id: str | None = None
    person_id: str | None = None
    list_id: str | None = None
    """The extraction that it belongs to; None for a person's element, and for imports without extractions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A problem that a check found."""

    id: str
    video_id: str
    check: str
    subject_type: SubjectType
    subject_id: str
    why: str
    created_at: float
    text: str = ""
    start: int | None = None
    end: int | None = None
