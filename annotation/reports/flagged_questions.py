"""Which questions the checks flag, kept in memory; only those of changed videos are checked again."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Collection
from typing import get_args

from annotation.checks.question_checks import Check, lint
from annotation.records.gc_pause import collector_paused
from annotation.reports.workspace_questions import from_store
from annotation.store.cache_parts import NOTHING, Due, due
from annotation.store.find_ceiling_evaluations import counting_ceiling
from annotation.store.store import Store

DOUBTFUL: frozenset[Check] = frozenset(get_args(Check)) - {"stray_quote", "duplicate_question"}
"""Checks whose findings make a question suspect: it cannot be answered fairly as it stands."""


class Doubter:
    """Safe for several threads."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._number = NOTHING
        self._ceiling = ""
        self._of: dict[str, set[str]] = {}
        self._all: frozenset[str] = frozenset()

    @property
    def ready(self) -> bool:
        """Whether everything was checked once, so that asking again takes no time."""
        return self._number != NOTHING

    def suspects(self) -> frozenset[str]:
        """Ids of the questions, as everything reads now."""
        with self._lock:
            ceiling = counting_ceiling(self.store)
            name = ceiling.id if ceiling else ""
            with self.store.reading() as conn:
                changes = due(conn, self._number if name == self._ceiling else NOTHING)
            if changes:
                self._follow(changes)
            self._number, self._ceiling = changes.number, name
            return self._all

    def _follow(self, changes: Due) -> None:
        found = self._checked(changes.videos)
        if changes.everything:
            self._of = found
        elif all(self._of.get(video, set()) == found.get(video, set()) for video in changes.videos):
            return  # the same set of all: lists are remembered by it
        else:
            self._of |= {video: found.get(video, set()) for video in changes.videos}
        self._all = frozenset().union(*self._of.values())

    def _checked(self, video_ids: Collection[str]) -> dict[str, set[str]]:
        """By video the questions that are flagged; of these videos, or of all."""
        found: dict[str, set[str]] = defaultdict(set)
        with collector_paused():
            for defect in lint(*from_store(self.store, video_ids)):
                if defect.check in DOUBTFUL:
                    found[defect.asked.video].add(defect.asked.id)
        return dict(found)


def suspect_questions(store: Store) -> frozenset[str]:
    """Ids of the workspace's questions that the checks flag."""
    return _doubter(store).suspects()


def suspects_if_known(store: Store) -> frozenset[str]:
    """As `suspect_questions`, but nothing while they would have to be looked for first."""
    doubter = _doubter(store)
    return doubter.suspects() if doubter.ready else frozenset()


def _doubter(store: Store) -> Doubter:
    return store.kept(Doubter, lambda: Doubter(store))
