"""Split the labelled verdicts into two halves: one for developing a prompt, one held back for testing it."""

from __future__ import annotations

from collections.abc import Iterable

from backends.digest import digest


def is_held_back(question_id: str) -> bool:
    """Whether a question is held back. It depends only on the id, so that new labels do not move others."""
    return int(digest("held back", question_id)[0], 16) >= 8


def halves(question_ids: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return (questions for development, held-back questions)."""
    ids = list(question_ids)
    return [i for i in ids if not is_held_back(i)], [i for i in ids if is_held_back(i)]
