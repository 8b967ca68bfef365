"""Buffer for records that are about to be stored: rows by kind, in memory or, if there are many, on disk.

A file of a million lines is read as a stream, but written kind by kind, because a table must follow the
tables that it refers to. The records are buffered here in between. The file on disk is an unnamed temporary
file.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import IO, Any

from annotation.records.record_union import Record
from annotation.store.rows import KINDS, from_row, to_row
from annotation.store.tables import TABLE_OF

BLOCK = 20_000
"""Rows of one kind that are held in memory at a time."""
Row = dict[str, Any]
Change = Callable[[type[Record], Row], "Row | None"]
"""Returns the row to write, or None to leave it out."""
_COLUMNS = {kind: tuple(sorted(column.name for column in table.columns)) for kind, table in TABLE_OF.items()}
_CELLS = {kind: itemgetter(*columns) for kind, columns in _COLUMNS.items()}


class Spool:
    """Rows by kind. Iteration yields the records, kind by kind in the order of `TABLE_OF`."""

    def __init__(self) -> None:
        self._ids: dict[type[Record], set[str]] = defaultdict(set)
        self._again: Counter[tuple[type[Record], str]] = Counter()
        self._waiting: dict[type[Record], list[Row]] = defaultdict(list)
        self._blocks: dict[type[Record], list[tuple[int, int]]] = defaultdict(list)
        self._file: IO[bytes] | None = None
        self.change: Change | None = None
        """Applied to each row when it is read."""

    @classmethod
    def of(cls, records: Iterable[Record]) -> Spool:
        """Create a spool from records. If several have the same id, the first one wins."""
        found = cls()
        for record in records:
            if record.id not in found._ids[type(record)]:
                found.add(record)
        return found

    def add(self, record: Record) -> None:
        """Add a record. If several have the same id, the last one wins."""
        kind = type(record)
        if not self.put(kind, to_row(record)):
            self._again[kind, record.id] += 1

    def put(self, kind: type[Record], row: Row) -> bool:
        """Add a row. Returns False if there already was one with this id."""
        ids, waiting = self._ids[kind], self._waiting[kind]
        new = len(ids)
        ids.add(row["id"])
        waiting.append(row)
        if len(waiting) >= BLOCK:
            self._keep(kind, waiting)
        return len(ids) > new

    def holds(self, kind: type[Record], record_id: str) -> bool:
        return record_id in self._ids[kind]

    def count(self, kind: type[Record]) -> int:
        return len(self._ids[kind])

    def counts(self) -> dict[str, int]:
        """Return the number of records by name of kind, without empty kinds."""
        return {name: len(self._ids[kind]) for name, kind in KINDS.items() if self._ids[kind]}

    def kinds(self) -> list[type[Record]]:
        """Return the kinds that have records."""
        return [kind for kind in TABLE_OF if self._ids[kind]]

    def __len__(self) -> int:
        return sum(map(len, self._ids.values()))

    def __iter__(self) -> Iterator[Record]:
        for kind in TABLE_OF:
            yield from self.of_kind(kind)

    def of_kind(self, kind: type[Record]) -> Iterator[Any]:
        """Return the records of one kind."""
        return (from_row(kind, row) for rows in self.blocks(kind) for row in rows)

    def blocks(self, kind: type[Record]) -> Iterator[list[Row]]:
        """Yield the rows of one kind in their order, in blocks."""
        earlier = Counter({i: n for (of, i), n in self._again.items() if of is kind})
        for rows in self._stored(kind):
            if earlier:
                rows = [row for row in rows if not _takes_one(earlier, row["id"])]
            if self.change:
                rows = [made for row in rows if (made := self.change(kind, row)) is not None]
            if rows:
                yield rows

    def _stored(self, kind: type[Record]) -> Iterator[list[Row]]:
        columns = _COLUMNS[kind]
        for start, length in self._blocks[kind]:
            assert self._file is not None
            self._file.seek(start)
            yield [dict(zip(columns, cells, strict=True)) for cells in json.loads(self._file.read(length))]
        yield list(self._waiting[kind])

    def _keep(self, kind: type[Record], rows: list[Row]) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile(prefix="dailies-import-")  # noqa: SIM115  # closed with this
        start = self._file.seek(0, 2)
        self._file.write(json.dumps(list(map(_CELLS[kind], rows))).encode())
        self._blocks[kind].append((start, self._file.tell() - start))
        rows.clear()


def _takes_one(left: Counter[str], record_id: str) -> bool:
    """Whether the row is one that a later row with the same id replaces; counts it off."""
    if left[record_id] < 1:
        return False
    left[record_id] -= 1
    return True
