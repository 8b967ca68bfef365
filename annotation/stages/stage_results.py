"""Counts of a stage's results for a video after a pass, by state and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from annotation.records.allowed_values import ResultState

StageState = Literal["done", "failed", "unparsed", "missing", "skipped"]
UNDONE: tuple[ResultState, ...] = ("failed", "unparsed", "missing")
"""In order of precedence for the overall state."""
MOST_REASONS = 2
"""Maximum number of reasons listed per state."""
LONGEST = 120
"""Maximum characters of a reason, and of the next step at its end."""


@dataclass(frozen=True, slots=True)
class StageResults:
    """Counts of a stage's items; each item is a request to a model."""

    counts: Mapping[tuple[ResultState, str], int] = field(default_factory=dict)
    """By state and reason; the reason is empty for items that are done."""
    skipped: str = ""
    """Why there was nothing to do."""
    error: str = ""
    """Why the stage ended early. What it stored until then is not counted."""

    @classmethod
    def of(cls, states: Iterable[tuple[ResultState, str]]) -> StageResults:
        """Count the state and reason of each item."""
        return cls(Counter((state, "" if state == "done" else reason) for state, reason in states))

    def __add__(self, other: StageResults) -> StageResults:
        counts = dict(Counter(self.counts) + Counter(other.counts))
        return StageResults(counts, "" if counts else self.skipped or other.skipped)

    def count(self, *states: ResultState) -> int:
        """Return the number of items in these states."""
        return sum(n for (state, _), n in self.counts.items() if state in states)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def failed(self) -> int:
        """Return the number of requests without a reply."""
        return self.count("failed")

    @property
    def state(self) -> StageState:
        """Return the overall state: done if every result is done."""
        if self.error:
            return "failed"
        if not self.total:
            return "skipped" if self.skipped else "done"
        return next((state for state in UNDONE if self.count(state)), "done")

    @property
    def words(self) -> str:
        """Return the items that are not done, with reasons, in one line; empty if all are done."""
        if not self.total:
            return self.error or self.skipped
        return "; ".join(self._words(state) for state in UNDONE if self.count(state))

    def _words(self, state: ResultState) -> str:
        reasons = Counter({why: n for (one, why), n in self.counts.items() if one == state and why})
        named = [_shortened(why) for why, _ in reasons.most_common()]
        more = len(named) - MOST_REASONS
        shown = "; ".join(named[:MOST_REASONS]) + (f"; and {more} more reasons" if more > 0 else "")
        step = "; the next run tries again" if state == "failed" else ""
        return f"{self.count(state)} of {self.total} {state}{f' ({shown})' if shown else ''}{step}"

    def as_json(self) -> dict[str, Any]:
        """Return `{"state", "done", "unparsed", "failed", "missing", "why"}`."""
        states: tuple[ResultState, ...] = ("done", "unparsed", "failed", "missing")
        counts: dict[str, Any] = {state: self.count(state) for state in states}
        return {"state": self.state, **counts, "why": self.words}


def _shortened(why: str) -> str:
    """Return a reason of a limited length. What follows the last semicolon says what to do, and is kept."""
    front, _, step = why.rpartition("; ")
    return "; ".join(_cut(part) for part in (front, step) if part)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def skipped(why: str) -> StageResults:
    """Return results that state why there was nothing to do."""
    return StageResults(skipped=why)
