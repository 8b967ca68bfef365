"""What the monkey has typed, and what was shown and done since the page was last at rest."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from benchmarks.monkey.naming import FRAME, Named
from benchmarks.monkey.page import Look

MARK = re.compile(r"(?:ana|ben)\d{3,4}[yz][a-z]")
"""Who typed it, the step, and a letter of the seed."""
LEAST_WORDS = 8
"""A text of so many words does not come from what is left of a phrase."""
SAME = 0.5
"""Share of the words of a field that the row holds too, if it is the same text."""


class Violation(Exception):
    """An invariant does not hold."""


@dataclass
class Token:
    """Letters that somebody typed, with a mark in them that stands nowhere else."""

    mark: str
    phrase: str
    person: str
    step: int
    named: Named | None
    """None: nothing had promised a field; then it is not followed."""
    field: bool
    """Whether the caret was in a field; else a key had promised one."""
    over: str = ""
    """What stood in the field before."""
    emptied: bool = False
    """Whether what stood there had been taken out since, or been changed in a way that is not followed."""
    row: str = ""
    """Of keymap.json: the key that had promised the field."""
    loose: bool = False
    """In a form or dialog, which a person may leave without saving."""
    leaving: float = 0.0
    """The loaded page that the person had asked to leave by then; 0: none."""
    state: str = "open"
    """`open`, `stored`, `refused` (visibly), or `withdrawn` by the person."""


@dataclass
class Window:
    """What was shown and done since nothing was under way."""

    looks: list[Look] = field(default_factory=list)
    passed: list[Look] = field(default_factory=list)
    """What was named in between, however shortly: address, heading and question alone."""
    acts: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)

    @property
    def named(self) -> list[Look]:
        return [*self.looks, *self.passed]

    def on(self, page: str) -> bool:
        return any(look.page == page for look in self.named)

    def parts(self, *names: str) -> set[str]:
        return {value for look in self.named for name in names if (value := look.part(name))}


def alike(one: str, other: str, typed: Iterable[Token]) -> bool:
    """Whether two texts are the same one but for what was typed here."""
    ours = [part for token in typed for part in (token.phrase, token.mark)]
    shown, kept = _words_without(ours, one), _words_without(ours, other)
    if not shown or not kept:
        return max(len(shown), len(kept)) < LEAST_WORDS
    return len(shown & kept) >= SAME * min(len(shown), len(kept))


def _words_without(ours: list[str], text: str) -> set[str]:
    for part in ours:
        text = text.replace(part, " ")
    return set(text.split())


def pairs_of_frames(looks: list[Look]) -> set[tuple[int, ...]]:
    """Those that were chosen in a list."""
    names = [c["name"] for look in looks for c in look.controls if c["selected"] and "→" in c["name"]]
    return {tuple(int(n.replace(",", "")) for n in FRAME.findall(name)[:2]) for name in names}
