"""Endpoints that receive and return files. Only the caller can read files that they sent or exported."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from gradio.data_classes import FileData

from annotation.intake.files_of_one_person import Incoming, passing_folder
from annotation.intake.video_files import is_video, sha256_of
from annotation.people.permissions import require
from annotation.records.videos import Video
from backends.errors import UsageError
from ui.api import jobs_and_exports
from ui.api.files_of_programs import FILE
from ui.api.gradio_api import Asker
from ui.api.import_uploads import take_at_once


def add_video(asker: Asker, file: FileData) -> dict[str, Any]:
    """Adds a video file to the workspace without running any stage; /run runs stages.

    Args:
        file: a video; in Python handle_file("clip.mp4"), in JavaScript handle_file(blob)

    Returns:
        id and title of the video. If the workspace already has a file with this content, its video is
        returned.
    """
    require(asker.person, "add")
    with _sent(asker, [file]) as (folder, (path,)):
        if not is_video(path):
            raise UsageError(f"{path.name} is not a video; send it to /import_files")
        content = sha256_of(path)
        (row,) = take_at_once(asker.parts, asker.person, folder, run=False)["files"]
    if "error" in row:
        raise UsageError(row["error"])
    found = asker.store.find(Video, sha256=content)[0]
    return {"id": found.id, "title": found.title}


def import_files(asker: Asker, files: list[FileData]) -> list[dict[str, Any]]:
    """Imports logs, captions, questions and videos as one action that can be undone.

    Args:
        files: all files of one log together, each as handle_file("log.json"); also .zip and .tar.gz

    Returns:
        Per file or group of files: its format and the number of its `records`, the `video` that was added,
        or under `error` why it cannot be read. The format is detected from the content.
    """
    require(asker.person, "add")
    if not files:
        raise UsageError("files: give at least one")
    with _sent(asker, files) as (folder, _):
        return [dict(row) for row in take_at_once(asker.parts, asker.person, folder, run=False)["files"]]


def formats(asker: Asker) -> list[dict[str, Any]]:
    """Lists the formats that /export writes.

    Returns:
        Per format: name, description, what it cannot hold, whether it needs an evaluation,
        and the evaluations that it can hold.
    """
    return [dict(row) for row in jobs_and_exports.known_formats(asker.parts.store)]


def export_preview(
    asker: Asker,
    format: str,
    evaluation: str = "",
    values: Literal["current", "machine"] = "current",
    whose: str = "",
) -> dict[str, Any]:
    """Previews an export: the texts or records that /export would write, by video, field and author.

    Args:
        format: a name of /formats
        evaluation: name or id of an evaluation
        values: current (with people's corrections) or machine
        whose: whose texts: counting, references, or a person's name

    Returns:
        `says` as sentences, `fields`, their `totals`, `rows` by video (the first 200), and in `more` the
        number of further rows.
    """
    choice = jobs_and_exports.Choice(format, evaluation, values, whose)
    return dict(jobs_and_exports.preview_export(asker.parts, asker.person, asker.sight, asker.texts, choice))


def export(
    asker: Asker,
    format: str,
    evaluation: str = "",
    values: Literal["current", "machine"] = "current",
    whose: str = "",
) -> dict[str, Any]:
    """Writes a file in a known format: captions, questions, verdicts, logs, subtitles or the whole workspace.

    Args:
        format: a name of /formats, such as dailies-jsonl, verdicts-csv, loveu, vdc-captions or srt
        evaluation: name or id; optional if there is only one evaluation or the format needs none
        values: current (with people's corrections) or machine
        whose: for captions, splits and scripts: counting (what counts now), references, or a person's name

    Returns:
        The file, or a .zip if the format has several; gradio_client downloads it. Only you can fetch it, for
        one day.
    """
    require(asker.person, "export")
    choice = jobs_and_exports.Choice(format, evaluation, values, whose)
    heap = Incoming.new(asker.parts.workspace, asker.person.id)
    try:
        file = jobs_and_exports.write_export(
            asker.parts, asker.person, asker.sight, asker.texts, heap.files, choice
        )
    except Exception:
        heap.remove()
        raise
    path = f"{heap.id}/{file.relative_to(heap.files).as_posix()}"
    return {
        "path": path,
        "url": f"{asker.base}/gradio_api/file={path}",
        "orig_name": file.name,
        "size": file.stat().st_size,
        "meta": FILE,
    }


@contextmanager
def _sent(asker: Asker, files: Sequence[FileData]) -> Iterator[tuple[Path, list[Path]]]:
    """Move the sent files into a temporary folder, under `files`, as `take_at_once` expects them."""
    space = asker.parts.workspace
    with passing_folder(space) as folder:
        home = folder / "files"
        home.mkdir()
        paths = []
        for number, file in enumerate(files):
            heap_id, _, place = file.path.partition("/")
            heap = Incoming(space, heap_id, asker.person.id)
            sent = heap.file(place)
            target = home / sent.name
            if target.exists():
                target = home / str(number) / sent.name
                target.parent.mkdir()
            paths.append(sent.rename(target))
            heap.remove()
        yield folder, paths
