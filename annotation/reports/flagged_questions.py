"""Cache of the questions that the checks flag. Only changed videos are checked again."""

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
"""Checks whose findings make a question suspect, because it cannot be answered fairly."""


class Doubter:
    """A thread-safe cache of flagged questions."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._number = NOTHING
        self._ceiling = ""
        self._of: dict[str, set[str]] = {}
        self._all: frozenset[str] = frozenset()

    @property
    def ready(self) -> bool:
        """Return whether all questions were checked, so that the next call is fast."""
        return self._number != NOTHING

    def suspects(self) -> frozenset[str]:
        """Return the ids of flagged questions, using current values."""
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
            return  # return the same object, because lists are cached by it
        else:
            self._of |= {video: found.get(video, set()) for video in changes.videos}
        self._all = frozenset().union(*self._of.values())

    def _checked(self, video_ids: Collection[str]) -> dict[str, set[str]]:
        """Return flagged questions by video; of these videos, or of all."""
        found: dict[str, set[str]] = defaultdict(set)
        with collector_paused():
            for defect in lint(*from_store(self.store, video_ids)):
                if defect.check in DOUBTFUL:
                    found[defect.asked.video].add(defect.asked.id)
        return dict(found)


def suspect_questions(store: Store) -> frozenset[str]:
    """Return the ids of questions in the workspace that the checks flag."""
    return _doubter(store).suspects()


def suspects_if_known(store: Store) -> frozenset[str]:
    """Same as `suspect_questions`, but empty if the questions have not been checked yet."""
    doubter = _doubter(store)
    return doubter.suspects() if doubter.ready else frozenset()


def _doubter(store: Store) -> Doubter:
    return store.kept(Doubter, lambda: Doubter(store))
