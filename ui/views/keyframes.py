"""The Keyframes page as data: candidates with captions, progression, rows of keyframes side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from annotation.frame_wording import other_frames
from annotation.keyframe_rows import TOLERANCE, Row, agreement, redundancy, repeated_captions
from annotation.keyframe_work import options_of
from annotation.pipeline.keyframe_sheet import Author, FrameCaption, Sheet, Verdict, read_sheet
from annotation.pipeline.media import MediaLibrary
from annotation.records import Person, Selection
from annotation.replies import read_letter
from annotation.store.store import Store
from ui.views.common import people_by_id, player_json, run_json, text_json, value_json


def keyframes_json(
    store: Store, media: MediaLibrary, video_id: str, *, player: bool = True, person_id: str = "",
    author: str = "", looks: str = "",
) -> dict[str, Any]:  # fmt: skip
    """`person_id`: whose own row the others are compared with. `author` and `looks` as for `read_sheet`.

    Without `player` its part is None, for a page that has it already. Raises NotFound.
    """
    sheet = read_sheet(store, media, video_id, author, looks)
    people = people_by_id(store)
    mine = next((s for s in sheet.picks if s.person_id == person_id), None)
    return {
        "video": {"id": sheet.video.id, "title": sheet.video.title, "action": sheet.video.action},
        "player": player_json(store, media, sheet.video) if player else None,
        "author": sheet.author.id if sheet.author else "",
        "authors": [_author(one) for one in sheet.authors],
        "judge": run_json(sheet.judge),
        "looks": sheet.looks, "looks_offered": list(sheet.looks_offered), "tolerance": TOLERANCE,
        "frames": [_frame(one, people) for one in sheet.captions],
        "pairs": [_pair(one) for one in sheet.verdicts],
        "rows": _rows(sheet, mine, people),
        "stale": {"captions": sum(one.stale for one in sheet.captions),
                  "verdicts": sum(one.stale for one in sheet.verdicts)},
    }  # fmt: skip


def _author(author: Author) -> dict[str, Any]:
    run = author.run
    options = options_of(run) if run else None
    return {
        "id": author.id, "frames": author.frames, "at": author.at, "model": run.model if run else "",
        "baseline": bool(run and run.baseline), "stage": run.stage if run else "",
        "options": asdict(options) if options else None,
    }  # fmt: skip


def _frame(caption: FrameCaption, people: Mapping[str, Person]) -> dict[str, Any]:
    text = text_json(caption.text, caption.now, dict(people))
    return {
        "index": caption.index, "seconds": caption.seconds, "caption": text | {"stale": caption.stale},
        "readable": caption.readable, "other_frames": other_frames(caption.words),
    }  # fmt: skip


def _pair(verdict: Verdict) -> dict[str, Any]:
    judgement = verdict.judgement
    now = value_json(verdict.now, "judgement", judgement.id, "verdict")
    return now | {
        "id": judgement.id, "frames": list(verdict.frames), "label": verdict.label, "judged": judgement.label,
        "judged_state": judgement.state, "by": verdict.by, "reason": judgement.reason, "raw": judgement.raw,
        "letter": read_letter(judgement.raw, "ABC").letter, "difference": judgement.extra.get("difference"),
        "baseline": judgement.baseline, "stale": verdict.stale,
    }  # fmt: skip


# --- rows -------------------------------------------------------------------------------


def _rows(sheet: Sheet, mine: Selection | None, people: Mapping[str, Person]) -> list[dict[str, Any]]:
    """Progression, with the judge's own beside it where people changed it; the others; people's rows."""
    if not sheet.captions:
        return [_person_row(sheet, s, mine, people) for s in sheet.picks]
    progression, *others = sheet.rows
    rows = [_row(sheet, progression, mine)]
    if sheet.as_judged:
        rows.append(_row(sheet, sheet.as_judged, mine) | {"key": "as judged"})
    rows += [_row(sheet, row, mine) for row in others]
    if mine and mine.frames:
        rows += [_row(sheet, row, mine) for row in sheet.rows_of_size(len(mine.frames))]
    return rows + [_person_row(sheet, s, mine, people) for s in sheet.picks]


def _row(sheet: Sheet, row: Row, mine: Selection | None) -> dict[str, Any]:
    judge = sheet.judge
    return {
        "key": f"{row.method}:{row.size_of}" if row.size_of else row.method, "method": row.method,
        "size_of": row.size_of, "frames": list(row.frames),
        "reasons": {str(index): why for index, why in row.reasons.items()},
        "baseline": row.method == "progression" and bool(judge and judge.baseline),
        "by": "", "person_id": None,
    } | _measures(sheet, row.frames, mine)  # fmt: skip


def _person_row(
    sheet: Sheet, picked: Selection, mine: Selection | None, people: Mapping[str, Person]
) -> dict[str, Any]:
    who = people.get(picked.person_id or "")
    return {
        "key": f"person:{picked.person_id}", "method": "person", "size_of": "", "frames": list(picked.frames),
        "reasons": {}, "baseline": False, "by": who.name if who else "a person",
        "person_id": picked.person_id, "created_at": picked.created_at,
    } | _measures(sheet, picked.frames, None if picked is mine else mine)  # fmt: skip


def _measures(sheet: Sheet, frames: tuple[int, ...], mine: Selection | None) -> dict[str, Any]:
    """How far a row repeats itself, and how far it has what one's own row has."""
    vectors = sheet.vectors_of(frames)
    alike = None if vectors is None else redundancy(vectors)
    said = {caption.index: caption.words for caption in sheet.captions}
    words = [said[index] for index in frames if said.get(index)]
    found = {
        "redundancy": None if alike is None else round(alike, 4), "repeated": repeated_captions(words),
        "captions": len(words), "agreement": None,
    }  # fmt: skip
    if mine is None or not mine.frames:
        return found
    a = agreement(sheet.indices, frames, mine.frames)
    rates = {name: getattr(a, name) for name in ("precision", "recall", "f1")}
    counts = {"matched": a.matched, "picked": a.picked, "wanted": a.wanted, "exact": a.exact}
    return found | {
        "agreement": counts | {name: None if x is None else round(x, 4) for name, x in rates.items()}
    }
