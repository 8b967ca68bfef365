"""Uploading files to import: with a preview first, as the page does with dropped files, or at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from annotation.editing.decision_log import Change
from annotation.editing.take_back_import import is_here, take_back
from annotation.editing.undo_and_redo import record
from annotation.intake.attach_videos import Home
from annotation.intake.files_of_one_person import Incoming, ReadSoFar, passing_folder
from annotation.intake.match_files import fitting
from annotation.people.permissions import require
from annotation.pipeline.stage_registry import chosen_stages
from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.records.ids import new_id
from annotation.records.videos import FOLDER, Video
from annotation.store.import_log import ImportLog
from backends.errors import MediaError
from exports.catalogue.import_found import Imported, Options, Preview, Taken, in_order, preview, take_all
from exports.catalogue.sort_found_files import Contents, contents
from exports.files.format_types import Problem
from exports.files.reading_progress import Progress, followed
from exports.sample import import_sample
from ui.api.api_wire_types import (
    FilesTaken,
    FileTaken,
    HeapImported,
    HeapPreview,
    HeapProgress,
    HeapTaken,
    HeapThing,
    HeapVideos,
    SampleTaken,
)
from ui.pages.library.video_list import job_json
from ui.requests.dependencies import Parts, PartsOf, Who
from ui.requests.request_size_limits import take_files

router = APIRouter(prefix="/api")

PROGRESS_S = 0.2
"""Interval at which the reading progress is saved, in seconds."""
SHOWN = 200
"""Most names and problems of one kind that a page lists; the total is always given."""


class ImportBody(BaseModel):
    leave: list[str] = []
    """Ids of what is not to be imported."""
    names: dict[str, str] = {}
    """Names for evaluations, by id."""
    add_rest: bool = False
    """Whether files that match no waiting video become new videos."""
    by_hand: dict[str, str] = {}
    """Manual matches: by a file's place, the id of the waiting video, or its name in the imported files."""


@router.post("/incoming")
def begin(parts: PartsOf, who: Who) -> HeapTaken:
    """Create an empty heap for files."""
    require(who, "add")
    return {"id": Incoming.new(parts.workspace, who.id).id}


@router.post("/incoming/{heap_id}/files")
async def add(heap_id: str, request: Request, parts: PartsOf, who: Who) -> HeapTaken:
    """Add files to the heap, in the form field `files`; each with its path in the dropped folder."""
    require(who, "add")
    heap = Incoming(parts.workspace, heap_id, who.id)
    await take_files(request, heap.files, parts.workspace.limits, keep_folders=True)
    await run_in_threadpool(heap.check)
    return {"id": heap.id}


@router.get("/incoming/{heap_id}")
def look(heap_id: str, parts: PartsOf, who: Who) -> HeapPreview:
    """Preview: what the files are and what they would import. Writes nothing."""
    require(who, "add")
    heap = Incoming(parts.workspace, heap_id, who.id)
    found = contents([heap.files], parts.workspace.limits, heap.unpacked, heap.files)
    with _progress(heap, found):
        seen = [preview(parts.store, one) for one in in_order(found.found)]
    return {
        "id": heap.id,
        "things": [_thing(one, heap.files) for one in seen],
        "videos": _videos(parts, found, seen, heap.files),
        "unread": found.unread[:SHOWN],
        "unread_count": len(found.unread),
    }


@router.get("/incoming/{heap_id}/progress")
def progress(heap_id: str, parts: PartsOf, who: Who) -> HeapProgress:
    """How far reading the files has come, during the preview or the import; files that are gone are read."""
    require(who, "add")
    try:
        found = Incoming(parts.workspace, heap_id, who.id).progress()
    except NotFound:  # it has just been imported or canceled: who follows it asks once more
        found = ReadSoFar("", 1.0, 0)
    return {"file": found.file, "share": found.share, "records": found.records}


@contextmanager
def _progress(heap: Incoming, found: Contents) -> Iterator[None]:
    """While the files are read, save the progress with the heap."""
    files = {file for one in found.found for file in one.bundle.files}
    whole = sum(file.stat().st_size for file in files if file.is_file()) or 1
    kept_at = 0.0

    def save_progress(now: Progress) -> None:
        nonlocal kept_at
        if (at := time.monotonic()) - kept_at >= PROGRESS_S:
            kept_at = at
            heap.note_progress(ReadSoFar(now.file, min(1.0, now.size / whole), now.records))

    with followed(save_progress):
        yield


@router.post("/incoming/{heap_id}/import")
def write(heap_id: str, body: ImportBody, parts: PartsOf, who: Who) -> HeapImported:
    """Import the heap as one decision that can be undone."""
    require(who, "add")
    heap = Incoming(parts.workspace, heap_id, who.id)
    found = contents([heap.files], parts.workspace.limits, heap.unpacked, heap.files)
    log = ImportLog(new_id("imp"))
    places = _places(found, heap.files)
    try:
        with _progress(heap, found):
            taken = take_all(
                parts.workspace,
                found,
                Options(names=body.names),
                log,
                leave=body.leave,
                add_rest=body.add_rest,
                by_hand={file: body.by_hand[key] for key, file in places.items() if key in body.by_hand},
                home=Home(parts.workspace.path / "videos", heap.home),
            )
    except MediaError:  # the choice is no longer valid: nothing is written, and the person chooses again
        with parts.store.writing() as conn:
            take_back(conn, log.id)
        raise
    files = files_taken(taken, found, heap.files)
    wrote = _decided(parts, who, log, taken)
    heap.remove()
    return {
        "files": files,
        "evaluations": [name for one in taken.imported for _, name in one.evaluations],
        "added": [video.id for video in taken.videos.added],
        "attached": len(taken.videos.attached),
        "missing": len(taken.videos.missing),
        "undo": log.id if wrote else "",
    }


@router.delete("/incoming/{heap_id}")
def forget(heap_id: str, parts: PartsOf, who: Who) -> HeapTaken:
    """Delete the files."""
    require(who, "add")
    Incoming(parts.workspace, heap_id, who.id).remove()
    return {"id": heap_id}


@router.post("/files")
async def upload(request: Request, parts: PartsOf, who: Who, run: bool = True) -> FilesTaken:
    """Add videos (and run them); import other files by their format. The form field is `files`.

    Files that belong together are one import. Unreadable files have the reason under `error`; the others are
    imported.
    """
    require(who, "add")
    with passing_folder(parts.workspace) as folder:
        heap = folder / "files"
        heap.mkdir()
        await take_files(request, heap, parts.workspace.limits, keep_folders=True)
        return await run_in_threadpool(take_at_once, parts, who, folder, run)


@router.post("/sample")
def sample(parts: PartsOf, who: Who) -> SampleTaken:
    """Add the sample's clip and annotations as one decision that can be undone."""
    require(who, "add")
    log = ImportLog(new_id("imp"))
    video = import_sample(parts.workspace, log)
    with parts.store.reading() as conn:
        wrote = is_here(conn, log.id)
    if wrote:
        record(parts.store, who, None, "loaded the sample", [Change("import", (log.id,), False, True)])
    return {"video": video.id}


def take_at_once(parts: Parts, who: Person, folder: Path, run: bool) -> FilesTaken:
    """Import everything in `folder/files` as one decision that can be undone."""
    heap, unpacked, log = folder / "files", folder / "unpacked", ImportLog(new_id("imp"))
    unpacked.mkdir()
    found = contents([heap], parts.workspace.limits, unpacked, heap)
    home = Home(parts.workspace.path / "videos", folder)
    taken = take_all(parts.workspace, found, Options(), log, home=home, add_rest=True)
    _decided(parts, who, log, taken)
    job = parts.jobs.start(taken.videos.added, chosen_stages(None)) if taken.videos.added and run else None
    return {"files": files_taken(taken, found, heap), "job": job_json(job) if job else None}


def _decided(parts: Parts, who: Person, log: ImportLog, taken: Taken) -> bool:
    """Record the import as one decision. Returns whether anything was written that can be undone."""
    names = [name for one in taken.imported for _, name in one.evaluations]
    what = ", ".join(names) or ", ".join(dict.fromkeys(one.found.format for one in taken.imported))
    count = len(taken.videos.added) + len(taken.videos.attached)
    more = f"{count} video{'s' if count > 1 else ''}" if count else ""
    words = f"imported {' and '.join(part for part in (what, more) if part)}"
    with parts.store.reading() as conn:
        wrote = is_here(conn, log.id)
    if wrote:
        record(parts.store, who, None, words[:300], [Change("import", (log.id,), False, True)])
    return wrote


# --- responses --------------------------------------------------------------------------


def _thing(one: Preview, root: Path) -> HeapThing:
    return {
        "id": one.found.id,
        "format": one.found.format,
        "what": one.what,
        "name": one.found.place,
        "files": [_place(file, root) for file in one.found.bundle.files][:SHOWN],
        "benchmarks": list(one.benchmarks),
        "evaluations": [
            {"id": key, "name": name, "known": name in one.known} for key, name in one.evaluations
        ],
        "models": dict(one.models),
        "counts": dict(one.counts),
        "new": dict(one.new),
        "problems": one.problems[:SHOWN],
        "problem_count": len(one.problems),
        "missing": list(one.missing),
        "error": one.error,
    }


def _places(found: Contents, root: Path) -> dict[str, Path]:
    """The videos among the files, by their place in the heap."""
    files = [*found.videos, *(one.place for one in found.packed)]
    return {_place(file, root): file for file in files}


def _videos(parts: Parts, found: Contents, seen: list[Preview], root: Path) -> HeapVideos:
    files = list(_places(found, root).values())
    names = {name for one in seen for name in one.ids}
    fits = fitting(parts.store, files, names)
    chosen, rest = fits.chosen, fits.rest
    return {
        "files": len(files),
        "fit": len(chosen),
        "fitting": [{"file": file.name, "title": title} for title, file in list(chosen.items())[:SHOWN]],
        "rest": [{"file": file.name, "place": _place(file, root)} for file in rest[:SHOWN]],
        "rest_count": len(rest),
        "again": [
            {"file": file.name, "place": _place(file, root), "title": title}
            for file, title in fits.again.items()
        ],
        "unclear": [Problem(*one) for one in fits.unclear[:SHOWN]],
        "without": len(fits.waiting),
        "waiting": [{"id": key, "title": title} for key, title in list(fits.waiting.items())[:SHOWN]],
        "add_rest": bool(rest) and not chosen and not found.found,
    }


def _place(file: Path, root: Path) -> str:
    return str(file.relative_to(root)) if file.is_relative_to(root) else file.name


def files_taken(taken: Taken, found: Contents, root: Path) -> list[FileTaken]:
    """The results by video file and by imported set of files."""
    lines: list[FileTaken] = [_imported(one) for one in taken.imported]
    refused = [*taken.refused, *found.unread, *(Problem(*one) for one in taken.videos.problems)]
    lines += [{"file": _name(one.where, root), "error": _whole(one)} for one in refused]
    lines += [{"file": file.name, "error": "no video has this name"} for file in taken.videos.rest]
    lines += [
        {
            "file": f"{one.file}, of {one.waiting.title}",
            "title": one.here.title,
            "known": True,
            "join": [one.here.id, one.waiting.id],
        }
        for one in taken.videos.same
    ]
    lines += [{"file": title, "title": title} for title in taken.videos.attached]
    lines += [{"file": _with_folder(v), "video": v.id, "title": v.title} for v in taken.videos.added]
    return lines + [{"file": file, "title": title, "known": True} for file, title in taken.videos.again]


def _with_folder(video: Video) -> str:
    folder = video.extra.get(FOLDER)
    return f"{folder}/{video.title}" if folder else video.title


def _imported(one: Imported) -> FileTaken:
    return {
        "file": one.found.place,
        "format": one.found.format,
        "records": dict(one.records),
        "evaluations": [name for _, name in one.evaluations],
        "problems": one.problems,
    }


def _whole(problem: Problem) -> str:
    """The message with the file's name in front, as in other messages."""
    named = problem.what.startswith(f"{problem.where}: ")
    return problem.what if named else f"{problem.where}: {problem.what}"


def _name(where: str, root: Path) -> str:
    return "files" if where == root.name else where
