"""Keeps the columns of the evaluations that are looked at, and renews what has changed."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from annotation.records.gc_pause import collector_paused
from annotation.records.runs import EvaluationRun
from annotation.store.cache_parts import NOTHING, Due, LastUsed, due
from annotation.store.store import Store
from annotation.store.verdicts.columns_from_sql import (
    CODED,
    Asked,
    Columns,
    VideoWords,
    Words,
    make_columns,
    read_questions,
    read_verdicts,
    read_videos,
)

T = TypeVar("T")
KEPT = 6
"""Evaluations whose columns are kept; of others the one not used for longest goes."""
REMEMBERED = 24
"""Orders, counts and the like that are remembered of one state of an evaluation."""


@dataclass(slots=True)
class Table:
    """The columns of one evaluation at one state of the store."""

    columns: Columns
    words: dict[str, Words]
    number: int
    """Of the last change that it holds."""
    remembered: LastUsed[Any, Any] = field(default_factory=lambda: LastUsed(REMEMBERED))

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.columns.of[name]

    def code(self, column: str, word: str) -> int:
        return self.words[column].find(word)

    def word(self, column: str, row: int) -> str:
        return self.words[column].names[int(self[column][row])]

    def has(self, column: str, word: str) -> NDArray[np.bool_]:
        """Which rows hold this word in a coded column."""
        found: NDArray[np.bool_] = self[column] == self.code(column, word)
        return found

    def remember(self, key: Any, make: Callable[[], T]) -> T:
        """What `make` gives, made once for this state."""
        return cast(T, self.remembered.made(key, make))

    def row_of_question(self) -> dict[str, int]:
        """Per question the row of its verdict; where it has several, that of the newest."""
        return self.remember("row_of_question", self._row_of_question)

    def _row_of_question(self) -> dict[str, int]:
        order = np.argsort(self["updated"], kind="stable")
        return dict(zip(self["question"][order], order.tolist(), strict=True))

    def row_of_verdict(self) -> dict[str, int]:
        return self.remember("row_of_verdict", lambda: {name: n for n, name in enumerate(self["verdict"])})


class VerdictIndex:
    """The tables of one store. Safe for several threads."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._making = threading.Lock()
        """Words get their numbers one thread at a time."""
        self._words = {name: Words() for name in CODED}
        self._questions: dict[str, Asked] = {}
        self._videos: dict[str, VideoWords] = {}
        self._number = NOTHING
        self._reading: dict[tuple[str, ...], threading.Lock] = defaultdict(threading.Lock)
        """One thread reads an evaluation; those who want the same wait for it."""
        self._tables: LastUsed[tuple[str, ...], Table] = LastUsed(KEPT)

    def table(self, evaluation_id: str) -> Table:
        """The evaluation's verdicts as they stand now."""
        links = self.store.find(EvaluationRun, evaluation_id=evaluation_id, role="verdicts")
        runs = tuple(sorted({link.run_id for link in links}))
        with self._reading[runs], collector_paused():
            return self._table(runs)

    def _table(self, runs: tuple[str, ...]) -> Table:
        while True:
            with self.store.reading() as conn:
                with self._lock:
                    self._renew(conn)
                    if (kept := self._tables.use(runs)) is not None:
                        return kept
                    number, about = self._number, (self._questions, self._videos)
                # Outside the lock: who looks at another evaluation need not wait for this one.
                table = self._read(conn, runs, number, *about)
            with self._lock:
                if number == self._number:
                    self._tables.keep(runs, table)

    def questions(self) -> dict[str, Asked]:
        """Every question of the workspace as it reads now. Not to be changed."""
        with self._lock, self.store.reading() as conn:
            self._renew(conn)
            return self._questions

    def _renew(self, conn: Connection) -> None:
        """Bring what is kept up to the state that `conn` sees."""
        changes = due(conn, self._number)
        if changes.everything:
            self._tables.clear()
            self._questions, self._videos = read_questions(conn), read_videos(conn)
        elif changes:
            self._questions = self._questions | read_questions(conn, changes.videos)
            self._videos = self._videos | read_videos(conn, changes.videos)
            for runs, table in self._tables.items():
                self._tables[runs] = self._mended(conn, runs, table, changes)
        self._number = max(self._number, changes.number)  # another thread may see less

    def _read(
        self,
        conn: Connection,
        runs: Sequence[str],
        number: int,
        questions: Mapping[str, Asked],
        videos: Mapping[str, VideoWords],
    ) -> Table:
        rows = read_verdicts(conn, runs) if runs else []
        with self._making:
            return Table(make_columns(rows, questions, videos, self._words), self._words, number)

    def _mended(self, conn: Connection, runs: Sequence[str], table: Table, changes: Due) -> Table:
        """Another table, with the changed videos read anew: whoever reads the old one is not disturbed."""
        rows = read_verdicts(conn, runs, changes.videos) if runs else []
        with self._making:
            fresh = make_columns(rows, self._questions, self._videos, self._words)
        codes = [self._words["video"].find(video) for video in changes.videos]
        return Table(table.columns.without(codes).with_more(fresh, self._words), self._words, changes.number)


def index_of(store: Store) -> VerdictIndex:
    """The store's own index, made on first use."""
    return store.kept(VerdictIndex, lambda: VerdictIndex(store))
