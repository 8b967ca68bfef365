"""Steps of a document, each with a function that does what its words say."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class Words(str):
    """The words of one step."""

    __slots__ = ()

    def named(self, name: str) -> str:
        """A name that the step has in bold, as code or in quotes."""
        assert any(f"{sign}{name}{end}" in self for sign, end in ("**", "``", '""')), f"{name!r}: {self}"
        return name


class Tour:
    """The numbered steps under a heading of a document."""

    def __init__(self, document: str, heading: str) -> None:
        self.document, self.heading = document, heading
        self.steps: list[tuple[Words, Callable[[Any, Words], None]]] = []

    def step(self, words: str) -> Callable[[Callable[[Any, Words], None]], Callable[[Any, Words], None]]:
        """Add a step; its function takes what `walk` is given, and the words."""

        def add(do: Callable[[Any, Words], None]) -> Callable[[Any, Words], None]:
            self.steps.append((Words(_one_line(words)), do))
            return do

        return add

    def written(self) -> list[str]:
        """The steps in the document."""
        text = (ROOT / self.document).read_text(encoding="utf-8")
        section = text.split(f"\n## {self.heading}\n")[1].split("\n## ")[0]
        found = re.findall(r"^\d+\. (.+(?:\n {3}.+)*)", section, re.MULTILINE)
        return [_one_line(step) for step in found]

    def walk(self, world: Any) -> None:
        """Do all steps, if they are those of the document."""
        assert [words for words, _ in self.steps] == self.written(), f"other steps in {self.document}"
        for words, do in self.steps:
            do(world, words)


def _one_line(words: str) -> str:
    return " ".join(words.split())
