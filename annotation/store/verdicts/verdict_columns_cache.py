"""Cache of the columns of the evaluations in use. Only changed videos are read again."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection

from annotation.records.gc_pause import collector_paused
from annotation.records.runs import EvaluationRun
from annotation.store import changed_videos
from annotation.store.cache_parts import NOTHING, Due, LastUsed, due
from annotation.store.store import Store
from annotation.store.verdicts.columns_from_sql import (
    CODED,
    Asked,
    VideoWords,
    Words,
    make_columns,
    read_questions,
    read_verdicts,
    read_verdicts_of_videos,
    read_videos,
)
from annotation.store.verdicts.verdict_table import Table

KEPT = 6
"""Number of evaluations in the cache. The least recently used one is dropped."""


class VerdictIndex:
    """The tables of one store. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._making = threading.Lock()
        """Only one thread at a time assigns codes to words."""
        self._words = {name: Words() for name in CODED}
        self._questions: dict[str, Asked] = {}
        self._videos: dict[str, VideoWords] = {}
        self._number = NOTHING
        self._reading: dict[tuple[str, ...], threading.Lock] = defaultdict(threading.Lock)
        """One thread reads an evaluation; the others that need the same one wait."""
        self._tables: LastUsed[tuple[str, ...], Table] = LastUsed(KEPT)

    def table(self, evaluation_id: str) -> Table:
        """Return the current verdicts of an evaluation."""
        links = self.store.find(EvaluationRun, evaluation_id=evaluation_id, role="verdicts")
        runs = tuple(sorted({link.run_id for link in links}))
        with self._reading[runs], collector_paused():
            return self._table(runs)

    def _table(self, runs: tuple[str, ...]) -> Table:
        with self.store.reading() as conn:
            with self._lock:
                self._renew(conn)
                if (kept := self._tables.use(runs)) is not None:
                    return kept
                number, about = self._number, (self._questions, self._videos)
            # Outside the lock, so that other evaluations are not blocked.
            table = self._read(conn, runs, *about)
        with self._lock, self.store.reading() as conn:
            self._renew(conn)
            # If people save often, videos have changed in the meantime; only those are read again.
            if changed := changed_videos.since(conn, number):
                rows = read_verdicts_of_videos(conn, changed)
                table = self._mended(runs, table, rows, changed)
            return self._tables.keep(runs, table)

    def _renew(self, conn: Connection) -> None:
        """Update the cache to the state that `conn` sees."""
        changes = due(conn, self._number)
        if changes.everything:
            self._tables.clear()
            self._questions, self._videos = read_questions(conn), read_videos(conn)
        elif changes:
            self._follow(conn, changes)
        self._number = max(self._number, changes.number)  # another thread may see an older state

    def _follow(self, conn: Connection, changes: Due) -> None:
        """Read the changed videos. Cached objects are replaced, not changed: other threads may use them."""
        changed = set(changes.videos)
        asked, about = read_questions(conn, changed), read_videos(conn, changed)
        if any(self._questions.get(key) != one for key, one in asked.items()):
            self._questions = self._questions | asked
        if any(self._videos.get(key) != one for key, one in about.items()):
            self._videos = self._videos | about
        rows = read_verdicts_of_videos(conn, changed)
        for runs, table in self._tables.items():
            self._tables[runs] = self._mended(runs, table, rows, changes.videos)

    def _read(
        self,
        conn: Connection,
        runs: Sequence[str],
        questions: Mapping[str, Asked],
        videos: Mapping[str, VideoWords],
    ) -> Table:
        rows = read_verdicts(conn, runs) if runs else []
        with self._making:
            return Table(make_columns(rows, questions, videos, self._words), self._words)

    def _mended(
        self, runs: Sequence[str], table: Table, rows: Mapping[str, Sequence[Any]], videos: Sequence[str]
    ) -> Table:
        """Return the table with the current rows of these videos. `rows`: their verdicts by run."""
        mine = [row for run in runs for row in rows.get(run, ())]
        with self._making:
            fresh = make_columns(mine, self._questions, self._videos, self._words)
        places = table.rows_of_videos([self._words["video"].find(video) for video in videos])
        if np.array_equal(table["verdict"][places], fresh.of["verdict"]):
            return table.after(*table.columns.with_values(places, fresh))
        # Rows were added or removed, so that others have moved.
        kept = np.ones(len(table), bool)
        kept[places] = False
        return Table(table.columns.at(kept).with_more(fresh, self._words), self._words)


def index_of(store: Store) -> VerdictIndex:
    """Return the index of a store, created on first use."""
    return store.kept(VerdictIndex, lambda: VerdictIndex(store))
