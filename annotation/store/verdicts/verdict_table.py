"""The columns of one evaluation at one state of the store, and what was computed from them.

A change of a few verdicts gives another table with the same rows in the same places. It shares the columns
in which nothing has changed, and what was computed from those. What was computed from others is brought up
to date for the rows that have changed, when it is next used.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from annotation.store.cache_parts import LastUsed
from annotation.store.verdicts.columns_from_sql import Columns, Words

T = TypeVar("T")
Rows = NDArray[np.int64]
"""Numbers of rows, ascending."""
REMEMBERED = 48
"""Orders, counts and the like that are remembered of one table."""
FEW = 8
"""One of so many rows may have changed before a value is made from scratch."""
_NONE: Rows = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A value, and how far it is behind."""

    value: Any
    of: tuple[str, ...]
    """The columns that it was made from."""
    renews: bool
    changed: Rows
    """Rows that have changed since."""


@dataclass(slots=True)
class Table:
    """Rows in the order video, aspect, index of the question, id. Not to be changed."""

    columns: Columns
    words: dict[str, Words]
    _remembered: LastUsed[Any, _Remembered] = field(default_factory=lambda: LastUsed(REMEMBERED))
    _lock: threading.Lock = field(default_factory=threading.Lock)

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

    def part(self, rows: Rows) -> Table:
        """These rows alone."""
        return Table(self.columns.at(rows), self.words)

    # --- what is remembered ---------------------------------------------------------------

    def remember(
        self,
        key: Any,
        make: Callable[[], T],
        of: Sequence[str] = (),
        renew: Callable[[T, Rows], T] | None = None,
    ) -> T:
        """What `make` gives, made once; `of` names the columns that it is made from (none: all of them).

        `renew(value, rows)` gives the value for this table from that of an earlier one, which differs in
        these rows. Without it, the value is made from scratch when one of its columns has changed.
        """
        with self._lock:
            known = self._remembered.use(key)
        if known is not None and not known.changed.size:
            return cast(T, known.value)
        value = renew(known.value, known.changed) if known is not None and renew else make()
        with self._lock:
            self._remembered.keep(key, _Remembered(value, tuple(of), renew is not None, _NONE))
        return value

    def after(self, columns: Columns, changed: Rows) -> Table:
        """The table of a later state, in which only these rows are others. It remembers what still holds."""
        later = Table(columns, self.words)
        others = {name for name, column in columns.of.items() if column is not self.columns.of[name]}
        with self._lock:
            known = list(self._remembered.items())
        for key, one in known:
            if not (others & set(one.of) if one.of else others):
                later._remembered.keep(key, one)
                continue
            rows = np.union1d(one.changed, changed)
            if one.renews and rows.size <= len(self) // FEW:
                later._remembered.keep(key, _Remembered(one.value, one.of, True, rows))
        return later

    # --- rows -----------------------------------------------------------------------------

    def rows_of_videos(self, codes: Sequence[int]) -> Rows:
        """The rows of the videos with these codes; a code without rows has none."""
        spans = self.remember("spans", self._spans, of=("video",))
        found = [np.arange(*spans[code]) for code in sorted(set(codes) & spans.keys(), key=spans.__getitem__)]
        return np.concatenate(found) if found else _NONE

    def rows_beside(self, rows: Rows) -> Rows:
        """All rows of the videos of these rows."""
        return self.rows_of_videos(np.unique(self["video"][rows]).tolist())

    def _spans(self) -> dict[int, tuple[int, int]]:
        """Per code of a video its first row, and the one after its last: they stand together."""
        video = self["video"]
        begins = np.flatnonzero(np.append(True, video[1:] != video[:-1])[: len(video)])
        spans = pairwise([*begins.tolist(), len(video)])
        return dict(zip(video[begins].tolist(), spans, strict=True))

    def row_of_question(self) -> dict[str, int]:
        """Per question the row of its verdict; where it has several, that of the newest."""
        everything = np.arange(len(self))
        return self.remember(
            "row_of_question",
            lambda: self._newest(everything),
            of=("question", "updated"),
            renew=lambda found, changed: found | self._newest(self.rows_beside(changed)),
        )

    def _newest(self, rows: Rows) -> dict[str, int]:
        """By question, of these rows."""
        order = rows[np.argsort(self["updated"][rows], kind="stable")]
        return dict(zip(self["question"][order], order.tolist(), strict=True))

    def row_of_verdict(self) -> dict[str, int]:
        return self.remember(
            "row_of_verdict", lambda: {name: n for n, name in enumerate(self["verdict"])}, of=("verdict",)
        )
