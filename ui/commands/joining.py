"""`join`: two records of one video made one."""

from __future__ import annotations

from typing import Annotated

import typer

from backends.errors import UsageError
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    DatabaseOption,
    JsonOption,
    WorkspaceOption,
    open_workspace,
    show,
)


def add_to(cli: typer.Typer) -> None:
    """Make the command known."""
    cli.command()(join)


def join(
    videos: Annotated[
        list[str] | None,
        typer.Argument(help="The one that stays, and the other: ids, titles, dataset names."),
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    undo: Annotated[str | None, typer.Option(help="Take it back, by the id that --json told.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Make two records of one video one: results, verdicts and people's work of both."""
    from annotation.editing import join_videos
    from annotation.editing.display_names import videos_named

    space = open_workspace(workspace, database)
    if undo is not None:
        join_videos.undo_join(space.store, undo)
        show({"undone": undo}, as_json, lambda: [f"undone: {undo}"])
        return
    chosen = [one for name in videos or () for one in videos_named(space.store, [name])]
    if len(chosen) != 2:
        raise UsageError("name two videos: the one that stays, and the other")
    made = join_videos.join(space.store, space.owner(), chosen[0].id, chosen[1].id)
    found = {"kept": made.kept.id, "title": made.kept.title, "joined": made.gone.title, "join": made.id}
    show(found, as_json, lambda: [f"{made.gone.title} is one with {made.kept.title} now"])
