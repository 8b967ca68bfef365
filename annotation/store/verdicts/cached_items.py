"""Items of the evaluations that are looked at, kept in memory; only changed videos are read again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from annotation.records.runs import EvaluationRun
from annotation.scores.scored_item import Item
from annotation.store import changed_videos
from annotation.store.store import Store
from annotation.store.verdicts.score_items import score_items

T = TypeVar("T")
MANY = 64
"""Changed videos from which reading everything anew is quicker."""
KEPT = 6
"""Evaluations whose items are kept; of others the one not used for longest goes."""
REMEMBERED = 32
"""Tables and the like that are remembered of one state."""


@dataclass(slots=True)
class State:
    """The items of one evaluation at one state of the store."""

    items: list[Item]
    number: int
    """Of the last change that they hold."""
    runs: tuple[str, ...]
    remembered: OrderedDict[Any, Any] = field(default_factory=OrderedDict)

    def remember(self, key: Any, make: Callable[[], T]) -> T:
        """What `make` gives, made once for this state."""
        if key not in self.remembered:
            self.remembered[key] = make()
            while len(self.remembered) > REMEMBERED:
                self.remembered.popitem(last=False)
        found: T = self.remembered[key]
        return found


class KeptItems:
    """Safe for several threads: one reads an evaluation, the others wait for it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._states: OrderedDict[str, State] = OrderedDict()

    def state(self, evaluation_id: str) -> State:
        """The evaluation's items as they stand now."""
        links = self.store.find(EvaluationRun, evaluation_id=evaluation_id)
        runs = tuple(sorted(f"{link.role} {link.run_id}" for link in links))
        with self._lock:
            with self.store.reading() as conn:
                number = changed_videos.newest(conn)
                old = self._states.get(evaluation_id)
                known = old is not None and old.runs == runs
                changed = changed_videos.since(conn, old.number) if known and old else []
            # Read after the number: what changes in between is read again the next time.
            if not known or old is None or len(changed) > MANY:
                state = State(_in_order(score_items(self.store, evaluation_id)), number, runs)
            elif changed:
                state = State(self._mended(evaluation_id, old, set(changed)), number, runs)
            else:
                state = old
            self._keep(evaluation_id, state)
            return state

    def _mended(self, evaluation_id: str, old: State, changed: set[str]) -> list[Item]:
        kept = [item for item in old.items if item.video not in changed]
        return _in_order(kept + score_items(self.store, evaluation_id, sorted(changed)))

    def _keep(self, evaluation_id: str, state: State) -> None:
        self._states[evaluation_id] = state
        self._states.move_to_end(evaluation_id)
        while len(self._states) > KEPT:
            self._states.popitem(last=False)


def _in_order(items: list[Item]) -> list[Item]:
    """By video: the bootstrap draws places of videos, which must not move with a correction."""
    return sorted(items, key=lambda item: item.video)


def kept_items(store: Store, evaluation_id: str) -> State:
    """The items that count now, and what was computed from them."""
    return store.kept(KeptItems, lambda: KeptItems(store)).state(evaluation_id)
