"""What is known of a system where no system is known otherwise: its kinds of text, settings, disciplines."""

from __future__ import annotations

from typing import Literal

from annotation.records.allowed_values import TextKind

NOTES: TextKind = "mmlu:notes"

REASONING: TextKind = "mmlu:reasoning"

DISCIPLINES = ("Math", "Physics", "Chemistry")
"""The scores are plain means over these three, however many videos each has."""

_SAME_DISCIPLINE = {"mathematics": "Math", "maths": "Math"} | {name.lower(): name for name in DISCIPLINES}


def is_mmlu(kind: str) -> bool:
    return kind.startswith("mmlu:")


def discipline(label: str) -> str:
    """`Math`, `Physics` or `Chemistry` however a file spells it; any other label as it stands."""
    plain = label.strip()
    return _SAME_DISCIPLINE.get(plain.lower(), plain)


BY_SECOND = "frames_by_second"
"""Mark in a video's `extra`: its frames were counted at one per second, before there was a file."""


Setting = Literal["whole", "scene"]


CaptionPrompts = Literal["fixed", "pool"]
"""`fixed`: the project's own prompt per aspect, the default; `pool`: drawn from VDC's pool."""


ASPECTS = ("overview", "object", "action", "misc")
"""The four parts of a full caption, in their order."""
