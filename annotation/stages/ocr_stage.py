"""Reads text in a few frames of every scene, in keyframes where possible.

A frame that looks like the one before is not read. Each line is stored once, with the first and the last
frame that show it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from sqlalchemy import delete

from annotation.records.ids import Json, record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Measurement, Scene, ScreenText, Video
from annotation.stages.frames_shown_to_models import NO_SCENES, shown_scenes
from annotation.stages.media_library import path_of
from annotation.stages.newest_screen_texts import FRAMES_READ
from annotation.stages.probe_scenes_speech import facts_of
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_results import StageResults, skipped
from annotation.stages.stage_spec import StageSpec
from annotation.stages.text_spans import LineSpan, ReadFrame, follow
from annotation.store import tables as t
from annotation.store.store import Store
from backends.errors import MediaError
from backends.protocols import FrameReader, Picture, PtsTable, ScreenLine, TextReader
from backends.scenes.resume_file import Notes, Part, identity

EVERY_S = 5.0
"""Seconds of a scene per frame that is read."""
LONGEST_SIDE = 1280
"""Maximum side of the pictures that are read, in pixels."""
SMALL = (160, 90)
"""Width and height of the grey pictures that are compared."""
BLOCK = 10
"""Side of their squares in pixels. A new word changes one square, but hardly the whole picture."""
DIFFERENCE = 8.0
"""Grey levels, 0 to 255: squares whose mean difference is smaller look alike."""
FLAT = 3.0
"""Grey levels (standard deviation): below it a picture is black or of a single colour."""
PARAMS: Mapping[str, Json] = {"every_s": EVERY_S, "longest_side": LONGEST_SIDE, "difference": DIFFERENCE}
BATCH = 8
"""Number of frames between saves of unfinished work."""

Small = npt.NDArray[np.float32]


def run_text(context: Context, video: Video) -> StageResults | None:
    """Read lines of text on screen from frames of the current scenes.

    Skipped if it is turned off, or if there are no scenes.
    """
    reader = context.engines.text_reader()
    if reader is None:
        return skipped("turned off")
    run = context.start_run(
        make_run("text", backend=reader.name, model=reader.name, params={**reader.params, **PARAMS})
    )
    about = record_id("msr", run.id, video.id, FRAMES_READ)
    table = context.media.table(video)
    chosen = frames_to_read(shown_scenes(context.store, video), table)
    if not chosen:
        return skipped(NO_SCENES)
    if _looked_at(context.store.find(Measurement, id=about)) != chosen:
        frames = _read_frames(context, video, reader, about, chosen)
        _replace(context.store, text_records(run, video, table, about, frames, chosen))
    context.media.finished(video, about)
    return None


def _looked_at(known: Sequence[Measurement]) -> list[int]:
    """Return the frames chosen for a reading; version 0.1.0 stored only those that could be decoded."""
    value = known[0].value if known else {}
    return list(value.get("frames") or sorted([*value.get("read", ()), *value.get("same_as_before", ())]))


def _replace(store: Store, records: Sequence[Record]) -> None:
    """Replace this run's results for earlier cuts, because their frames no longer match the scenes."""
    looked_at = records[0]
    assert isinstance(looked_at, Measurement)
    lines = t.screen_text.c
    with store.writing() as conn:
        old = (lines.run_id == looked_at.run_id, lines.video_id == looked_at.video_id)
        conn.execute(delete(t.screen_text).where(*old))
        store.put(looked_at)
        store.add(records[1:])


def text_records(
    run: Run,
    video: Video,
    table: PtsTable,
    about: str,
    frames: Sequence[ReadFrame],
    chosen: Sequence[int],
) -> list[Record]:
    """Return one measurement (id `about`) with the `chosen` frames that were read, and the lines."""
    read = [one.frame for one in frames if one.lines is not None]
    looked_at = Measurement(
        id=about,
        video_id=video.id,
        run_id=run.id,
        subject_type="video",
        subject_id=video.id,
        kind=FRAMES_READ,
        value={
            "frames": list(chosen),
            "read": read,
            "same_as_before": [one.frame for one in frames if one.lines is None],
        },
    )
    lines = [_screen_text(run, video, table, index, span) for index, span in enumerate(follow(frames))]
    return [looked_at, *lines]


def _screen_text(run: Run, video: Video, table: PtsTable, index: int, span: LineSpan) -> ScreenText:
    seconds = table.seconds
    ends = float(seconds[span.last + 1]) if span.last + 1 < len(seconds) else float(table.end_s)
    return ScreenText(
        id=record_id("sct", run.id, video.id, index),
        video_id=video.id,
        run_id=run.id,
        index=index,
        text=span.best.text,
        score=round(span.best.score, 4),
        box=span.best.box,
        frame=span.frame,
        pts=int(table.pts[span.frame]),
        first_frame=span.first,
        last_frame=span.last,
        start_s=max(0.0, float(seconds[span.first])),
        end_s=ends,
    )


# --- which frames ---------------------------------------------------------------------


def frames_to_read(scenes: Sequence[Scene], table: PtsTable) -> list[int]:
    """Return one frame per stretch of a scene: the keyframe nearest to its middle, else the middle frame.

    Keyframes decode without other frames. For a film of two hours this takes minutes, not hours.
    """
    seconds = table.seconds
    keys = np.searchsorted(table.pts, table.keyframes)
    chosen: set[int] = set()
    for scene in scenes:
        count = max(1, round((scene.end_s - scene.start_s) / EVERY_S))
        length = scene.end_frame - scene.start_frame
        for n in range(count):
            first = scene.start_frame + n * length // count
            after = max(first + 1, scene.start_frame + (n + 1) * length // count)
            chosen.add(_nearest(seconds, keys, first, min(after, len(seconds))))
    return sorted(chosen)


def _nearest(seconds: npt.NDArray[np.float64], keys: npt.NDArray[np.int64], first: int, after: int) -> int:
    """Return the keyframe in [first, after) nearest to the middle; the middle frame if there is none."""
    middle = (first + after - 1) // 2
    inside = keys[(keys >= first) & (keys < after)]
    if not len(inside):
        return middle
    return int(inside[np.argmin(np.abs(seconds[inside] - seconds[middle]))])


# --- reading --------------------------------------------------------------------------


def _read_frames(
    context: Context, video: Video, reader: TextReader, about: str, chosen: list[int]
) -> list[ReadFrame]:
    """Read the frames in order. Continues from saved work after a stop."""
    notes = Notes(
        context.media.unfinished(video, about),
        {"frames": chosen, "engine": reader.name, "params": dict(PARAMS), "file": identity(path_of(video))},
    )
    parts = notes.read()
    done = [one for part in parts for one in _noted(part)]
    last = parts[-1]["small"] if parts else None
    batches = [chosen[at : at + BATCH] for at in range(0, len(chosen), BATCH)]
    for number in range(len(parts), len(batches)):
        with context.media.reader(video) as frames:
            found, last = _read_batch(frames, _width(video), reader, batches[number], last)
        notes.add({"lines": np.array(json.dumps([_json(one) for one in found])), "small": last})
        done += found
        context.progress(video, "text", min((number + 1) * BATCH, len(chosen)), len(chosen))
    return done


def _read_batch(
    frames: FrameReader, width: int, reader: TextReader, indices: Sequence[int], last: Small | None
) -> tuple[list[ReadFrame], Small]:
    """Read these frames; return the results and the small picture of the last frame that was read.

    `last` is the small picture of the frame read before them. Frames that cannot be decoded are left out.
    """
    found = []
    for index, picture in _decoded(frames, indices, width):
        small = small_picture(picture)
        if last is not None and last.size and looks_alike(small, last):
            found.append(ReadFrame(index, None))
            continue
        last = small
        found.append(ReadFrame(index, () if small.std() < FLAT else reader.read(picture)))
    return found, np.zeros((0, 0), np.float32) if last is None else last


def _decoded(frames: FrameReader, indices: Sequence[int], width: int) -> Iterator[tuple[int, Picture]]:
    for index in indices:
        try:
            picture = frames.frame(index, width=width)
        except MediaError:
            continue  # This frame is damaged; others may be readable.
        yield index, picture


def _width(video: Video) -> int:
    facts = facts_of(video)
    return max(1, round(facts.width * min(1.0, LONGEST_SIDE / max(facts.width, facts.height))))


def small_picture(picture: Picture) -> Small:
    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    return np.asarray(cv2.resize(grey, SMALL, interpolation=cv2.INTER_AREA), np.float32)


def looks_alike(a: Small, b: Small) -> bool:
    """Return whether no square differs between two small pictures."""
    width, height = SMALL
    squares = np.abs(a - b).reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK)
    return float(squares.mean(axis=(1, 3)).max()) < DIFFERENCE


def _json(one: ReadFrame) -> dict[str, Any]:
    return {"frame": one.frame, "lines": None if one.lines is None else [astuple(s) for s in one.lines]}


def _noted(part: Part) -> list[ReadFrame]:
    return [
        ReadFrame(one["frame"], None if one["lines"] is None else tuple(map(_line, one["lines"])))
        for one in json.loads(str(part["lines"]))
    ]


def _line(value: Sequence[Any]) -> ScreenLine:
    text, score, box = value
    return ScreenLine(text, score, (box[0], box[1], box[2], box[3]))


TEXT = StageSpec(
    "text",
    "text on screen",
    run_text,
    doing="reading text on screen",
    engines=("text_reader",),
    apart=True,
    optional=True,
)
