"""The columns of one evaluation at one state of the store, and the values computed from them.

Changing a few verdicts creates a new table with the same rows in the same order. It shares the unchanged
columns and the values computed from them. Other computed values are updated for the changed rows when they
are next used.
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
"""Row numbers, ascending."""
REMEMBERED = 48
"""Number of computed values (orders, counts) that are cached per table."""
FEW = 8
"""If more than one row in `FEW` has changed, a value is computed from scratch."""
_NONE: Rows = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A cached value, and the rows that have changed since it was computed."""

    value: Any
    of: tuple[str, ...]
    """The columns that it was computed from; empty for all."""
    renews: bool
    changed: Rows
    """The rows that have changed since."""


@dataclass(slots=True)
class Table:
    """Rows sorted by video, aspect, index of the question, id. Treat it as immutable."""

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
        """Return the rows with this word in a coded column, as a mask."""
        found: NDArray[np.bool_] = self[column] == self.code(column, word)
        return found

    def part(self, rows: Rows) -> Table:
        """Return a table of these rows."""
        return Table(self.columns.at(rows), self.words)

    # --- cached values --------------------------------------------------------------------

    def remember(
        self,
        key: Any,
        make: Callable[[], T],
        of: Sequence[str] = (),
        renew: Callable[[T, Rows], T] | None = None,
    ) -> T:
        """Return the value of `make`, which is called once. `of`: the columns it uses (empty: all).

        `renew(value, rows)` returns the value for this table, given the value for an earlier table that
        differs in these rows. Without `renew`, the value is computed again when one of its columns changes.
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
        """Return the table of a later state that differs in these rows. Cached values that hold are kept."""
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
        """Return the rows of the videos with these codes."""
        spans = self.remember("spans", self._spans, of=("video",))
        found = [np.arange(*spans[code]) for code in sorted(set(codes) & spans.keys(), key=spans.__getitem__)]
        return np.concatenate(found) if found else _NONE

    def rows_beside(self, rows: Rows) -> Rows:
        """Return all rows of the videos to which these rows belong."""
        return self.rows_of_videos(np.unique(self["video"][rows]).tolist())

    def _spans(self) -> dict[int, tuple[int, int]]:
        """Return `{code of video: (first row, row after the last)}`. Rows of a video are adjacent."""
        video = self["video"]
        begins = np.flatnonzero(np.append(True, video[1:] != video[:-1])[: len(video)])
        spans = pairwise([*begins.tolist(), len(video)])
        return dict(zip(video[begins].tolist(), spans, strict=True))

    def row_of_question(self) -> dict[str, int]:
        """Return the row of each question's verdict, the newest if there are several."""
        everything = np.arange(len(self))
        return self.remember(
            "row_of_question",
            lambda: self._newest(everything),
            of=("question", "updated"),
            renew=lambda found, changed: found | self._newest(self.rows_beside(changed)),
        )

    def _newest(self, rows: Rows) -> dict[str, int]:
        """Return the newest of these rows by question."""
        order = rows[np.argsort(self["updated"][rows], kind="stable")]
        return dict(zip(self["question"][order], order.tolist(), strict=True))

    def row_of_verdict(self) -> dict[str, int]:
        return self.remember(
            "row_of_verdict", lambda: {name: n for n, name in enumerate(self["verdict"])}, of=("verdict",)
        )
