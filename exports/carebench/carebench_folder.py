"""`carebench-folder`: a Hugging Face folder that links each text to its video, in `metadata.jsonl`.

`load_dataset("videofolder", data_dir=FOLDER)` loads it. The published dataset has texts and videos in
separate folders without a link. Here each line names a file of the folder (`file_name`) and each file has one
line; other contents are not written. Source: "VideoFolder" of the documentation of Hugging Face Datasets;
fields as in `metadata.json` of CaReBench.
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
"""Number of names in a message; the rest is counted."""


def recognise(head: Head) -> bool:
    if not head.folder or ROWS not in head.names:
        return False
    first = head.inside(ROWS).text.partition("\n")[0]
    return '"file_name"' in first and '"spatial_caption"' in first


def read(source: Source) -> Batch:
    """Read the texts. Rows without a file and files without a row are reported. Raises FormatError."""
    items = [Item(item.where, _as_record(item.value)) for item in json_lines(source.path / ROWS)]
    batch = carebench.read_items(source, items)
    names = [
        str(item.value["video"]) for item in items if isinstance(item.value, dict) and item.value.get("video")
    ]
    files = [path.name for path in source.path.iterdir() if path.name.lower().endswith(VIDEO_SUFFIXES)]
    return replace(batch, format=NAME, problems=(*batch.problems, *_unmatched(names, files)))


def _unmatched(names: Sequence[str], files: Sequence[str]) -> Iterator[Problem]:
    """Yield problems for rows without a file and files without a row."""
    if lost := sorted(set(names) - set(files)):
        yield Problem(ROWS, f"{len(lost)} rows name a video that is not in the folder: {_named(lost)}")
    if alone := sorted(set(files) - set(names)):
        yield Problem(ROWS, f"{len(alone)} videos have no row: {_named(alone)}")


def _as_record(value: Json) -> Json:
    """Convert a row to the form of `metadata.json`."""
    if not isinstance(value, dict):
        return value
    return {"video": value.get("file_name"), **{k: v for k, v in value.items() if k != "file_name"}}


def write(wanted: Wanted) -> Iterator[Output]:
    """Write one line and one file per video. Raises NotFound, or UsageError naming videos without a file."""
    found = carebench.records(wanted)
    if not found:
        return
    files = _files(wanted.store, [video_id for video_id, _ in found])
    lost = [str(row["video"]) for video_id, row in found if video_id not in files]
    if lost:
        raise UsageError(
            f"texts and videos do not match one to one: {len(lost)} have no file: {_named(lost)}; attach "
            "them with: python app.py import FILE --videos FOLDER"
        )
    names = {video_id: _file_name(str(row["video"]), files[video_id]) for video_id, row in found}
    twice = [name for name, count in Counter(name.casefold() for name in names.values()).items() if count > 1]
    if twice:
        raise UsageError(f"{len(twice)} file names belong to several videos: {_named(twice)}; rename them")
    yield ROWS, [json_line(_row(names[video_id], row)) for video_id, row in found]
    for video_id, name in names.items():
        yield name, files[video_id]


def _row(name: str, row: Mapping[str, Any]) -> dict[str, Any]:
    return {"file_name": name, **{key: value for key, value in row.items() if key != "video"}}


def _file_name(name: str, path: Path) -> str:
    """Return the video's name without path parts, with the suffix of its file if it has none."""
    plain = PurePosixPath(name.replace("\\", "/")).name.lstrip(".") or path.name
    return plain if plain.lower().endswith(VIDEO_SUFFIXES) else f"{plain}{path.suffix.lower()}"


def _files(store: Store, video_ids: Sequence[str]) -> dict[str, Path]:
    """Return `{video id: file}` of the videos whose file exists."""
    found = [(v.id, Path(v.path)) for v in store.find(Video, id=list(video_ids)) if v.path]
    return {video_id: path for video_id, path in found if path.is_file()}


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
