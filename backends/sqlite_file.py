"""A SQLite file: how its connections are set up, and how it is read on a disk that cannot be written."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

BUSY_TIMEOUT_MS = 30_000
NOT_WRITABLE = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_PERM", "SQLITE_FULL", "SQLITE_IOERR_SHM")
"""How errors begin of a file that may be read all the same: the files beside it cannot be made."""
FAULTS = (
    *NOT_WRITABLE,
    *("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_IOERR", "SQLITE_NOTADB", "SQLITE_CORRUPT"),
)
"""How errors begin that are about the file or its disk, and not about a statement."""


def prepare(engine: Engine) -> None:
    """WAL, foreign keys, and our own BEGIN: the driver's late one lets two writers collide."""

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
    """For connections of `open_to_read`."""

    @event.listens_for(engine, "connect")
    def _connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None

    _begin_by_ourselves(engine)


def open_to_read(path: Path) -> sqlite3.Connection:
    """A connection that changes nothing, also where nothing can be written. Raises sqlite3.Error."""
    connection = _connection(path, "mode=ro")
    try:
        connection.execute("PRAGMA schema_version")  # what cannot be opened is noticed by the first read
    except sqlite3.Error as error:
        connection.close()
        if is_not_writable(error):
            return _open_without_files_beside(path)
        raise
    return connection


def _open_without_files_beside(path: Path) -> sqlite3.Connection:
    """SQLite's own way needs two files beside a database, and they cannot be made here.

    What still stands in the log beside it is read too. Nothing is locked: a process that can write would have
    made those files, and then they are used.
    """
    logged = path.with_name(f"{path.name}-wal")
    in_log = logged.exists() and logged.stat().st_size > 0
    how = "mode=ro&vfs=unix-none" if in_log else "immutable=1"
    connection = _connection(path, how)
    if in_log:
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")  # the index of the log is kept in memory then
    return connection


def _connection(path: Path, how: str) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}",
        uri=True,
        timeout=BUSY_TIMEOUT_MS / 1000,
        check_same_thread=False,
    )


def is_fault(error: BaseException | None) -> bool:
    """Whether an error of SQLite is about the file or its disk; else a statement is wrong."""
    return _name(error).startswith(FAULTS)


def is_not_writable(error: BaseException | None) -> bool:
    """Whether an error of SQLite means that nothing can be written there."""
    return _name(error).startswith(NOT_WRITABLE)


def _name(error: BaseException | None) -> str:
    return getattr(error, "sqlite_errorname", "")


def words(error: sqlite3.Error, path: Path | None = None) -> str:
    """Why a database file cannot be used, and what to do."""
    why, name = " ".join(str(error).split()), _name(error)
    if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
        do = "restore a backup, or name another file"
    elif name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        do = "another process writes into it for long; try again in a minute"
    elif is_not_writable(error):
        do = "check that its folder exists, who may write there, and that its disk has room"
    else:
        do = "check its disk"
    file = f"the database file {path}" if path else "the database file"
    return f"{file} cannot be used ({why}); {do}"


def _begin_by_ourselves(engine: Engine) -> None:
    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _turn_wal_on(cursor: sqlite3.Cursor) -> None:
    """SQLite does not wait here: of those who make a database together, some are refused at once."""
    end = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)
