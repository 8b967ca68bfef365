"""A real PostgreSQL server for tests: started in a temporary folder, reached by a Unix socket, removed.

It uses the server programs of the system. PostgreSQL refuses to run as root, so root starts it
as the user `postgres` that Debian's package makes, or as `nobody`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy

DEBIAN = Path("/usr/lib/postgresql")
SETTINGS = "listen_addresses='' fsync=off synchronous_commit=off full_page_writes=off max_connections=200"


def programs() -> Path | None:
    """The folder with `initdb` and `pg_ctl`: PG_BIN, Debian's newest, or the one on PATH."""
    if given := os.environ.get("PG_BIN"):
        return Path(given)
    debian = sorted(DEBIAN.glob("*/bin/initdb"), key=lambda file: int(file.parts[-3]))
    found = debian[-1] if debian else shutil.which("initdb")
    return Path(found).parent if found else None


def _user() -> str | None:
    """Whom to run the server as; None for "as I am"."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@contextmanager
def running_server() -> Iterator[str]:
    """The URL of a fresh server, without a database name; skips where PostgreSQL is not installed."""
    folder = programs()
    if folder is None:
        pytest.skip("no PostgreSQL; install it (Debian: apt install postgresql) or set PG_BIN")
    pytest.importorskip("psycopg", reason="pip install -r requirements-postgres.txt")
    user = _user()
    home = Path(tempfile.mkdtemp(prefix="dailies-pg-"))
    if user:
        shutil.chown(home, user)

    def call(program: str, *arguments: str) -> None:
        done = subprocess.run(
            [folder / program, *arguments],
            cwd=home,
            user=user,
            stdin=subprocess.DEVNULL,
            stdout=(home / "log").open("a"),
            stderr=subprocess.STDOUT,
            timeout=120,
        )
        assert done.returncode == 0, (home / "log").read_text()

    options = " ".join(f"-c {setting}" for setting in [f"unix_socket_directories={home}", *SETTINGS.split()])
    try:
        call("initdb", "-D", str(home / "data"), "-U", "dailies", "-A", "trust", "-E", "UTF8", "--no-sync")
        call("pg_ctl", "-D", str(home / "data"), "-w", "-o", options, "start")
        try:
            yield f"postgresql://dailies@/{{database}}?host={home}"
        finally:
            call("pg_ctl", "-D", str(home / "data"), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def new_database(server: str, name: str) -> Iterator[str]:
    """The URL of a fresh database, as a person would type it after `--database`."""
    admin = server.format(database="postgres").replace("postgresql:", "postgresql+psycopg:")
    engine = sqlalchemy.create_engine(admin, isolation_level="AUTOCOMMIT")
    with engine.connect() as conn:
        conn.exec_driver_sql(f'CREATE DATABASE "{name}"')
        yield server.format(database=name)
        conn.exec_driver_sql(f'DROP DATABASE "{name}" WITH (FORCE)')
    engine.dispose()
