"""Read transactions with one snapshot and serialized write transactions, across threads and processes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from annotation.records.errors import DiskFull
from backends.errors import BackendUnavailable


class _Mine(threading.local):
    """The open write transaction of this thread."""

    conn: Connection | None = None


class Transactions:
    """Transactions on an engine from `open_engine`. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._mine = _Mine()
        self._writers = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Yield a connection whose queries all see one snapshot of the database.

        Within a write transaction of this thread, yields the connection of that transaction, so that the
        data cannot change between reading and writing.
        """
        if self._mine.conn is not None:
            yield self._mine.conn
            return
        with self.engine.connect() as conn:
            yield conn

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
