"""Reading one state of a database, and writing one after the other, over threads and processes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from annotation.records.errors import DiskFull
from backends.errors import BackendUnavailable


class _Mine(threading.local):
    """The write transaction that this thread is in."""

    conn: Connection | None = None


class Transactions:
    """Those of one engine, as `open_engine` gives it. Thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._mine = _Mine()
        self._writers = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection whose queries all see one state of the database.

        Inside a write transaction of this thread it is that one: what is looked at there still holds
        when it is acted on, in whichever thread or process others write.
        """
        if self._mine.conn is not None:
            yield self._mine.conn
            return
        with self.engine.connect() as conn:
            yield conn

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction: committed at the end, rolled back by an exception.

        One at a time over all threads and processes. Inside another of this thread it is a part of that
        one. Raises BackendUnavailable when somebody else writes for longer than anybody waits.
        """
        if self._mine.conn is not None:
            with self._mine.conn.begin_nested():
                yield self._mine.conn
            return
        # Those who wait their turn hold no connection: whoever only reads would find none left.
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
                "somebody else writes into the database for long (an import, a copy); nothing was saved, "
                "try again in a minute"
            ) from error
        try:
            with transaction:
                yield conn
        except OperationalError as error:
            if full := DiskFull.of(error):
                raise full from error
            raise
