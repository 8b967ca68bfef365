"""`vdc-captions`: the five captions of VDC, one JSON object per line.

Two layouts are read: the flat one of the published dataset (`short_caption`, ...) and the nested one of the
authors' code (`captions.short_caption`, ...). The flat one is written.
Source: Video-Detailed-Caption (AuroraCap, section 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.captions_to_verdicts import Text
from annotation.records.ids import Json, record_id
from annotation.records.videos import Dataset
from annotation.texts.which_text_counts import CountingText, counting_texts, dataset_of
from backends.digest import digest
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, Item, json_items, text_at
from exports.files.write_files import json_line
from exports.logs.peer_log import DATASET

NAME = "vdc-captions"
SOURCES = ("ego4d", "panda", "mixkit", "pixabay", "pexels")
"""Sources of VDC's own videos. Any other `video_source` becomes a separate dataset."""
ORDER = ("short", "background", "main_object", "camera", "detailed")
FIELDS = {f"{aspect}_caption": aspect for aspect in ORDER}
KIND_OF_FIELD = {field: f"vdc:{aspect}" for field, aspect in FIELDS.items()}
KNOWN = {"video_id", "video_name", "video_source", "captions", "baseline", *FIELDS}


def recognise(head: Head) -> bool:
    first = head.first
    if not isinstance(first, dict) or "video_id" not in first:
        return False
    captions = first.get("captions")
    return bool(FIELDS.keys() & (captions.keys() if isinstance(captions, dict) else first.keys()))


def read(source: Source) -> Batch:
    """Read one reference text per caption. Raises FormatError."""
    intake = Intake(source, NAME, system="vdc")
    last: dict[str, tuple[str, str]] = {}
    """Last place of each video, and a hash of its line."""
    for item in json_items(source.path):
        name = _name(item.value)
        if name:
            said = digest(item.value)
            where, before = last.get(name, ("", ""))
            if where:
                same = "is identical" if before == said else "differs"
                what = f"video {name!r} already appears at {where}; this one {same}, the last is kept"
                intake.problem(item.where, what)
            last[name] = (item.where, said)
    for item in json_items(source.path):  # a second pass, because the file may exceed the memory
        line = _line(intake, item)
        if line is not None and last[line["video_id"]][0] == item.where:
            _add_line(intake, item.where, line)
    return intake.batch()


def _name(value: Json) -> str:
    found = value.get("video_id") if isinstance(value, dict) else None
    return found if isinstance(found, str) and found.strip() else ""


def _line(intake: Intake, item: Item) -> dict[str, Any] | None:
    value, name = item.value, _name(item.value)
    if not isinstance(value, dict) or not name:
        what = "the video_id is missing" if isinstance(value, dict) else "not an object"
        intake.problem(item.where, f"{what}; left out")
        return None
    nested = value.get("captions")
    return {**value, **(nested if isinstance(nested, dict) else {}), "video_id": name}


def _add_line(intake: Intake, where: str, line: Mapping[str, Json]) -> None:
    name = str(line["video_id"])
    file_name = text_at(line, "video_name")
    extra = {key: line[key] for key in ("video_name", "video_source") if text_at(line, key)}
    more = {key: value for key, value in line.items() if key not in KNOWN}
    if more:
        extra["vdc"] = more
    dataset = intake.dataset_of(name, _own_dataset(line))
    video_id = intake.video(dataset, name, where, file_name=file_name, extra=extra)
    for field, aspect in FIELDS.items():
        value = line.get(field)
        if isinstance(value, str) and value.strip():
            _add_text(intake, dataset, video_id, aspect, value, baseline=line.get("baseline") is True)
        elif field in line or line.get("baseline") is None:
            intake.problem(where, f"video {name!r} has no {field}")


def _own_dataset(line: Mapping[str, Json]) -> str:
    source = text_at(line, "video_source")
    return DATASET if not source or source.lower().startswith(SOURCES) else source


def _add_text(
    intake: Intake, dataset: Dataset, video_id: str, aspect: str, value: str, *, baseline: bool
) -> None:
    kind = f"vdc:{aspect}"
    intake.add(
        Text(
            id=record_id("txt", dataset.id, video_id, kind, value),
            video_id=video_id,
            kind=kind,
            subject_type="video",
            subject_id=video_id,
            value=value,
            created_at=intake.now,
            dataset_id=dataset.id,
            baseline=baseline,
        )
    )


def write(wanted: Wanted) -> Iterator[Output]:
    """Write one line per video with a caption. Raises NotFound."""
    names = VideoNames(wanted.store, "vdc")
    found = [_write_line(names, video_id, texts) for video_id, texts in texts_to_write(wanted).items()]
    if found:
        yield "", (json_line(line) for line in sorted(found, key=lambda line: str(line["video_id"])))


def texts_to_write(wanted: Wanted) -> dict[str, dict[str, list[CountingText]]]:
    """Return `{video id: {field: [text]}}`."""
    kinds = KIND_OF_FIELD.values()
    chosen = counting_texts(wanted.store, kinds, wanted.texts_of, wanted.values)
    return {
        video_id: {field: [texts[kind]] for field, kind in KIND_OF_FIELD.items() if kind in texts}
        for video_id, texts in chosen.items()
    }


def _write_line(
    names: VideoNames, video_id: str, fields: Mapping[str, Sequence[CountingText]]
) -> dict[str, Json]:
    video, texts = names.video(video_id), [one for texts in fields.values() for one in texts]
    line: dict[str, Json] = {"video_id": names.name(video_id, dataset_of(texts))}
    line |= {key: video.extra[key] for key in ("video_name", "video_source") if key in video.extra}
    line |= {field: one.value for field, (one,) in fields.items()}
    more = video.extra.get("vdc")
    if isinstance(more, dict):
        line |= {key: value for key, value in more.items() if key not in line}
    if any(one.by_baseline for one in texts):
        line["baseline"] = True
    return line
