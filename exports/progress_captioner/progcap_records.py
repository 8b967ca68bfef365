"""Frame captions of a store as records of ProgressCaptioner's files, per sequence and model."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.intake.names_of_videos import VideoNames
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Selection
from annotation.records.ids import Json
from annotation.records.runs import ModelCall, Run
from annotation.records.videos import Frame, Video
from annotation.store.store import Store
from annotation.systems.progress_captioner.frame_sequences import (
    SEQUENCE,
    Frames,
    caption_names,
    caption_runs,
    sequences_of,
)
from annotation.texts.which_text_counts import Values
from exports.files.evaluations_and_corrections import by_ids, pick
from exports.progress_captioner import progcap_frame_names as names


@dataclass(frozen=True, slots=True)
class Written:
    """One record of a file."""

    model: str
    """The model in an imported file, or the run's unique name, so that two runs of one model are two files.

    Empty for a sequence without captions.
    """
    run_id: str
    video_id: str
    frames: Frames
    record: Mapping[str, Json]
    """All fields but the response."""
    captions: tuple[str, ...]
    response: Json
    """The response to write; None if there is none."""
    baseline: bool
    at: float
    """Creation time, which determines the order of records in a file."""


def written(store: Store, values: Values) -> Iterator[Written]:
    """Yield the sequences of every run with frame captions, then sequences without captions."""
    given = {s.id: s for s in store.find(Selection, method=SEQUENCE, order_by=["created_at", "id"])}
    videos = {video.id: video for video in store.find(Video)}
    video_names = VideoNames(store, "frames")
    used: set[str] = set()
    called = caption_names(store)
    for run in caption_runs(store):
        texts = store.find(Text, run_id=run.id, kind="frame", order_by=["created_at", "id"])
        calls = by_ids(store, ModelCall, {text.call_id for text in texts if text.call_id})
        of_file = [t for t in texts if t.call_id in calls and "sequence" in calls[str(t.call_id)].request]
        if of_file:
            yield from _imported(store, run, of_file, calls, given, values)
            used |= {str(call.request.get("sequence")) for call in calls.values()}
        elif texts:
            yield from _ours(store, run, called[run.id], texts, videos, video_names, values)
    for sequence in given.values():
        if sequence.id not in used:
            record = _record(sequence)
            yield Written(
                "", "", sequence.video_id, sequence.frames, record, (), None, False, sequence.created_at
            )


def _imported(
    store: Store,
    run: Run,
    texts: Sequence[Text],
    calls: Mapping[str, ModelCall],
    given: Mapping[str, Selection],
    values: Values,
) -> Iterator[Written]:
    """Yield imported records unchanged, with people's corrections of captions."""
    groups: dict[str, list[Text]] = defaultdict(list)
    for text in texts:
        groups[str(text.call_id)].append(text)
    now = store.currents("text", [text.id for text in texts], "value")
    for call_id, group in groups.items():
        call = calls[call_id]
        sequence = given.get(str(call.request["sequence"]))
        if sequence is None:
            continue
        index = {frame.id: frame.index for frame in store.find(Frame, video_id=sequence.video_id)}
        said = {index[text.subject_id]: str(pick(now[text.id], values)) for text in group}
        captions = tuple(said.get(i, "") for i in sequence.frames)
        as_list, raw = call.request.get("as") == "json", call.reply
        changed = values == "current" and any(now[text.id].corrected for text in group)
        response: Json = json.loads(raw) if as_list else raw
        if changed:
            response = list(captions) if as_list else names.response(captions)
        record = _record(sequence)
        yield Written(
            run.model,
            run.id,
            sequence.video_id,
            sequence.frames,
            record,
            captions,
            response,
            run.baseline,
            call.created_at,
        )


def _record(sequence: Selection) -> dict[str, Json]:
    about = sequence.params
    record = {key: about[key] for key in ("idx",) if key in about}
    if about.get("label") is not None:
        record["action_label"] = about["label"]
    record |= {key: about[key] for key in ("n_frames", "image_files", "query0") if key in about}
    more = about.get("more")
    return record | (dict(more) if isinstance(more, dict) else {})


def _ours(
    store: Store,
    run: Run,
    called: str,
    texts: Sequence[Text],
    videos: Mapping[str, Video],
    video_names: VideoNames,
    values: Values,
) -> Iterator[Written]:
    """Yield captions of our own runs, in sequences of at most six neighbouring frames."""
    by_video: dict[str, dict[str, str]] = defaultdict(dict)
    for text, now in store.not_superseded(text for text in texts if text.state == "done"):
        by_video[text.video_id][text.subject_id] = str(pick(now, values))
    number = 0
    for video_id, of_frame in by_video.items():
        video = videos[video_id]
        frames = {f.index: f for f in store.find(Frame, video_id=video_id) if f.id in of_frame}
        for sequence in sequences_of(store, video_id, frames):
            seconds = [names.second_of(video, frames[i]) for i in sequence]
            captions = tuple(of_frame[frames[i].id] for i in sequence)
            mode = str(run.params.get("mode") or "c")
            record: dict[str, Any] = {"idx": f"{number:04d}"}
            if video.action:
                record["action_label"] = video.action
            record |= {
                "n_frames": len(sequence),
                "image_files": names.image_names(video_names.name(video_id), seconds),
                "query0": names.query(len(sequence), video.action, mode if mode in "abc" else "c"),
            }
            number += 1
            yield Written(
                called,
                run.id,
                video_id,
                sequence,
                record,
                captions,
                names.response(captions),
                run.baseline,
                run.created_at,
            )
