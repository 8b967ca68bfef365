"""Set up connections to a SQLite file, and read one on a read-only disk."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

BUSY_TIMEOUT_MS = 30_000
NOT_WRITABLE = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR_SHM")
"""Prefixes of error names when SQLite cannot create its files beside the database; reading may still work."""
FAULTS = (
    *NOT_WRITABLE,
    *("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_NOTADB", "SQLITE_CORRUPT"),
)
"""Prefixes of error names that concern the file or its disk, not a statement."""


def prepare(engine: Engine) -> None:
    """Turn on WAL and foreign keys, and send BEGIN early: the driver's late BEGIN lets writers collide."""

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
        _turn_wal_on(cursor)
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    _begin_by_ourselves(engine)


def prepare_for_reading(engine: Engine) -> None:
    """Set up an engine whose connections come from `open_to_read`."""

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None

    _begin_by_ourselves(engine)


def open_to_read(path: Path) -> sqlite3.Connection:
    """Return a read-only connection; also works on a read-only disk. Raises sqlite3.Error."""
    connection = _connection(path, "mode=ro")
    try:
        connection.execute("PRAGMA schema_version")  # opening is lazy: the first read reports its errors
    except sqlite3.Error as error:
        connection.close()
        if is_not_writable(error):
            return _open_without_files_beside(path)
        raise
    return connection


def _open_without_files_beside(path: Path) -> sqlite3.Connection:
    """Open a database whose WAL files cannot be created, including changes in an existing log.

    The connection takes no locks. That is safe: a process with write access would have created the WAL files,
    and then the ordinary way of opening works.
    """
    logged = path.with_name(f"{path.name}-wal")
    in_log = logged.exists() and logged.stat().st_size > 0
    how = "mode=ro&vfs=unix-none" if in_log else "immutable=1"
    connection = _connection(path, how)
    if in_log:
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")  # keeps the WAL index in memory
    return connection


def _connection(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        timeout=BUSY_TIMEOUT_MS / 1000,
        check_same_thread=False,
    )


def is_fault(error: BaseException | None) -> bool:
    """Return whether a SQLite error concerns the file or its disk, rather than a statement."""
    return _name(error).startswith(FAULTS)


def is_not_writable(error: BaseException | None) -> bool:
    """Return whether a SQLite error means that the location is not writable."""
    return _name(error).startswith(NOT_WRITABLE)


def _name(error: BaseException | None) -> str:
    return getattr(error, "sqlite_errorname", "")


def words(error: sqlite3.Error, path: Path | None = None) -> str:
    """Describe why a database file cannot be used, and what to do."""
    why, name = " ".join(str(error).split()), _name(error)
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        do = "restore a backup, or name another file"
    elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        do = "another process is writing to it; try again in a minute"
    elif is_not_writable(error):
        do = "check that its folder exists and is writable, and that the disk is not full"
    else:
        do = "check the disk for errors"
    file = f"the database file {path}" if path else "the database file"
    return f"{file} cannot be used ({why}); {do}"


def _begin_by_ourselves(engine: Engine) -> None:
    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _turn_wal_on(cursor: sqlite3.Cursor) -> None:
    """Turn on WAL with retries: SQLite ignores its busy timeout here if several processes create the file."""
    end = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)
