"""`import`: imports files of all formats, and the video files that they name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from annotation.records.errors import FormatError, NeedsConsent, NotFound
from backends.errors import UsageError
from backends.text.plural import plural
from ui.commands.options import (
    DEFAULT_WORKSPACE,
    DatabaseOption,
    JsonOption,
    WorkspaceOption,
    open_or_make_workspace,
    open_workspace,
    show,
    some_path,
    some_place,
)
from ui.commands.terminal_output import say, stoppable

if TYPE_CHECKING:
    from annotation.intake.attach_videos import Attached
    from annotation.store.import_log import ImportLog
    from annotation.workspace.workspace import Workspace
    from exports.catalogue.import_found import Taken
    from exports.catalogue.sort_found_files import Contents

FIRST = 5
"""Number of videos and files that are printed; JSON lists all."""


def add_to(cli: typer.Typer) -> None:
    """Register the command."""
    cli.command("import")(import_)


def import_(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files or folders.", parser=some_path)] = None,
    workspace: WorkspaceOption = DEFAULT_WORKSPACE,
    database: DatabaseOption = None,
    format_: Annotated[str | None, typer.Option("--format", help="Format; default: detected.")] = None,
    dataset: Annotated[str | None, typer.Option(help="Name of the dataset that the files belong to.")] = None,
    aspect: Annotated[str | None, typer.Option(help="Aspect of a question file whose name lacks it.")] = None,
    videos: Annotated[
        str | None,
        typer.Option(
            help="Attach video files that are named like a video: a folder, an archive, a URL, or a .txt "
            "file of paths and URLs.",
            parser=some_place,
        ),
    ] = None,
    undo: Annotated[
        str | None, typer.Option(help="Undo an import, by the id that it prints with --json.")
    ] = None,
    yes: Annotated[
        bool, typer.Option(help="With --undo: also remove later work on the imported records.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Import captions, questions, annotations or evaluations, and attach the videos that they name."""
    if not paths and videos is None and undo is None:
        raise UsageError("give files to import, or a folder of video files with --videos")
    if videos is not None and not (_urls(videos) or Path(videos).exists()):
        raise UsageError(f"{videos}: no such file or folder; give the folder that contains the video files")
    if undo is not None:
        _take_back(open_workspace(workspace, database), undo, yes, as_json)
        return
    if format_ is not None:
        from exports.catalogue.format_registry import known_format

        known_format(format_)
    space = open_or_make_workspace(workspace, database)
    results, given = _import_all(space, paths, format_, dataset, aspect) if paths else ([], {})
    shown: Any = results[0] if len(results) == 1 else results
    found = _added(given, _attach(space, videos)) if videos is not None else given
    if found:
        shown = {**(shown if isinstance(shown, dict) else {"imports": shown}), "videos": found}
    show(shown, as_json, lambda: [*(x for r in results for x in _import_lines(r)), *_video_lines(found)])
    if found.get("failed"):
        raise typer.Exit(1)


def _import_all(
    space: Workspace, paths: list[Path], format_: str | None, dataset: str | None, aspect: str | None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the result of each import, and of the videos among the files.

    Raises FormatError if nothing can be imported.
    """
    from annotation.intake.attach_videos import Home
    from annotation.intake.files_of_one_person import passing_folder
    from annotation.records.ids import new_id
    from annotation.store.import_log import ImportLog
    from annotation.workspace.limit_settings import UNBOUNDED
    from exports.catalogue.import_found import Options, take_all
    from exports.catalogue.sort_found_files import Contents, Found, contents
    from exports.files.file_bundles import Bundle

    log = ImportLog(new_id("imp"))
    with passing_folder(space) as folder:
        if format_ is not None:
            found = Contents(tuple(Found(format_, Bundle(path, ()), str(path)) for path in paths), (), (), ())
        else:
            found = contents(paths, UNBOUNDED, folder)
        taken = take_all(
            space, found, Options(dataset, aspect), log, home=Home(space.path / "videos", folder)
        )
    return _report(taken, found, log.id)


def _report(taken: Taken, found: Contents, import_id: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the result of `_import_all`."""
    unread = [asdict(one) for one in (*taken.refused, *found.unread)]
    files = bool(found.videos or found.packed)
    if not taken.imported and not taken.videos.attached:
        if taken.errors:
            raise taken.errors[0]
        if not files:
            raise FormatError(_unread_error(unread))
    results, videos = _results(taken, import_id), _attached(taken.videos) if files else {}
    if unread and results:
        results[-1]["not_read"] = unread
    elif unread:
        videos["problems"] += unread
    return results, videos


def _unread_error(unread: list[dict[str, str]]) -> str:
    """Return the message for files of which none can be imported."""
    more = f"; {len(unread) - 1:,} more cannot be read" if len(unread) > 1 else ""
    return f"{unread[0]['where']}: {unread[0]['what']}{more}"


def _results(taken: Taken, import_id: str) -> list[dict[str, Any]]:
    return [
        {
            "from": one.found.place,
            "format": one.found.format,
            "version": one.version,
            "records": dict(one.records),
            "problems": [asdict(problem) for problem in one.problems],
            "missing": list(one.found.bundle.missing),
            "evaluations": [name for _, name in one.evaluations],
            "import": import_id,
        }
        for one in taken.imported
    ]


def _take_back(space: Workspace, import_id: str, yes: bool, as_json: bool) -> None:
    """Undo an import. Raises NeedsConsent if later work would be removed and `yes` is not set."""
    from annotation.editing.take_back_import import is_here, lost_of, take_back
    from annotation.intake.files_of_one_person import remove_files_of_none

    with space.store.writing() as conn:
        if not is_here(conn, import_id):
            raise NotFound(f"import {import_id!r} not found; import --json prints the id of an import")
        lost = lost_of(conn, import_id)
        if lost and not yes:
            words = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in lost.items())
            raise NeedsConsent(f"this also removes later work: {words}; add --yes to confirm", lost)
        take_back(conn, import_id)
    remove_files_of_none(space)
    show({"undone": import_id, "lost": lost}, as_json, lambda: [f"undone: {import_id}"])


def _urls(videos: str) -> bool:
    """Return whether `videos` is a URL, or a list of URLs and paths."""
    from annotation.intake.remote_videos import looks_remote

    return looks_remote(videos) or (videos.lower().endswith(".txt") and Path(videos).is_file())


def _attach(space: Workspace, videos: str) -> dict[str, Any]:
    """Attach video files; return the result with the id that undoes it."""
    from annotation.intake.take_videos import report_rest
    from annotation.records.ids import new_id
    from annotation.store.import_log import ImportLog

    log = ImportLog(new_id("imp"))
    found = _attach_urls(space, videos, log) if _urls(videos) else _attach_place(space, Path(videos), log)
    report_rest(space.store, found)
    return _attached(found) | ({"import": log.id} if found.attached else {})


def _added(given: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Merge the results of videos among the files and in the folder; `missing` is that of the folder."""
    both = ("attached", "unused", "left_over", "failed", "problems")
    return found | {name: given[name] + found[name] for name in both if name in given}


def _attached(found: Attached) -> dict[str, Any]:
    return {
        "attached": found.attached,
        "missing": found.missing,
        "missing_count": len(found.missing),
        "unused": found.unused,
        "left_over": [file.name for file in found.rest],
        "failed": found.failed,
        "problems": [
            *({"where": file, "what": what.removeprefix(f"{file}: ")} for file, what in found.problems),
            *({"where": one.file, "what": str(one)} for one in found.same),
            *({"where": file, "what": f"is already the file of {title!r}"} for file, title in found.again),
        ],
    }


def _attach_urls(space: Workspace, videos: str, log: ImportLog) -> Attached:
    from annotation.intake.remote_lists import attach_list, attach_place
    from annotation.intake.remote_videos import looks_remote
    from ui.commands.run_stages import fetch_bar

    with stoppable() as stop, fetch_bar(stop) as report:
        if looks_remote(videos):
            return attach_place(space, videos, report, log)
        return attach_list(space, Path(videos), report, log)


def _attach_place(space: Workspace, place: Path, log: ImportLog) -> Attached:
    """Attach files of a folder, or of an archive, from which only matching files are unpacked."""
    from annotation.intake.attach_videos import attach_archive, attach_folder

    def report(done: int, of: int) -> None:
        if done == of or done % 50 == 0:
            say(f"videos: {done} of {of}")

    with space.importing():
        if place.is_dir():
            return attach_folder(space.store, space.media, place, report, log)
        return attach_archive(space, place, report, log)


def _import_lines(result: dict[str, Any]) -> list[str]:
    counts = ", ".join(f"{n} {kind}" for kind, n in result["records"].items()) or "nothing new"
    problems = [f"  {p['where']}: {p['what']}" for p in (*result["problems"], *result.get("not_read", ()))]
    named = "".join(f"; evaluation {name!r}" for name in result["evaluations"])
    missing = [f"  {what}" for what in result["missing"]]
    what = f"{result['format']} {result['version']}: {counts}{named}"
    return [f"{result['from']}: {what}", *problems, *missing]


def _video_lines(found: dict[str, Any]) -> Iterator[str]:
    if not found:
        return
    left = found["left_over"]
    files = f", {plural(len(left), 'file')} without a matching video" if left else ""
    yield f"videos: {len(found['attached']):,} attached{files}"
    if left:
        yield f"  no matching video for {_first(left)}; to add a file as a new video: python app.py run FILE"
    for problem in found["problems"]:
        yield f"  {problem['where']}: {problem['what']}"
    missing = found["missing"]
    if missing:
        yield f"  {plural(len(missing), 'video')} without a file: {_first(missing)}"


def _first(names: list[str]) -> str:
    more = f" and {len(names) - FIRST:,} more (all with --json)" if len(names) > FIRST else ""
    return ", ".join(names[:FIRST]) + more
