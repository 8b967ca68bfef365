"""Elements of captions (CapST), and findings of the checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from annotation.records.allowed_values import ResultState, SubjectType


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementList:
    """One extraction of the events, or of the objects, of a caption (CapST). It may hold none."""

    id: str
    video_id: str
    text_id: str
    kind: Literal["event", "object"]
    created_at: float
    state: ResultState = "done"
    reason: str = ""
    """Why it is not `done`, or what was left out of it."""
    run_id: str | None = None
    """None where it came with the caption's dataset."""
    source_hash: str = ""
    call_id: str | None = None
    baseline: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An atomic event or object of a caption (CapST).

    One that a person added has no words of its own: they are its first correction. A correction to
    no words takes an element out.
    """

    id: str
    video_id: str
    text_id: str
    kind: Literal["event", "object", "verb", "noun", "propn"]
    """The last three are words of a caption, as Vript-HAL compares them."""
    index: int
    value: str
    created_at: float
    run_id: str | None = None
    person_id: str | None = None
    list_id: str | None = None
    """The extraction that it belongs to; None for a person's, and for what came without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found."""

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
