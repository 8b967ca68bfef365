"""`import`: files of any format into the workspace, and the video files that they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

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
from ui.commands.terminal_output import say, stoppable

FIRST = 5
"""Missing videos that are named to people; JSON names all."""


def add_to(cli: typer.Typer) -> None:
    """Make the command known."""
    cli.command("import")(import_)


def import_(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files or folders.")] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    format_: Annotated[str | None, typer.Option("--format", help="Format; default: detected.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Name of the dataset it belongs to.")] = None,
    aspect: Annotated[str | None, typer.Option(help="Aspect of a question file whose name lacks it.")] = None,
    videos: Annotated[
        str | None,
        typer.Option(
            help="Attach video files named like an id: from a folder, the URL of one, or a .txt of URLs."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Import captions, questions, annotations or evaluations, and attach the videos that they name."""
    from exports.catalogue import registry as formats

    if not paths and videos is None:
        raise UsageError("name files to import, or a folder of video files with --videos")
    if videos is not None and not (_urls(videos) or Path(videos).is_dir()):
        raise UsageError(f"{videos}: no such folder; name the one that holds the video files")
    space = open_workspace(workspace, database)
    results: list[dict[str, Any]] = []
    for path in paths or []:
        with space.importing():
            batch = formats.read(path, space.store, format=format_, dataset=dataset, aspect=aspect)
            counts = formats.commit(space.store, batch)
        results.append(
            {
                "format": batch.format,
                "version": batch.version,
                "records": counts,
                "problems": [asdict(problem) for problem in batch.problems],
            }
        )
    _settle(space)
    shown: Any = results[0] if len(results) == 1 else results
    found = _attach(space, videos) if videos is not None else {}
    if found:
        shown = {**(shown if isinstance(shown, dict) else {"imports": shown}), "videos": found}
    show(shown, as_json, lambda: [*(x for r in results for x in _import_lines(r)), *_video_lines(found)])


def _settle(space: Any) -> None:
    """Scenes that came with times alone are put on the frames of videos that are here."""
    from annotation.pipeline.attach_videos import settle_scenes
    from annotation.stages.media_library import MediaLibrary

    media = MediaLibrary(space.media)
    try:
        settle_scenes(space.store, media)
    finally:
        media.close()


def _urls(videos: str) -> bool:
    """Whether files are to be fetched: from a URL, or from those in a list."""
    from annotation.stages.remote_videos import looks_remote

    return looks_remote(videos) or (videos.lower().endswith(".txt") and Path(videos).is_file())


def _attach(space: Any, videos: str) -> dict[str, Any]:
    found = _attach_urls(space, videos) if _urls(videos) else _attach_folder(space, Path(videos))
    problems = [{"where": file, "what": what} for file, what in found.problems]
    return asdict(found) | {"missing_count": len(found.missing), "problems": problems}


def _attach_urls(space: Any, videos: str) -> Any:
    from annotation.pipeline.remote_lists import attach_place, attach_urls, read_list
    from annotation.stages.remote_videos import looks_remote
    from ui.commands.run_stages import fetch_bar

    with stoppable() as stop, fetch_bar(stop) as tell:
        if looks_remote(videos):
            return attach_place(space, videos, tell)
        return attach_urls(space, read_list(Path(videos)), tell)


def _attach_folder(space: Any, folder: Path) -> Any:
    from annotation.pipeline.attach_videos import attach_folder

    def tell(done: int, of: int) -> None:
        if done == of or done % 50 == 0:
            say(f"videos: {done} of {of}")

    return attach_folder(space.store, space.media, folder, tell)


def _import_lines(result: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{n} {kind}" for kind, n in result["records"].items()) or "nothing new"
    problems = [f"  {p['where']}: {p['what']}" for p in result["problems"]]
    return [f"{result['format']} {result['version']}: {counts}", *problems]


def _video_lines(found: dict[str, Any]) -> Iterator[str]:
    if not found:
        return
    yield f"videos: {len(found['attached'])} attached, {found['unused']} files of no video here"
    for problem in found["problems"]:
        yield f"  {problem['where']}: {problem['what']}"
    missing = found["missing"]
    if missing:
        more = f" and {len(missing) - FIRST:,} more (all with --json)" if len(missing) > FIRST else ""
        yield f"  {len(missing):,} videos without a file: {', '.join(missing[:FIRST])}{more}"
