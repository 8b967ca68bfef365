"""A database as a whole: every row of every table, compared with another time or another workspace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import select
from typer.testing import CliRunner

from annotation.store import tables as t
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from app import cli
from tests.databases import new_workspace

CLOCKS = {"created_at", "updated_at", "seen_at", "until"}
OF_THE_UNDO = {"action", "video_change", "audit_entry", "import_part"}
"""What was decided and which videos changed only grows; who asked for what is logged."""
OF_WHO_LOOKS = {"person", "login_session", "account", "workspace"}


def tables(store: Store, *, clocks: bool = True) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    found = {}
    with store.reading() as conn:
        for table in t.metadata.sorted_tables:
            columns = [c for c in table.columns if clocks or c.name not in CLOCKS]
            rows = conn.execute(select(*columns)).all()
            found[table.name] = sorted((tuple(row) for row in rows), key=repr)
    return found


def differing(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
    """Names of the tables that are not alike."""
    return {name for name in one if one[name] != other[name]}


def records(store: Store) -> dict[str, Any]:
    """What was imported, whenever that was."""
    left = OF_THE_UNDO | OF_WHO_LOOKS
    return {name: rows for name, rows in tables(store, clocks=False).items() if name not in left}


def imported(folder: Path, *paths: Path) -> Workspace:
    """A workspace into which the command line imported the paths."""
    space = new_workspace(folder)
    done = CliRunner().invoke(cli, ["import", *map(str, paths), "--workspace", str(folder)])
    assert done.exit_code == 0, done.output
    return space
