"""`keyframes`: selected frames as pictures with captions, a contact sheet, and all data as JSON.

A folder with `keyframes.json` (candidates, captions, verdicts, every row with its reasons), `captions.txt`,
and per video a contact sheet and one JPEG per selected frame. The page offers the same for one row.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from annotation.checks.frame_caption_checks import other_frames
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.errors import NotFound
from annotation.records.ids import Json
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.store.store import Store
from annotation.systems.progress_captioner.keyframe_budget import BUDGET
from annotation.systems.progress_captioner.keyframe_rows_by_method import Row, redundancy, repeated_captions
from annotation.systems.progress_captioner.keyframes_of_video import (
    CaptionOfFrame,
    PairVerdict,
    Sheet,
    read_sheet,
)
from annotation.texts.which_text_counts import Values
from backends.errors import DailiesError, UsageError
from backends.protocols import Picture
from backends.video.timed_pictures_to_mp4 import slide_film
from exports.files.format_types import Output, Wanted
from exports.files.read_text_and_json import Head
from exports.files.write_files import safe_names
from exports.progress_captioner.contact_sheet import SHOWN_MS, Tile, draw_sheet, moving_picture
from exports.progress_captioner.slide import SlideRow, draw_slide

NAME = "keyframes"
VERSION = 1
FILE, WORDS = "keyframes.json", "captions.txt"
HOW = {
    "progression": "kept by progression",
    "uniform": "kept at equal distances",
    "clusters": "one of each group that looks alike",
    "person": "picked by a person",
}
SHEET_WIDTH = 520
"""Width in pixels of a frame on a contact sheet."""


def recognise(head: Head) -> bool:
    return head.folder and FILE in head.names and WORDS in head.names


def write(wanted: Wanted) -> Iterable[Output]:
    """Write the progression row of every video with frame captions."""
    store = wanted.store
    ids = sorted({text.video_id for text in store.find(Text, kind="frame")})
    videos = store.find(Video, id=ids, order_by=["title", "id"])
    with tempfile.TemporaryDirectory() as folder:
        media = MediaLibrary(Path(folder))
        try:
            sheets = [read_sheet(store, media, video.id) for video in videos]
            sheets = [sheet for sheet in sheets if sheet.captions]
            people = people_names(store)
            outputs: list[Output] = []
            for stem, sheet in zip(safe_names([s.video.title for s in sheets], ""), sheets, strict=True):
                row = sheet.rows[0] if wanted.values == "current" else sheet.as_judged or sheet.rows[0]
                outputs.append((f"{stem} contact sheet.png", contact_sheet(sheet, media, row, wanted.values)))
                outputs += pictures(sheet, media, row, f"{stem} ")
        finally:
            media.close()
    if not sheets:
        return []
    document = {"format": NAME, "version": VERSION, "videos": [sheet_json(s, people) for s in sheets]}
    words = "\n".join(captions_text(s, s.rows[0], wanted.values) for s in sheets)
    return [(FILE, [_dumped(document)]), (WORDS, [words]), *outputs]


def people_names(store: Store) -> dict[str, str]:
    return {person.id: person.name for person in store.find(Person)}


def pick_row(sheet: Sheet, key: str, person_id: str = "", budget: int = BUDGET) -> Row:
    """Return the row that the page calls `key`.

    `person_id` selects the person whose number of frames applies to rows of a person's size, `budget` is the
    number of frames of fixed-size rows. Raises NotFound.
    """
    made = [*sheet.rows, *sheet.rows_of_budget(budget)]
    rows = {f"{row.method}:{row.size_of}" if row.size_of else row.method: row for row in made}
    if sheet.as_judged:
        rows["as judged"] = sheet.as_judged
    for picked in sheet.picks:
        rows[f"person:{picked.person_id}"] = Row("person", picked.frames)
        if picked.person_id == person_id:
            rows |= {f"{r.method}:person": r for r in sheet.rows_of_size(len(picked.frames))}
    if key not in rows:
        raise NotFound(f"no row {key!r}; reload the page")
    return rows[key]


# --- JSON and text ----------------------------------------------------------------------


def row_document(sheet: Sheet, people: dict[str, str], budget: int = BUDGET) -> str:
    """Return one video's keyframes as a JSON text."""
    return _dumped({"format": NAME, "version": VERSION, "videos": [sheet_json(sheet, people, budget)]})


def _dumped(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def sheet_json(sheet: Sheet, people: dict[str, str], budget: int = BUDGET) -> dict[str, Any]:
    """Return all data on one video's keyframes; `budget` as in `pick_row`."""
    run, judge = (sheet.author.run if sheet.author else None), sheet.judge
    judged = [sheet.as_judged] if sheet.as_judged else []
    rows = [*sheet.rows, *judged, *sheet.rows_of_budget(budget)]
    people_rows = [
        _row(sheet, Row("person", picked.frames)) | {"by": people.get(picked.person_id or "", "a person")}
        for picked in sheet.picks
    ]
    return {
        "video": sheet.video.id,
        "title": sheet.video.title,
        "action": sheet.video.action,
        "captions_by": {
            "model": run.model,
            "baseline": run.baseline,
            "prompt": run.prompt_hash,
            "params": dict(run.params),
        }
        if run
        else None,
        "judged_by": {"model": judge.model, "baseline": judge.baseline, "prompt": judge.prompt_hash}
        if judge
        else None,
        "alike_by": sheet.looks if sheet.vectors is not None else None,
        "candidates": [_candidate(caption) for caption in sheet.captions],
        "verdicts": [_verdict(verdict) for verdict in sheet.verdicts],
        "rows": [_row(sheet, row) | {"as_judged": row is sheet.as_judged} for row in rows] + people_rows,
    }


def _candidate(caption: CaptionOfFrame) -> dict[str, Any]:
    return {
        "frame": caption.index,
        "seconds": None if caption.seconds is None else round(caption.seconds, 6),
        "caption": caption.words,
        "machine": str(caption.now.machine),
        "state": caption.text.state,
        "corrected": caption.now.corrected,
        "stale": caption.stale,
        "names_other_frames": bool(other_frames(caption.words)),
    }


def _verdict(pair: PairVerdict) -> dict[str, Any]:
    verdict = pair.verdict
    return {
        "frames": list(pair.frames),
        "label": pair.label,
        "judge": verdict.label,
        "state": verdict.state,
        "corrected_by": pair.by or None,
        "stale": pair.stale,
        "raw": verdict.raw,
        "picture_difference": verdict.extra.get("difference"),
    }


def _row(sheet: Sheet, row: Row) -> dict[str, Any]:
    vectors = sheet.vectors_of(row.frames)
    alike = None if vectors is None else redundancy(vectors)
    said = {caption.index: caption.words for caption in sheet.captions}
    return {
        "method": row.method,
        "size_of": row.size_of or None,
        "frames": list(row.frames),
        "redundancy": None if alike is None else round(alike, 4),
        "repeated_captions": repeated_captions([said.get(index, "") for index in row.frames]),
        "note": row.note or None,
        "reasons": {str(index): why for index, why in row.reasons.items()},
    }


def captions_text(sheet: Sheet, row: Row, values: Values = "current") -> str:
    """Return one paragraph per selected frame, below a heading with the selection method."""
    lines = [sheet.video.title, *_about(sheet, row), ""]
    for caption in _kept(sheet, row):
        lines += [
            f"{_name(caption)}  {_time(caption)}".rstrip(),
            _words(caption, values) or "(no caption)",
            "",
        ]
    return "\n".join(lines)


# --- pictures ---------------------------------------------------------------------------


def pictures(sheet: Sheet, media: MediaLibrary, row: Row, before: str = "") -> list[Output]:
    """Return one JPEG per selected frame, full size, numbered in order; none if the file is missing."""
    found: list[Output] = []
    for n, frame in enumerate(row.frames, start=1):
        try:
            picture = media.still(sheet.video, frame, "jpg")
        except (DailiesError, IndexError):
            continue
        seconds = {c.index: c.seconds for c in sheet.captions}.get(frame)
        at = "" if seconds is None else f" ({seconds:.3f} s)"
        found.append((f"{before}{n:02} frame {frame}{at}.jpg", picture))
    return found


def contact_sheet(sheet: Sheet, media: MediaLibrary, row: Row, values: Values = "current") -> bytes:
    """Return a PNG with every selected frame."""
    tiles = _tiles(sheet, row, _pictures_of(sheet, media, row.frames), values)
    return draw_sheet(sheet.video.title, _about(sheet, row), tiles, _shape(sheet))


def _tiles(sheet: Sheet, row: Row, looks: Mapping[int, Any], values: Values) -> list[Tile]:
    known = {caption.index: caption for caption in sheet.captions}
    tiles = []
    for frame in row.frames:
        caption = known.get(frame)
        words = _words(caption, values) if caption else "(not among the candidates shown)"
        tiles.append(Tile(frame, f"#{frame:,}", _time(caption) if caption else "", words, looks.get(frame)))
    return tiles


def _shape(sheet: Sheet) -> float:
    facts = sheet.video.facts
    return facts.width / facts.height if facts else 16 / 9


def animation(sheet: Sheet, media: MediaLibrary, row: Row) -> bytes:
    """Return a GIF of the selected frames in order. Raises UsageError if their pictures are missing."""
    return moving_picture(_shown(sheet, media, row))


def film(sheet: Sheet, media: MediaLibrary, row: Row) -> bytes:
    """Return an MP4 of the selected frames, as `animation` does."""
    return slide_film(_shown(sheet, media, row), SHOWN_MS)


def slide(sheet: Sheet, media: MediaLibrary, budget: int = BUDGET) -> bytes:
    """Return one 16:9 JPEG of all rows of `budget` frames. Identical rows are drawn once, with both names."""
    alike: dict[tuple[int, ...], list[Row]] = {}
    for row in sheet.rows_of_budget(budget):
        alike.setdefault(row.frames, []).append(row)
    looks = _pictures_of(sheet, media, sorted({frame for frames in alike for frame in frames}))
    rows = [
        SlideRow(
            " and ".join(row.method for row in same),
            same[0].note or HOW[same[0].method],
            _tiles(sheet, same[0], looks, "current"),
        )
        for same in alike.values()
    ]
    about = [f"{len(sheet.captions)} candidates", *_models(sheet, "progression")]
    if sheet.video.action:
        about.insert(0, sheet.video.action)
    return draw_slide(sheet.video.title, " · ".join(about), rows, _shape(sheet))


def _shown(sheet: Sheet, media: MediaLibrary, row: Row) -> list[Picture]:
    """Return the selected frames in order. Raises UsageError if no picture is available."""
    looks = _pictures_of(sheet, media, row.frames)
    if not looks:
        raise UsageError("these frames have no pictures, because the video file is missing; attach it")
    return [looks[frame] for frame in row.frames if frame in looks]


def _pictures_of(sheet: Sheet, media: MediaLibrary, frames: Sequence[int]) -> dict[int, Any]:
    try:
        with media.reader(sheet.video) as reader:
            return dict(reader.frames(sorted(frames), width=SHEET_WIDTH))
    except (DailiesError, IndexError):
        return {}


# --- words ------------------------------------------------------------------------------


def _about(sheet: Sheet, row: Row) -> list[str]:
    """Return the lines below a title: the selection, its method, and the models."""
    first = f"{len(row.frames)} of {len(sheet.captions)} candidates, {row.note or HOW[row.method]}"
    if sheet.video.action:
        first = f"{sheet.video.action} · {first}"
    return [first, " · ".join(_models(sheet, row.method))]


def _models(sheet: Sheet, method: str) -> list[str]:
    """Return who wrote the captions and, if the method uses verdicts, who judged."""
    run, judge = (sheet.author.run if sheet.author else None), sheet.judge
    by = [f"captions by {_who(run)}" if run else "captions from a file"]
    if judge and method == "progression":
        corrected = sum(bool(verdict.by) for verdict in sheet.verdicts)
        by.append(f"judged by {_who(judge)}" + (f", {corrected} corrected by people" if corrected else ""))
    return by


def _who(run: Any) -> str:
    return "the baseline (no model)" if run.baseline else str(run.model)


def _kept(sheet: Sheet, row: Row) -> list[CaptionOfFrame]:
    return [caption for caption in sheet.captions if caption.index in set(row.frames)]


def _words(caption: CaptionOfFrame, values: Values) -> str:
    return caption.words if values == "current" else str(caption.now.machine)


def _name(caption: CaptionOfFrame) -> str:
    return f"#{caption.index:,}"


def _time(caption: CaptionOfFrame) -> str:
    if caption.seconds is None:
        return ""
    minutes, seconds = divmod(caption.seconds, 60)
    return f"{int(minutes):02}:{seconds:06.3f}"
