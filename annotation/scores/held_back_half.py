"""Two halves of what people labelled: one to work on a prompt with, one that is held back."""

from __future__ import annotations

from collections.abc import Iterable

from backends.digest import digest


def is_held_back(question_id: str) -> bool:
    """By the question alone: a label that comes later moves no other from one half to the other."""
    return int(digest("held back", question_id)[0], 16) >= 8


def halves(question_ids: Iterable[str]) -> tuple[list[str], list[str]]:
    """(to work with, held back)."""
    ids = list(question_ids)
    return [i for i in ids if not is_held_back(i)], [i for i in ids if is_held_back(i)]
