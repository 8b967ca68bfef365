"""`vript-captions`: captions of all videos, one clip per line. `vript-meta`: data of the videos' web pages.

`vript-captions` is the dataset's `vript_long_videos_captions.jsonl`: `{"meta": {"video_id": ...}, "clip_id":
..., "caption": {...}}`. `vript-meta` is `vript_long_videos_meta.json`: one object by video id, with the
fields of the downloader (`title`, `categories`, `webpage_url`, ...), or one object per line with a
`video_id`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.videos import Alias, Dataset, Video
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, text_at
from exports.files.write_files import json_line
from exports.vript.clips_to_records import SYSTEM, add_video
from exports.vript.file_shapes import Reading, kind_of
from exports.vript.script_to_export import scripts
from exports.vript.vript_files_per_video import caption_rows, meta_json

FLAT, META = "vript-captions", "vript-meta"


def recognise_flat(head: Head) -> bool:
    return not head.folder and kind_of(head) == "flat"


def recognise_meta(head: Head) -> bool:
    return not head.folder and kind_of(head) == "meta"


def read_flat(source: Source) -> Batch:
    """Read captions. Lines of one video may be anywhere in the file. Raises FormatError."""
    intake = Intake(source, FLAT, system=SYSTEM)
    reading = Reading(intake.problem)
    reading.read(source.path)
    return _batch(intake, reading)


def read_meta(source: Source) -> Batch:
    """Read titles, categories and URLs. Scenes come from other files. Raises FormatError."""
    intake = Intake(source, META, system=SYSTEM)
    reading = Reading(intake.problem)
    reading.meta(source.path)
    for given in reading.videos.values():
        given.title = text_at(given.about, "title")
    return _batch(intake, reading)


def _batch(intake: Intake, reading: Reading) -> Batch:
    for given in reading.videos.values():
        add_video(intake, given)
    return intake.batch()


def write_flat(wanted: Wanted) -> Iterator[Output]:
    """Write one line per clip that has a script."""
    lines: list[str] = []
    for script in scripts(wanted):
        meta = meta_json(script)
        rows = caption_rows(script, transcript=False) if script.written else []
        lines += [json_line({"meta": meta, **row}) for row in rows]
    if lines:
        yield "", lines


def write_meta(wanted: Wanted) -> Iterator[Output]:
    """Write Vript's videos with the imported data, or title and category if there is none."""
    store = wanted.store
    ours = {dataset.id for dataset in store.find(Dataset) if dataset.format == SYSTEM}
    named = {alias.video_id for alias in store.find(Alias) if alias.dataset_id in ours}
    names = VideoNames(store, SYSTEM)
    found: dict[str, Any] = {}
    for video in store.find(Video, order_by=["title", "id"]):
        if "vript_meta" in video.extra or video.id in named:
            about = video.extra.get("vript_meta")
            found[names.name(video.id)] = about if isinstance(about, dict) else _about(video)
    if found:
        yield "", [json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False), "\n"]


def _about(video: Video) -> dict[str, Any]:
    return {"title": video.title, "categories": [video.category] if video.category else []}
