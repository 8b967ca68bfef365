"""A second, plain account of what people did: which words stand, whose they are, and which text counts.

It shares no code with the product's own rules, so that a fault in them shows as a difference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

PARTS = ("carebench:spatial", "carebench:temporal")
SOURCES = ("carebench:full", "vdc:detailed")


def task_of(kind: str) -> str:
    if kind in PARTS:
        return "split"
    return {"vdc": "captions", "script": "script", "carebench": "merge"}[kind.partition(":")[0]]


@dataclass
class Words:
    """What somebody said of a text; no value: they took it back."""

    value: str | None
    person: str
    at: int
    undone: bool = False


@dataclass
class Written:
    """A text: its author, and all that was said of it since."""

    id: str
    video: str
    kind: str
    about: str
    author: tuple[str, str]
    """`person`, `dataset` or `run`, and its id."""
    value: str
    source: str | None
    baseline: bool
    at: int
    said: list[Words] = field(default_factory=list)
    alive: bool = True

    def last(self, person: str = "") -> Words | None:
        """The last words that stand (of this person); None where there are none."""
        said = [one for one in self.said if not one.undone and person in ("", one.person)]
        return said[-1] if said and said[-1].value is not None else None

    def claim(self, person: str = "") -> Claim | None:
        """Its current words, or those of one person."""
        last = self.last(person)
        if person and not (self.author == ("person", person) and not self.said):
            return Claim(self, last.value or "", ("person", person), last.at) if last else None
        if last:
            return Claim(self, last.value or "", ("person", last.person), last.at)
        return Claim(self, self.value, self.author, self.at)


@dataclass
class Claim:
    """Words that may count."""

    text: Written
    words: str
    writer: tuple[str, str]
    at: int

    @property
    def has_words(self) -> bool:
        emptied = self.writer[0] == "person" and self.text.author[0] != "person"
        return bool(self.words.strip()) or emptied


class Model:
    """What there should be."""

    def __init__(self) -> None:
        self.texts: dict[str, Written] = {}
        self.tasks: dict[tuple[str, str, str], tuple[str, int]] = {}
        """State and since when, by video, task and person."""
        self.verdicts: dict[str, list[tuple[str, str, float]]] = {}
        """By verdict: person, label and score of each opinion that stands, the latest last."""
        self.excluded: set[str] = set()
        self.clock = 0

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def say(self, text_id: str, value: str | None, person: str) -> Words:
        words = Words(value, person, self.tick())
        self.texts[text_id].said.append(words)
        return words

    def first(self, video: str, kind: str, about: str, whose: str = "counting") -> Claim | None:
        """The words that count; None where there are none."""
        found = self._claims(video, kind, about, whose)
        if kind not in PARTS:
            return self._best(found)
        sources = (self._best(self._claims(video, one, about, whose)) for one in SOURCES)
        source = next((one.text.id for one in sources if one), "")
        return self._best([one for one in found if not source or one.text.source in (None, source)])

    def _best(self, found: Sequence[Claim]) -> Claim | None:
        return max((one for one in found if one.has_words), key=self._rank, default=None)

    def _rank(self, one: Claim) -> tuple[int, bool, int]:
        kind, who = one.writer
        place = 3 if kind == "dataset" else 0
        if kind == "person":
            task = task_of(one.text.kind)
            state, since = self.tasks.get((one.text.video, task, who), ("", 0))
            prediction = one.text.author[1].startswith("run-captions")
            waits = state and task in ("split", "merge")
            done = state == "approved" and one.at <= since
            place = 5 if done else 1 if waits else 2 if prediction else 4
        return place, not (one.text.baseline and kind == "run"), one.at

    def _claims(self, video: str, kind: str, about: str, whose: str) -> list[Claim]:
        person = whose.partition("person:")[2]
        texts = [
            one for one in self.texts.values() if (one.video, one.kind, one.about) == (video, kind, about)
        ]
        found = [one.claim(person) for one in texts if one.alive and self._of(whose)(one)]
        return [one for one in found if one]

    def _of(self, whose: str) -> Callable[[Written], bool]:
        if whose == "references":
            return lambda text: text.author[0] != "run"
        if not whose.startswith("evaluation:"):
            return lambda _: True
        run = "run-captions-" + whose.partition(":")[2]
        ids = {text.id for text in self.texts.values() if text.author[1] == run}
        return lambda text: text.id in ids or (text.author[0] == "run" and text.source in ids)
