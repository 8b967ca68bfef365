"""`carebench-folder`: a Hugging Face folder that joins each text with its video, by `metadata.jsonl`.

`load_dataset("videofolder", data_dir=FOLDER)` loads it. The published dataset keeps its texts and its
videos apart, and nothing can join the two; here each line names a file of the folder (`file_name`), each
file has one line, and writing refuses anything else. Source: "VideoFolder" of the documentation of
Hugging Face Datasets; fields as in `metadata.json` of CaReBench.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from annotation.intake.video_files import VIDEO_SUFFIXES
from annotation.records.ids import Json
from annotation.records.videos import Video
from annotation.store.store import Store
from backends.errors import UsageError
from exports.carebench import metadata as carebench
from exports.files.format_types import Batch, Output, Problem, Source, Wanted
from exports.files.read_text_and_json import Head, Item, json_lines
from exports.files.write_files import json_line

NAME = "carebench-folder"
ROWS = "metadata.jsonl"
NAMED = 5
"""Names that a message tells before it counts the rest."""


def recognise(head: Head) -> bool:
    if not head.folder or ROWS not in head.names:
        return False
    first = head.inside(ROWS).text.partition("\n")[0]
    return '"file_name"' in first and '"spatial_caption"' in first


def read(source: Source) -> Batch:
    """The texts, and which of them and of the files stand alone. Raises FormatError."""
    items = [Item(item.where, _as_record(item.value)) for item in json_lines(source.path / ROWS)]
    batch = carebench.read_items(source, items)
    names = [
        str(item.value["video"]) for item in items if isinstance(item.value, dict) and item.value.get("video")
    ]
    files = [path.name for path in source.path.iterdir() if path.name.lower().endswith(VIDEO_SUFFIXES)]
    return replace(batch, format=NAME, problems=(*batch.problems, *_apart(names, files)))


def _apart(names: Sequence[str], files: Sequence[str]) -> Iterator[Problem]:
    """What breaks one to one, on either side."""
    if lost := sorted(set(names) - set(files)):
        yield Problem(ROWS, f"{len(lost)} rows name a video that is not in the folder: {_named(lost)}")
    if alone := sorted(set(files) - set(names)):
        yield Problem(ROWS, f"{len(alone)} videos have no row: {_named(alone)}")


def _as_record(value: Json) -> Json:
    """A row as `metadata.json` has it."""
    if not isinstance(value, dict):
        return value
    return {"video": value.get("file_name"), **{k: v for k, v in value.items() if k != "file_name"}}


def write(wanted: Wanted) -> Iterator[Output]:
    """One line and one file per video. Raises NotFound; UsageError that names videos without a file."""
    found = carebench.records(wanted)
    if not found:
        return
    files = _files(wanted.store, [video_id for video_id, _ in found])
    lost = [str(row["video"]) for video_id, row in found if video_id not in files]
    if lost:
        raise UsageError(
            f"texts and videos do not fit one to one: {len(lost)} have no file here: {_named(lost)}; attach "
            "them with: python app.py import FILE --videos FOLDER"
        )
    names = {video_id: _file_name(str(row["video"]), files[video_id]) for video_id, row in found}
    twice = [name for name, count in Counter(name.casefold() for name in names.values()).items() if count > 1]
    if twice:
        raise UsageError(f"{len(twice)} file names are those of several videos: {_named(twice)}; rename them")
    yield ROWS, [json_line(_row(names[video_id], row)) for video_id, row in found]
    for video_id, name in names.items():
        yield name, files[video_id]


def _row(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    return {"file_name": name, **{key: value for key, value in row.items() if key != "video"}}


def _file_name(name: str, path: Path) -> str:
    """The video's name without parts of a path; one without a video's suffix gets that of its file."""
    plain = PurePosixPath(name.replace("\\", "/")).name.lstrip(".") or path.name
    return plain if plain.lower().endswith(VIDEO_SUFFIXES) else f"{plain}{path.suffix.lower()}"


def _files(store: Store, video_ids: Sequence[str]) -> dict[str, Path]:
    """`{video id: its file}` of those whose file is here."""
    found = [(v.id, Path(v.path)) for v in store.find(Video, id=list(video_ids)) if v.path]
    return {video_id: path for video_id, path in found if path.is_file()}


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
