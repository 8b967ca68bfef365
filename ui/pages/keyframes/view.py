"""The Keyframes page as data: candidates with captions, progression, and rows of keyframes to compare."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.checks.frame_caption_checks import other_frames
from annotation.records.decisions import Person, Selection
from annotation.replies.reply_readers import read_letter
from annotation.stages.media_library import MediaLibrary
from annotation.store.opinion_rules import own_labels
from annotation.store.run_names import run_names
from annotation.store.store import Store
from annotation.systems.progress_captioner.action_name_and_rerun import options_of
from annotation.systems.progress_captioner.keyframe_budget import BUDGET
from annotation.systems.progress_captioner.keyframe_rows_by_method import (
    TOLERANCE,
    Row,
    agreement,
    redundancy,
    repeated_captions,
)
from annotation.systems.progress_captioner.keyframes_of_video import (
    Author,
    CaptionOfFrame,
    PairVerdict,
    Sheet,
    read_sheet,
)
from annotation.texts.writers import Writer, written_by
from ui.lib.view_parts import people_by_id, player_json, run_json, text_json, value_json
from ui.pages.keyframes.wire_types import (
    CandidateFrame,
    CaptionAuthor,
    JudgedPair,
    KeyframeRow,
    KeyframesPage,
    RowAgreement,
    RowMeasures,
)


def keyframes_json(
    store: Store,
    media: MediaLibrary,
    video_id: str,
    *,
    player: bool = True,
    person_id: str = "",
    author: str = "",
    looks: str = "",
    budget: int = BUDGET,
) -> KeyframesPage:
    """The Keyframes page. `person_id` is the person whose row the others are compared with.

    `author` and `looks` are those of `read_sheet`; `budget` is the number of frames in rows of a fixed size.
    Without `player` that part is None, for pages that already have it. Raises NotFound.
    """
    sheet = read_sheet(store, media, video_id, author, looks)
    people = people_by_id(store)
    mine = next((s for s in sheet.picks if s.person_id == person_id), None)
    names = run_names(one.run for one in sheet.authors if one.run)
    by = written_by(store, ((one.text, one.now) for one in sheet.captions))
    with store.reading() as conn:
        opinions = own_labels(conn, person_id, [one.verdict.id for one in sheet.verdicts])
    return {
        "video": {"id": sheet.video.id, "title": sheet.video.title, "action": sheet.video.action},
        "player": player_json(store, media, sheet.video) if player else None,
        "author": sheet.author.id if sheet.author else "",
        "authors": [_author(one, names) for one in sheet.authors],
        "judge": run_json(sheet.judge),
        "looks": sheet.looks,
        "looks_offered": list(sheet.looks_offered),
        "tolerance": TOLERANCE,
        "frames": [_frame(one, people, by[one.text.id][0]) for one in sheet.captions],
        "pairs": [{**_pair(one), "mine": opinions.get(one.verdict.id, "")} for one in sheet.verdicts],
        "rows": _rows(sheet, mine, people, budget),
        "budget": budget,
        "stale": {
            "captions": sum(one.stale for one in sheet.captions),
            "verdicts": sum(one.stale for one in sheet.verdicts),
        },
    }


def _author(author: Author, names: Mapping[str, str]) -> CaptionAuthor:
    run = author.run
    return {
        "id": author.id,
        "frames": author.frames,
        "at": author.at,
        "model": run.model if run else "",
        "name": names[run.id] if run else "",
        "baseline": bool(run and run.baseline),
        "stage": run.stage if run else "",
        "options": options_of(run) if run else None,
    }


def _frame(caption: CaptionOfFrame, people: Mapping[str, Person], by: Writer) -> CandidateFrame:
    text = text_json(caption.text, caption.now, people, by)
    return {
        "index": caption.index,
        "seconds": caption.seconds,
        "caption": {**text, "stale": caption.stale},
        "readable": caption.readable,
        "other_frames": other_frames(caption.words),
    }


def _pair(pair: PairVerdict) -> JudgedPair:
    verdict = pair.verdict
    return {
        **value_json(pair.now, "verdict", verdict.id, "verdict"),
        "id": verdict.id,
        "frames": list(pair.frames),
        "label": pair.label,
        "judged": verdict.label,
        "judged_state": verdict.state,
        "by": pair.by,
        "reason": verdict.reason,
        "raw": verdict.raw,
        "letter": read_letter(verdict.raw, "ABC").letter,
        "difference": verdict.extra.get("difference"),
        "baseline": verdict.baseline,
        "stale": pair.stale,
    }


# --- rows -------------------------------------------------------------------------------


def _rows(
    sheet: Sheet, mine: Selection | None, people: Mapping[str, Person], budget: int
) -> list[KeyframeRow]:
    """Progression, with the judge's version if people changed it; the other methods; people's rows."""
    if not sheet.captions:
        return [_person_row(sheet, s, mine, people) for s in sheet.picks]
    progression, *others = sheet.rows
    rows = [_row(sheet, progression, mine)]
    if sheet.as_judged:
        rows.append({**_row(sheet, sheet.as_judged, mine), "key": "as judged"})
    rows += [_row(sheet, row, mine) for row in (*others, *sheet.rows_of_budget(budget))]
    if mine and mine.frames:
        rows += [_row(sheet, row, mine) for row in sheet.rows_of_size(len(mine.frames))]
    return rows + [_person_row(sheet, s, mine, people) for s in sheet.picks]


def _row(sheet: Sheet, row: Row, mine: Selection | None) -> KeyframeRow:
    judge, measures = sheet.judge, _measures(sheet, row.frames, mine)
    return {
        "key": f"{row.method}:{row.size_of}" if row.size_of else row.method,
        "method": row.method,
        "size_of": row.size_of,
        "frames": list(row.frames),
        "reasons": {str(index): why for index, why in row.reasons.items()},
        "note": row.note,
        "baseline": row.method == "progression" and bool(judge and judge.baseline),
        "by": "",
        "person_id": None,
        "redundancy": measures["redundancy"],
        "repeated": measures["repeated"],
        "captions": measures["captions"],
        "agreement": measures["agreement"],
    }


def _person_row(
    sheet: Sheet, picked: Selection, mine: Selection | None, people: Mapping[str, Person]
) -> KeyframeRow:
    who = people.get(picked.person_id or "")
    return {
        "key": f"person:{picked.person_id}",
        "method": "person",
        "size_of": "",
        "frames": list(picked.frames),
        "reasons": {},
        "note": "",
        "baseline": False,
        "by": who.name if who else "a person",
        "person_id": picked.person_id,
        "created_at": picked.created_at,
        **_measures(sheet, picked.frames, None if picked is mine else mine),
    }


def _measures(sheet: Sheet, frames: tuple[int, ...], mine: Selection | None) -> RowMeasures:
    """How repetitive a row is, and how far it agrees with the person's own row."""
    vectors = sheet.vectors_of(frames)
    alike = None if vectors is None else redundancy(vectors)
    words_of = {caption.index: caption.words for caption in sheet.captions}
    words = [words_of[index] for index in frames if words_of.get(index)]
    return {
        "redundancy": _rounded(alike),
        "repeated": repeated_captions(words),
        "captions": len(words),
        "agreement": _agreement(sheet, frames, mine.frames) if mine and mine.frames else None,
    }


def _agreement(sheet: Sheet, frames: tuple[int, ...], wanted: tuple[int, ...]) -> RowAgreement:
    found = agreement(sheet.indices, frames, wanted)
    return {
        "matched": found.matched,
        "picked": found.picked,
        "wanted": found.wanted,
        "exact": found.exact,
        "precision": _rounded(found.precision),
        "recall": _rounded(found.recall),
        "f1": _rounded(found.f1),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
