"""Endpoints that take and give files. What is sent, and what is written for somebody, only they can read."""

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
    """Adds a video file to the workspace. Nothing is run; /run does that.

    Args:
        file: a video; in Python handle_file("clip.mp4"), in JavaScript handle_file(blob)

    Returns:
        id and title of the video. A file whose content is here already is the video that is here.
    """
    require(asker.person, "add")
    with _sent(asker, [file]) as (folder, (path,)):
        if not is_video(path):
            raise UsageError(f"{path.name} is no video; give it to /import_files")
        content = sha256_of(path)
        (row,) = take_at_once(asker.parts, asker.person, folder, run=False)["files"]
    if "error" in row:
        raise UsageError(row["error"])
    found = asker.store.find(Video, sha256=content)[0]
    return {"id": found.id, "title": found.title}


def import_files(asker: Asker, files: list[FileData]) -> list[dict[str, Any]]:
    """Imports logs, captions, questions and videos by what is in them; one decision, which can be undone.

    Args:
        files: what belongs together goes together; each as handle_file("log.json"); .zip and .tar.gz too

    Returns:
        Per file or group of files: its format and how many `records` came of it, the `video` that was added,
        or under `error` why it cannot be read.
    """
    require(asker.person, "add")
    if not files:
        raise UsageError("files: give at least one")
    with _sent(asker, files) as (folder, _):
        return [dict(row) for row in take_at_once(asker.parts, asker.person, folder, run=False)["files"]]


def formats(asker: Asker) -> list[dict[str, Any]]:  # noqa: ARG001  # every endpoint is given who asks
    """Lists the formats that /export writes.

    Returns:
        Per format: name, what it is, what it cannot hold, and whether an evaluation is needed.
    """
    return [dict(row) for row in jobs_and_exports.known_formats()]


def export_preview(
    asker: Asker,
    format: str,
    evaluation: str = "",
    values: Literal["current", "machine"] = "current",
    whose: str = "",
) -> dict[str, Any]:
    """Says what /export would write for the same choice: texts or records by video and field, and by whom.

    Args:
        format: a name of /formats
        evaluation: name or id of an evaluation
        values: current (with what people corrected) or machine
        whose: whose texts: counting, references, or a person's name

    Returns:
        `says` in sentences, `fields`, their `totals`, `rows` by video (the first 200), and how many are
        `more`.
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
    """Writes a file in a known format: captions, questions, verdicts, logs, subtitles, everything.

    Args:
        format: a name of /formats, such as dailies-jsonl, verdicts-csv, loveu, vdc-captions or srt
        evaluation: name or id; may be left out where there is one, and where the format needs none
        values: current (with what people corrected) or machine
        whose: of captions, splits and scripts: counting (what counts now), references, or a person's name

    Returns:
        The file, a .zip when the format has several; gradio_client downloads it. Only you can fetch it, for a
        day.
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
    """A folder with the files under `files`, as `take_at_once` wants it; their heaps are gone."""
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
