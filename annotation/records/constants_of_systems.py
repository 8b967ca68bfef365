"""Constants of the systems for code outside their folders: kinds of text, settings, disciplines."""

from __future__ import annotations

from typing import Literal

from annotation.records.allowed_values import TextKind

NOTES: TextKind = "mmlu:notes"

REASONING: TextKind = "mmlu:reasoning"

DISCIPLINES = ("Math", "Physics", "Chemistry")
"""Scores are unweighted means over these three, regardless of their numbers of videos."""

_SAME_DISCIPLINE = {"mathematics": "Math", "maths": "Math"} | {name.lower(): name for name in DISCIPLINES}


def is_mmlu(kind: str) -> bool:
    return kind.startswith("mmlu:")


def discipline(label: str) -> str:
    """Return `Math`, `Physics` or `Chemistry` for any known spelling; other labels are returned unchanged."""
    plain = label.strip()
    return _SAME_DISCIPLINE.get(plain.lower(), plain)


BY_SECOND = "frames_by_second"
"""Key in a video's `extra`: its frames were counted at one per second, before its file was found."""


Setting = Literal["whole", "scene"]


CaptionPrompts = Literal["fixed", "pool"]
"""`fixed`: the project's own prompt per aspect (default). `pool`: a prompt drawn from VDC's pool."""


ASPECTS = ("overview", "object", "action", "misc")
"""The four parts of a full caption, in their order."""
