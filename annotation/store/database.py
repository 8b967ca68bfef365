"""Open a database (SQLite by default, PostgreSQL by URL) and upgrade its schema."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import URL, Connection, Engine, MetaData, create_engine, event, inspect, make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError

from annotation.records.allowed_values import USUAL_OPINION_RULE
from annotation.store.tables import metadata, workspace
from backends import sqlite_file
from backends.errors import BackendUnavailable, UsageError
from backends.text.storable_text import mended_value

MIGRATIONS = Path(__file__).parent / "migrations"
log = logging.getLogger(__name__)
SERVER_FAULTS = ("08", "53", "57", "58")
"""Classes of PostgreSQL's error codes: connection, resources (also a full disk), shutdown, the system."""
WRITER_LOCK = 6_418_105_019
"""The advisory lock that every writer to PostgreSQL takes; the number is arbitrary."""


def open_engine(url: str) -> Engine:
    """Open a database and upgrade its schema to the newest.

    A SQLite file on a read-only disk is opened for reading if its schema is the newest. Raises UsageError
    for an invalid URL or a schema that is newer than this program, BackendUnavailable if the database
    cannot be used.
    """
    engine = _prepared(url)
    with _clear_errors(engine):
        try:
            _migrate(engine)
        except DatabaseError as error:
            engine.dispose()
            if sqlite_file.is_not_writable(error.orig) and (reading := _opened_for_reading(url)):
                return reading
            raise
    return engine


def open_with_tables(url: str, tables: MetaData) -> Engine:
    """Open a database and create these tables in it. Raises the errors of `open_engine`."""
    engine = _prepared(url)
    with (
        _clear_errors(engine),
        engine.connect().execution_options(writes=True) as connection,
        connection.begin(),
    ):
        tables.create_all(connection)
    return engine


def _prepared(url: str) -> Engine:
    engine = _engine(url)
    prepare = {"sqlite": sqlite_file.prepare, "postgresql": _prepare_postgresql}[engine.dialect.name]
    prepare(engine)
    return engine


def open_to_read(url: str) -> Engine:
    """Open a database for reading, with the schema that it has. The database is not changed in any way.

    JSON columns are read as stored. Raises the errors of `open_engine`, and UsageError if the database does
    not hold a workspace.
    """
    if not holds_workspace(url):
        raise UsageError(f"{database_shown(url)} does not hold a workspace; check --workspace and --database")
    return _engine_to_read(url, as_stored=True)


def _engine_to_read(url: str, *, as_stored: bool = False) -> Engine:
    """Return a read-only engine, which also works on a read-only disk.

    With `as_stored`, JSON is not repaired. Raises the errors of `open_engine`.
    """
    engine = _engine(url, to_read=True, as_stored=as_stored)
    prepare = {"sqlite": sqlite_file.prepare_for_reading, "postgresql": _prepare_postgresql}
    prepare[engine.dialect.name](engine)
    return engine


def holds_workspace(url: str) -> bool:
    """Whether the database exists and has the tables of a workspace. Nothing is created or changed.

    Raises the errors of `open_engine`.
    """
    engine = _engine_to_read(url)
    try:
        if engine.dialect.name == "sqlite" and not Path(engine.url.database or "").is_file():
            return False
        with _clear_errors(engine), engine.connect() as connection:
            return inspect(connection).has_table("video")
    finally:
        engine.dispose()


def schema_of(engine: Engine) -> str:
    """Return the revision of a database's schema.

    Raises UsageError if it is newer than this program.
    """
    with _clear_errors(engine), engine.connect() as connection:
        found = MigrationContext.configure(connection).get_current_revision() or ""
        ScriptDirectory.from_config(_config()).get_revision(found)
    return found


def newest_schema() -> str:
    """Return the revision to which `open_engine` upgrades a database."""
    return ScriptDirectory.from_config(_config()).get_current_head() or ""


@contextmanager
def _clear_errors(engine: Engine) -> Iterator[None]:
    """Turn the errors of opening a database into one-line errors. Raises the errors of `open_engine`."""
    try:
        yield
    except CommandError as error:
        raise UsageError(
            f"this database was created by a newer version of Dailies, or by one between two releases "
            f"({error}); open it with that version"
        ) from error
    except DatabaseError as error:
        raise BackendUnavailable(database_words(error, engine)) from error


def database_shown(url: str) -> str:
    """Return the URL without its password."""
    return make_url(url).render_as_string(hide_password=True)


def database_words(error: DatabaseError, engine: Engine | None = None) -> str:
    """Return why a database cannot be used and what to do, for a file or for a server."""
    if isinstance(error.orig, sqlite3.Error):
        return sqlite_file.words(error.orig, _file_of(engine) if engine else None)
    why = " ".join(str(error.orig).split())
    return f"the database server cannot be used ({why}); check --database and that the server runs"


def is_database_fault(error: DatabaseError) -> bool:
    """Whether the file, its disk or the server cannot be used. All other errors are bugs in a statement."""
    if isinstance(error.orig, sqlite3.Error):
        return sqlite_file.is_fault(error.orig)
    state = getattr(error.orig, "sqlstate", None) or ""  # without a state the connection failed
    return isinstance(error, OperationalError) and state[:2] in ("", *SERVER_FAULTS)


def _file_of(engine: Engine) -> Path | None:
    name = engine.url.database
    return Path(name) if name and name != ":memory:" else None


def _opened_for_reading(url: str) -> Engine | None:
    """Return a read-only engine for a file; None if the file does not exist or cannot be read.

    Raises UsageError if the schema is not the newest.
    """
    engine = _engine_to_read(url)
    path = _file_of(engine)
    if path is None or not path.is_file():
        return None
    try:
        if not _is_newest(engine):
            raise UsageError(
                f"{path} was created by an earlier version of Dailies and cannot be upgraded on a read-only "
                "disk; copy the workspace to a writable disk with free space, and open it there"
            )
    except DatabaseError:
        return None
    log.warning("%s: cannot write there; the workspace is open for reading only", path)
    return engine


def _engine(url: str, *, to_read: bool = False, as_stored: bool = False) -> Engine:
    """Create an engine. `to_read`: open a file read-only. `as_stored`: do not repair JSON."""
    try:
        parsed = _with_driver(make_url(url))
        lite = parsed.get_backend_name() == "sqlite"
        path, more = Path(parsed.database or ""), dict[str, Any]()
        if to_read and lite:
            more["creator"] = lambda: sqlite_file.open_to_read(path)
        read = json.loads if as_stored else _read_json
        return create_engine(
            parsed, pool_pre_ping=not lite, json_serializer=_write_json, json_deserializer=read, **more
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
    """Parse a JSON column, and repair characters that pages cannot show (other programs may write them)."""
    text = raw if isinstance(raw, str) else raw.decode()
    value = json.loads(text)
    return mended_value(value) if "\\ud" in text or "\\u0000" in text else value


def _write_json(value: Any) -> str:
    """Return the same as `json.dumps`; faster for texts and empty values, which most columns hold."""
    if type(value) is str:
        return encode_basestring_ascii(value)
    return "{}" if value == {} else "[]" if value == [] else json.dumps(value)


def _with_driver(url: URL) -> URL:
    """Return the URL with the driver that the project installs. Raises KeyError for other databases."""
    drivers = {"sqlite": url.drivername, "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
    return url.set(drivername=drivers[url.get_backend_name()])


def _prepare_postgresql(engine: Engine) -> None:
    """Allow one writer at a time, and give readers one snapshot, as SQLite does.

    Staleness is computed from several values: two concurrent writers could each miss the change of the
    other.
    """

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        if connection.get_execution_options().get("writes", False):
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITER_LOCK})")
        else:
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def _migrate(engine: Engine) -> None:
    """Run all migrations in one transaction, so that another process cannot start the same ones in between.

    If the schema is the newest, it is only read, so that opening does not wait for a long write. An empty
    database gets the declared tables; a test compares them with the result of the migrations.
    """
    if _is_newest(engine):
        return
    config = _config()
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        config.attributes["connection"] = connection
        if inspect(connection).get_table_names():
            command.upgrade(config, "head")
        else:
            _make_tables(connection)
            command.stamp(config, "head")


def _is_newest(engine: Engine) -> bool:
    with engine.connect() as reading:
        there = MigrationContext.configure(reading).get_current_revision()
    return there == newest_schema()


def _make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    row = {"id": f"wsp-{uuid.uuid4().hex}", "created_at": time.time(), "opinion_rule": USUAL_OPINION_RULE}
    connection.execute(workspace.insert().values(row))
