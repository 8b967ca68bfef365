"""`toy`: one JSON line per video, `{"toy_video", "reference", "events": [...]}`."""

from __future__ import annotations

from collections.abc import Iterator

from annotation.systems.toy.events import KIND, SYSTEM, events, reference

from annotation.intake.names_of_videos import VideoNames
from annotation.records.captions_to_verdicts import Text
from annotation.records.elements import Element
from annotation.records.ids import record_id
from annotation.records.videos import Video
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, json_lines
from exports.files.write_files import json_line

NAME = "toy"


def recognise(head: Head) -> bool:
    return isinstance(head.first, dict) and {"toy_video", "reference", "events"} <= head.first.keys()


def read(source: Source) -> Batch:
    """Read a reference and its events for each video. Raises FormatError."""
    intake = Intake(source, NAME, system=SYSTEM)
    for name, item in intake.videos_named(json_lines(source.path), "toy_video", "the video is missing"):
        dataset = intake.dataset_of(name, "Toy")
        video_id = intake.video(dataset, name, item.where)
        words = str(item.value["reference"])
        text = Text(
            id=record_id("txt", dataset.id, video_id, KIND, words),
            video_id=video_id,
            kind=KIND,
            subject_type="video",
            subject_id=video_id,
            value=words,
            created_at=intake.now,
            dataset_id=dataset.id,
        )
        intake.add(text)
        for index, event in enumerate(item.value["events"]):
            intake.add(
                Element(
                    id=record_id("elm", text.id, index, event),
                    video_id=video_id,
                    text_id=text.id,
                    kind="event",
                    index=index,
                    value=event,
                    created_at=intake.now,
                )
            )
    return intake.batch()


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the references with their events."""
    store, names = wanted.store, VideoNames(wanted.store, SYSTEM)
    found = [(video, reference(store, video.id)) for video in store.find(Video, order_by=["title"])]
    rows = [
        {
            "toy_video": names.name(video.id),
            "reference": str(store.current("text", text.id, "value").value),
            "events": [event.value for event in events(store, text.id)],
        }
        for video, text in found
        if text
    ]
    if rows:
        yield "", [json_line(row) for row in rows]
