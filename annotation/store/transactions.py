"""Read transactions with one snapshot and serialized write transactions, across threads and processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from annotation.records.errors import DiskFull
from backends.errors import BackendUnavailable

T = TypeVar("T")


class _Mine(threading.local):
    """The open transactions of this thread."""

    conn: Connection | None = None
    """For writing."""
    snapshot: Connection | None = None
    found: dict[Hashable, Any]
    """Answers of the store within the snapshot."""


class Transactions:
    """Transactions on an engine from `open_engine`. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._mine = _Mine()
        self._writers = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection whose queries all see one snapshot of the database.

        Within a write transaction or a `snapshot` of this thread, yields the connection of that transaction,
        so that the data cannot change between reading and writing.
        """
        mine = self._mine.conn or self._mine.snapshot
        if mine is not None:
            yield mine
            return
        with self.engine.connect() as conn:
            yield conn

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Let everything that this thread reads within it see one snapshot of the database.

        Reading is faster: there is one transaction, and the store answers equal questions once. What the
        thread writes within it is not seen until it ends.
        """
        if self._mine.conn is not None or self._mine.snapshot is not None:
            yield
            return
        with self.engine.connect() as conn:
            self._mine.snapshot, self._mine.found = conn, {}
            try:
                yield
            finally:
                self._mine.snapshot, self._mine.found = None, {}

    def once(self, question: Hashable, ask: Callable[[], T]) -> T:
        """The answer to a question; within a snapshot it is asked once."""
        if self._mine.snapshot is None or self._mine.conn is not None:
            return ask()
        found = self._mine.found
        if question not in found:
            found[question] = ask()
        return cast(T, found[question])

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a write transaction that is committed at the end and rolled back on an exception.

        Only one is open at a time across all threads and processes. Within another one of this thread it
        becomes a part of it. Raises BackendUnavailable if another writer holds the lock for too long.
        """
        if self._mine.conn is not None:
            with self._mine.conn.begin_nested():
                yield self._mine.conn
            return
        # Waiting writers must not hold a connection, or readers could run out of connections.
        with self._writers, _begun(self.engine) as conn:
            self._mine.conn = conn
            try:
                yield conn
            finally:
                self._mine.conn = None


@contextmanager
def _begun(engine: Engine) -> Iterator[Connection]:
    with engine.connect().execution_options(writes=True) as conn:
        try:
            transaction = conn.begin()
        except OperationalError as error:
            if full := DiskFull.of(error):
                raise full from error
            if "locked" not in str(error.orig):
                raise
            raise BackendUnavailable(
                "another writer holds the database (an import, a copy); nothing was saved, "
                "try again in a minute"
            ) from error
        try:
            with transaction:
                yield conn
        except OperationalError as error:
            if full := DiskFull.of(error):
                raise full from error
            raise
