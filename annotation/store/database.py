"""Opening a database: SQLite by default, PostgreSQL by URL; the schema is brought up to date."""

from __future__ import annotations

import json
import sqlite3
import time
import uuid
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError

from annotation.records.allowed_values import USUAL_OPINION_RULE
from annotation.records.storable_text import mended_value
from annotation.store.tables import metadata, workspace
from backends.errors import BackendUnavailable, UsageError

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_TIMEOUT_MS = 30_000
WRITER_LOCK = 6_418_105_019
"""The advisory lock of whoever writes to PostgreSQL; the number is arbitrary."""


def open_engine(url: str) -> Engine:
    """An engine whose schema is the newest.

    Raises UsageError for a URL that is none or a schema that is newer than this program,
    BackendUnavailable when nothing usable answers there.
    """
    engine = _engine(url)
    prepare = {"sqlite": _prepare_sqlite, "postgresql": _prepare_postgresql}[engine.dialect.name]
    prepare(engine)
    try:
        _migrate(engine)
    except CommandError as error:
        raise UsageError(
            f"a newer Dailies, or one between two releases, made this database ({error}); open it with that"
        ) from error
    except DatabaseError as error:
        why = " ".join(str(error.orig).split())
        raise BackendUnavailable(
            f"the database cannot be used ({why}); check --database and that its server runs"
        ) from error
    return engine


def _engine(url: str) -> Engine:
    try:
        parsed = _with_driver(make_url(url))
        pre_ping = parsed.get_backend_name() != "sqlite"
        return create_engine(
            parsed, pool_pre_ping=pre_ping, json_serializer=_write_json, json_deserializer=_read_json
        )
    except (ArgumentError, NoSuchModuleError, KeyError) as error:
        raise UsageError(
            f"not a database URL: {url!r}; try sqlite:////folder/dailies.db or "
            "postgresql://user@host/database"
        ) from error
    except ModuleNotFoundError as error:
        raise BackendUnavailable(
            f"the driver for this database is not installed ({error.name}); type: "
            "pip install -r requirements-postgres.txt"
        ) from error


def _read_json(raw: str | bytes) -> Any:
    """A JSON column. What others wrote into it and no page could show is mended."""
    text = raw if isinstance(raw, str) else raw.decode()
    value = json.loads(text)
    return mended_value(value) if "\\ud" in text or "\\u0000" in text else value


def _write_json(value: Any) -> str:
    """As `json.dumps`, quicker for what most columns hold: nothing, and texts."""
    if type(value) is str:
        return encode_basestring_ascii(value)
    return "{}" if value == {} else "[]" if value == [] else json.dumps(value)


def _with_driver(url: URL) -> URL:
    """The URL with the driver that the project installs. Raises KeyError for other databases."""
    drivers = {"sqlite": url.drivername, "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
    return url.set(drivername=drivers[url.get_backend_name()])


def _prepare_sqlite(engine: Engine) -> None:
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

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _turn_wal_on(cursor: sqlite3.Cursor) -> None:
    """SQLite waits for nobody here: of those who make a database together, some are refused at once."""
    end = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)


def _prepare_postgresql(engine: Engine) -> None:
    """One writer at a time and readers of one state, as with SQLite.

    Staleness is computed from several values: two writers who do not see each other could
    each miss the other's change.
    """

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("writes", False):
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER_LOCK})")
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _migrate(engine: Engine) -> None:
    """All steps in one transaction: between two of them nobody else may begin with the same ones.

    A schema that is the newest is only looked at: then nobody who writes for long is waited for. An empty
    database gets the tables as they are declared, which a test compares with those of the steps.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with engine.connect() as reading:
        there = MigrationContext.configure(reading).get_current_revision()
    if there == ScriptDirectory.from_config(config).get_current_head():
        return
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        if inspect(connection).get_table_names():
            command.upgrade(config, "head")
        else:
            _make_tables(connection)
            command.stamp(config, "head")


def _make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    row = {"id": f"wsp-{uuid.uuid4().hex}", "created_at": time.time(), "opinion_rule": USUAL_OPINION_RULE}
    connection.execute(workspace.insert().values(row))
