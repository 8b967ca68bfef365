"""`join`: merges two records of one video."""

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
    """Register the command."""
    cli.command()(join)


def join(
    videos: Annotated[
        list[str] | None,
        typer.Argument(help="The video to keep, and the one to merge into it: ids, titles or dataset names."),
    ] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    undo: Annotated[
        str | None, typer.Option(help="Undo a join, by the id that it prints with --json.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Merge two records of one video, with the results, verdicts and annotations of both."""
    from annotation.editing import join_videos
    from annotation.editing.display_names import videos_named

    space = open_workspace(workspace, database)
    if undo is not None:
        join_videos.undo_join(space.store, undo)
        show({"undone": undo}, as_json, lambda: [f"undone: {undo}"])
        return
    chosen = [one for name in videos or () for one in videos_named(space.store, [name])]
    if len(chosen) != 2:
        raise UsageError("give two videos: the one to keep, and the one to merge into it")
    made = join_videos.join(space.store, space.owner(), chosen[0].id, chosen[1].id)
    found = {"kept": made.kept.id, "title": made.kept.title, "joined": made.gone.title, "join": made.id}
    show(found, as_json, lambda: [f"merged {made.gone.title} into {made.kept.title}"])
