"""Cache of score items for the evaluations in use. Only changed videos are read again."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from annotation.records.gc_pause import collector_paused
from annotation.records.runs import EvaluationRun
from annotation.scores.scored_item import Item
from annotation.store.cache_parts import NOTHING, LastUsed, due
from annotation.store.store import Store
from annotation.store.verdicts.score_items import score_items

T = TypeVar("T")
KEPT = 6
"""Number of evaluations in the cache. The least recently used one is dropped."""
REMEMBERED = 32
"""Number of derived values that are cached per state."""


@dataclass(slots=True)
class State:
    """The items of one evaluation at one state of the store."""

    by_video: dict[str, list[Item]]
    number: int
    """Number of the last change that the items include."""
    runs: tuple[str, ...]
    items: list[Item] = field(init=False)
    """Sorted by video: the bootstrap draws positions of videos, and a correction must not move them."""
    remembered: LastUsed[Any, Any] = field(default_factory=lambda: LastUsed(REMEMBERED))

    def __post_init__(self) -> None:
        self.items = [item for video in sorted(self.by_video) for item in self.by_video[video]]

    def remember(self, key: Any, make: Callable[[], T]) -> T:
        """Return the value of `make`, which is called once per state."""
        return cast(T, self.remembered.made(key, make))


class KeptItems:
    """Thread-safe cache. One thread reads an evaluation, and the others wait."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._states: LastUsed[str, State] = LastUsed(KEPT)

    def state(self, evaluation_id: str) -> State:
        """Return the current items of an evaluation."""
        links = self.store.find(EvaluationRun, evaluation_id=evaluation_id)
        runs = tuple(sorted(f"{link.role} {link.run_id}" for link in links))
        with self._lock:
            old = self._states.use(evaluation_id)
            if old and old.runs != runs:
                old = None
            with self.store.reading() as conn:
                changes = due(conn, old.number if old else NOTHING)
            if old and not changes:
                return old
            # The number is read first, so that later changes are read again next time.
            with collector_paused():
                read = _by_video(score_items(self.store, evaluation_id, changes.videos))  # empty: all videos
            if old and not changes.everything:
                changed = {video: read.get(video, []) for video in changes.videos}
                if all(old.by_video.get(video, []) == items for video, items in changed.items()):
                    old.number = changes.number
                    return old
                read = old.by_video | changed
            return self._states.keep(evaluation_id, State(read, changes.number, runs))


def _by_video(items: Iterable[Item]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        found[item.video].append(item)
    return dict(found)


def kept_items(store: Store, evaluation_id: str) -> State:
    """Return the current items and the values computed from them."""
    return store.kept(KeptItems, lambda: KeptItems(store)).state(evaluation_id)
