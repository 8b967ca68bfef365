"""`framecap-labels`: people's labels of frame pairs (FrameCapEval), one JSON line per person and pair.

`{video, image_files: [first, second], action_label?, label, answer, person, created_at}`. `label` is 1 if the
action progresses, 0 if it does not (the paper's values), and null if the person is uncertain.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, get_args

from annotation.intake.names_of_videos import VideoNames
from annotation.records.decisions import FrameLabel, Person
from annotation.records.ids import Json, record_id
from annotation.records.videos import Frame, Video
from annotation.systems.progress_captioner.frame_labels import labels
from annotation.systems.progress_captioner.requests import Progression
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import Head, json_lines
from exports.files.write_files import json_line
from exports.logs.roundtrip_fields import utc_seconds
from exports.progress_captioner import progcap_frame_names as names
from exports.progress_captioner.progcap_files import DATASET, SYSTEM

NAME = "framecap-labels"
NUMBER: Mapping[str, int | None] = {"yes": 1, "no": 0, "uncertain": None}
UNNAMED = "a person of the file"


def recognise(head: Head) -> bool:
    return isinstance(head.first, dict) and {"image_files", "label", "video"} <= head.first.keys()


def write(wanted: Wanted) -> Iterator[Output]:
    """Write every label that counts, of all people."""
    store, found = wanted.store, labels(wanted.store)
    people = {person.id: person.name for person in store.find(Person)}
    videos, video_names = {video.id: video for video in store.find(Video)}, VideoNames(store, SYSTEM)
    rows = []
    for (video_id, pair), by in sorted(found.items(), key=lambda item: item[0]):
        frames = {f.index: f for f in store.find(Frame, video_id=video_id, index=list(pair))}
        video, name = videos[video_id], video_names.name(video_id)
        seconds = [names.second_of(video, frames[i]) if i in frames else float(i) for i in pair]
        about = {"video": name, "image_files": names.image_names(name, seconds)}
        about |= {"action_label": video.action} if video.action else {}
        rows += [
            {
                **about,
                "label": NUMBER[row.label],
                "answer": row.label,
                "person": people[row.person_id],
                "created_at": row.created_at,
            }
            for row in sorted(by.values(), key=lambda row: people[row.person_id])
        ]
    if rows:
        yield "", [json_line(row) for row in rows]


def read(source: Source) -> Batch:
    """Read labels of frame pairs, and their authors. Raises FormatError."""
    intake = Intake(source, NAME, system=SYSTEM)
    here = {person.name: person for person in source.store.find(Person)} if source.store else {}
    for item in json_lines(source.path):
        value = item.value if isinstance(item.value, dict) else {}
        answer, clip = _answer(value), names.clip_of(value.get("image_files"))
        why = clip if isinstance(clip, str) else "" if answer else "label must be 1, 0 or null"
        if isinstance(clip, str) or why or len(clip.seconds) != 2:
            intake.problem(item.where, f"{why or 'a label needs two images'}; left out")
            continue
        name = value.get("person")
        who = name.strip() if isinstance(name, str) and name.strip() else UNNAMED
        person = here.setdefault(
            who, Person(id=record_id("per", who), name=who, role="annotator", created_at=intake.now)
        )
        intake.add(person)
        _add(intake, item.where, value, clip, person, answer)
    return intake.batch()


def _add(
    intake: Intake, where: str, value: Mapping[str, Json], clip: names.Clip, person: Person, answer: Any
) -> None:
    dataset = intake.dataset_of(clip.folder, DATASET)
    video = intake.videos[intake.video(dataset, clip.folder, where, file_name=clip.source)]
    frames = sorted(names.frames_of(video, clip, intake.source.store), key=lambda frame: frame.index)
    if frames[0].index == frames[1].index:
        intake.problem(where, "both images are the same frame of the video; left out")
        return
    for frame in frames:
        intake.add(frame)
    given = value.get("created_at")
    known = utc_seconds(given)
    at = time.time() if known is None else known
    said = "" if known is None else given
    intake.add(
        FrameLabel(
            id=record_id("flb", video.id, frames[0].index, frames[1].index, person.id, answer, said),
            video_id=video.id,
            first=frames[0].index,
            second=frames[1].index,
            person_id=person.id,
            label=answer,
            created_at=at,
        )
    )


def _answer(value: Mapping[str, Json]) -> str:
    """Return the answer by its word, else by its number; empty if the line has neither."""
    word = value.get("answer")
    if isinstance(word, str) and word in get_args(Progression):
        return word
    by_number = {None: "uncertain", 0: "no", 1: "yes"}
    label = value.get("label", "")
    return by_number.get(label, "") if label is None or isinstance(label, int) else ""
