"""SQLite databases of tests, copied from one that was made before: making the tables takes 50 ms."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import uuid
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

from annotation.store.store import Store
from annotation.workspace.workspace import Workspace

_folder = tempfile.TemporaryDirectory()


def new_store(folder: Path, name: str = "dailies", fill: Callable[[Store], Store] | None = None) -> Store:
    """A store of a workspace of its own: empty, or with what `fill` writes (once in a test run)."""
    path = folder / f"{name}.db"
    shutil.copy(_made(fill), path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE workspace SET id = ?", (f"wsp-{uuid.uuid4().hex}",))
    return Store(f"sqlite:///{path}")


def new_workspace(folder: Path) -> Workspace:
    folder.mkdir(parents=True, exist_ok=True)
    new_store(folder).close()
    return Workspace(folder)


@cache
def _made(fill: Callable[[Store], Store] | None) -> Path:
    path = Path(_folder.name) / f"{uuid.uuid4().hex}.db"
    store = Store(f"sqlite:///{path}")
    if fill:
        fill(store)
    store.close()
    return path
