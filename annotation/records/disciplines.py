"""Disciplines of lectures, as Video-MMLU has them."""

from __future__ import annotations

DISCIPLINES = ("Math", "Physics", "Chemistry")
"""Scores are unweighted means over these three, regardless of their numbers of videos."""

_SAME_DISCIPLINE = {"mathematics": "Math", "maths": "Math"} | {name.lower(): name for name in DISCIPLINES}


def discipline(label: str) -> str:
    """Return `Math`, `Physics` or `Chemistry` for any known spelling; other labels are returned unchanged."""
    plain = label.strip()
    return _SAME_DISCIPLINE.get(plain.lower(), plain)
