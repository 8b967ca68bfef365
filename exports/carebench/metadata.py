"""`carebench`: metadata.json of CaReBench, a JSON array with one record per video.

Fields: `video` (a file name), `caption`, `spatial_caption`, `temporal_caption`, `category`, `subcategory`;
the evaluation code also reads `events` and `objects`, lists of text. Source: CaReBench (ICLR 2026),
json/metadata.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from annotation.intake.names_of_videos import VideoNames
from annotation.records import fingerprints
from annotation.records.allowed_values import TextKind
from annotation.records.captions_to_verdicts import Text
from annotation.records.elements import Element, ElementList
from annotation.records.ids import Json, record_id
from annotation.records.videos import Dataset
from annotation.store.store import Store
from annotation.systems.carebench.current_elements import elements_of
from annotation.systems.carebench.texts_of_split import CAPTIONS_TO_SPLIT, caption_to_split
from annotation.texts.which_text_counts import (
    CountingText,
    Values,
    counting_texts,
    dataset_of,
)
from exports.files.evaluations_and_corrections import (
    pick,
)
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, Item, json_items, text_at

NAME = "carebench"
DATASET = "CaReBench"
KINDS: Mapping[str, TextKind] = {
    "caption": "carebench:full",
    "spatial_caption": "carebench:spatial",
    "temporal_caption": "carebench:temporal",
}
ELEMENTS: Mapping[str, Literal["event", "object"]] = {"events": "event", "objects": "object"}
KNOWN = {"video", "category", "subcategory", "baseline", *KINDS, *ELEMENTS}


def recognise(head: Head) -> bool:
    first = head.first
    return isinstance(first, dict) and "video" in first and "spatial_caption" in first


def read(source: Source) -> Batch:
    """Read one reference text per caption, and elements of the full one. Raises FormatError."""
    return read_items(source, json_items(source.path))


def read_items(source: Source, items: Iterable[Item]) -> Batch:
    """Read records of any file, as `read` does."""
    intake = Intake(source, NAME, system="carebench")
    for name, item in intake.videos_named(items, "video", "the video is missing"):
        _add_item(intake, item.where, name, item.value)
    return intake.batch()


def _add_item(intake: Intake, where: str, name: str, value: Mapping[str, Json]) -> None:
    dataset = intake.dataset_of(name, DATASET)
    extra: dict[str, Json] = {"video_name": name}
    if isinstance(value.get("subcategory"), str):
        extra["subcategory"] = value["subcategory"]
    more = {key: found for key, found in value.items() if key not in KNOWN}
    if more:
        extra["carebench"] = more
    for field in ("category", "subcategory"):
        if not isinstance(value.get(field), str):
            intake.problem(where, f"no {field}")
    video_id = intake.video(dataset, name, where, category=text_at(value, "category"), extra=extra)
    texts = _add_texts(intake, where, dataset, video_id, value)
    for field, kind in ELEMENTS.items():
        _add_elements(intake, where, texts.get("caption"), field, kind, value.get(field))


def _add_texts(
    intake: Intake, where: str, dataset: Dataset, video_id: str, value: Mapping[str, Json]
) -> dict[str, Text]:
    """Add texts. Spatial and temporal caption refer to the full caption as their source."""
    texts: dict[str, Text] = {}
    for field, kind in KINDS.items():
        words = value.get(field)
        if not isinstance(words, str) or not words.strip():
            intake.problem(where, f"no {field}")
            continue
        full = texts.get("caption")
        texts[field] = Text(
            id=record_id("txt", dataset.id, video_id, kind, words),
            video_id=video_id,
            kind=kind,
            subject_type="video",
            subject_id=video_id,
            value=words,
            created_at=intake.now,
            dataset_id=dataset.id,
            source_text_id=full.id if full else None,
            source_hash=fingerprints.of_text(full.value) if full else "",
            baseline=value.get("baseline") is True,
        )
        intake.add(texts[field])
    return texts


def _add_elements(
    intake: Intake, where: str, full: Text | None, field: str, kind: Literal["event", "object"], found: Json
) -> None:
    if found is None:
        return
    if full is None or not isinstance(found, list) or not all(isinstance(x, str) for x in found):
        intake.problem(where, f"{field} needs a caption and must be a list of texts; left out")
        return
    made = ElementList(
        id=record_id("ell", full.id, kind, found),
        video_id=full.video_id,
        text_id=full.id,
        kind=kind,
        created_at=intake.now,
        source_hash=fingerprints.of_text(full.value),
    )
    intake.add(made)
    for index, value in enumerate(found):
        intake.add(
            Element(
                id=record_id("elm", full.id, kind, index, value),
                video_id=full.video_id,
                text_id=full.id,
                kind=kind,
                index=index,
                value=value,
                created_at=intake.now,
                list_id=made.id,
            )
        )


def write(wanted: Wanted) -> Iterator[Output]:
    """Write one record per video with a CaReBench text. Raises NotFound."""
    found = [item for _, item in records(wanted)]
    if found:
        yield "", [json.dumps(found, ensure_ascii=False, indent=2, allow_nan=False), "\n"]


def records(wanted: Wanted) -> list[tuple[str, dict[str, Any]]]:
    """Return `(video id, record)` pairs, sorted by video name. Raises NotFound."""
    names = VideoNames(wanted.store, "carebench")
    found = [
        (video_id, _write_item(names, texts, wanted)) for video_id, texts in texts_to_write(wanted).items()
    ]
    return sorted(found, key=lambda pair: str(pair[1]["video"]))


def texts_to_write(wanted: Wanted) -> dict[str, dict[str, CountingText]]:
    """Return `{video id: {field: text}}` of the videos that have a CaReBench text.

    The caption is the source of the split: without a CaReBench caption, VDC's detailed caption.
    """
    kinds = {*KINDS.values(), *CAPTIONS_TO_SPLIT}
    found: dict[str, dict[str, CountingText]] = {}
    for video_id, texts in counting_texts(wanted.store, kinds, wanted.texts_of, wanted.values).items():
        if texts.keys() & KINDS.values():
            whole = caption_to_split(texts)
            fields = {field: texts[kind] for field, kind in KINDS.items() if kind in texts}
            found[video_id] = fields | ({"caption": whole} if whole else {})
    return found


def lists_to_write(wanted: Wanted) -> dict[str, dict[str, list[CountingText]]]:
    """Return `texts_to_write` with a list for each field."""
    found = texts_to_write(wanted)
    return {video: {field: [one] for field, one in texts.items()} for video, texts in found.items()}


def _write_item(names: VideoNames, texts: Mapping[str, CountingText], wanted: Wanted) -> dict[str, Any]:
    video_id = next(iter(texts.values())).text.video_id
    video, full = names.video(video_id), texts.get("caption")
    item: dict[str, Any] = {"video": names.file_name(video_id, dataset_of(texts.values()))}
    item |= {field: texts[field].value if field in texts else "" for field in KINDS}
    item |= {"category": video.category, "subcategory": video.extra.get("subcategory", "")}
    if full:
        item |= listed_elements(wanted.store, full.text.id, wanted.values)
    more = video.extra.get("carebench")
    if isinstance(more, dict):
        item |= {key: value for key, value in more.items() if key not in item}
    if any(one.by_baseline for one in texts.values()):
        item["baseline"] = True
    return item


def listed_elements(store: Store, text_id: str, values: Values) -> dict[str, list[str]]:
    """Return `{"events": [...], "objects": [...]}` of a caption, without kinds that were not extracted.

    Machine values are the original list; current values include people's corrections and additions.
    """
    found = elements_of(store, [text_id])
    lists: dict[str, list[str]] = {}
    for field, kind in ELEMENTS.items():
        elements = found.get((text_id, kind))
        if elements is None or (elements.found is not None and elements.found.state != "done"):
            continue
        words = [str(pick(one.now, values)) for one in elements.members]
        lists[field] = [one for one in words if one.strip()]
    return lists
