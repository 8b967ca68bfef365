"""`backup`, `restore` and `copy-database`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ui.commands.options import (
    DEFAULT_WORKSPACE,
    DatabaseOption,
    JsonOption,
    WorkspaceOption,
    show,
    some_path,
)
from ui.commands.terminal_output import counting


def add_to(cli: typer.Typer) -> None:
    """Register the three commands."""
    cli.command()(backup)
    cli.command()(restore)
    cli.command("copy-database")(copy)


def backup(
    out: Annotated[Path, typer.Argument(help="File to write, such as monday.tar.", parser=some_path)],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Back up a workspace to one file: database, settings, prompts, uploaded videos."""
    from annotation.workspace.backup import back_up

    with counting("backup") as progress:
        found = back_up(workspace, out, database, progress)
    show(found, as_json, lambda: [f"{found['file']}: {found['rows']:,} rows, {found['bytes']:,} bytes"])


def restore(
    file: Annotated[Path, typer.Argument(help="File written by backup.", parser=some_path)],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Restore a backup into a new folder and, if --database is given, an empty database."""
    from annotation.workspace.backup import restore as take

    with counting("restore") as progress:
        found = take(file, workspace, database, progress)
    show(found, as_json, lambda: [f"{found['workspace']}: {found['rows']:,} rows from {found['from']}"])


def copy(
    to: Annotated[
        str, typer.Argument(help="URL of an empty database, such as sqlite:////folder/dailies.db.")
    ],
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Copy the database into another one, from SQLite to PostgreSQL or back. The source is not changed."""
    from annotation.store.copy_database import copy_as_it_is
    from annotation.workspace.workspace import database_url, require_workspace

    require_workspace(workspace, database)
    with counting("copy-database") as progress:
        rows = copy_as_it_is(database_url(workspace, database), to, progress)
    total = sum(rows.values())
    show(
        {"rows": rows, "total": total},
        as_json,
        lambda: [
            f"{total:,} rows; continue with: python app.py serve --workspace {workspace} --database {to}"
        ],
    )
