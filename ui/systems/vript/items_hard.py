"""Vript-RR and Vript-ERO on the Verdicts page: how each reply was read, beside the right answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import permutations

from annotation.records.errors import NotFound
from annotation.records.runs import Run
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.vript.ero_scores import hits
from annotation.systems.vript.hard_items import OPEN, HardRow, hard_rows, model_of, right_answer, rr_item
from annotation.systems.vript.hard_replies import (
    NONE,
    SCENES,
    SETTING_WORDS,
    order_flag,
    read_option,
    read_order,
)
from ui.lib.item_sources import Detail, ItemSource, evaluation_of
from ui.lib.item_wire_types import ItemChoice, ItemJudged, ItemRow
from ui.lib.shared_wire_types import VideoTitle
from ui.lib.view_parts import history_json, people_by_id, run_json
from ui.systems.vript.wire_types import (
    HardShown,
    OrderItem,
    OrderJudged,
    OrderShown,
    ShotItem,
    ShotJudged,
    ShotShown,
)

_described = re.compile(r"\[?Scene \(([A-Z])\)\]?\s*:?\s*")
RANKS = {"flagged": 0.0, "no": 1.0, "unparsed": 2.0, "failed": 2.5, "missing": 3.0, "done": 4.0, "yes": 5.0}


def _one(store: Store, item_id: str) -> HardRow:
    found = hard_rows(store, evaluation_of(store, item_id), [item_id])
    if not found:
        raise NotFound("this item no longer exists; reload the list")
    return found[0]


def _row(
    row: HardRow,
    *,
    text: str,
    note: str,
    state: str,
    flag: str = "",
    score: float | None = None,
    facets: Mapping[str, str] | None = None,
) -> ItemRow:
    shown = "flagged" if flag else state
    return ItemRow(
        id=row.verdict.id,
        video_id=row.verdict.video_id,
        title=row.title,
        text=text or "(no annotation)",
        note=note,
        state=shown,
        label=row.label,
        rank=RANKS.get(shown, 4.0),
        score=score,
        corrected=row.now.changed,
        confirmed=row.now.confirmed,
        stale=row.now.stale,
        flag=flag,
        facets=facets or {},
    )


def _state(row: HardRow, right: bool | None) -> str:
    if row.now.state != "done":
        return row.now.state
    return "done" if right is None else "yes" if right else "no"


def _judged(store: Store, row: HardRow) -> ItemJudged:
    """How the reply was read, by the rule and by people."""
    return {
        "label": row.label,
        "machine": {"label": row.now.machine["label"], "score": row.now.machine["score"]},
        "machine_state": row.verdict.state,
        "corrected": row.now.changed,
        "confirmed": row.now.confirmed,
        "raw": row.verdict.raw,
        "reason": row.verdict.reason,
        "history": history_json(store.history("verdict", row.verdict.id, "verdict"), people_by_id(store)),
        "run": run_json(store.get(Run, row.verdict.run_id)),
    }


def _shown(store: Store, row: HardRow, choices: list[ItemChoice]) -> HardShown:
    """The model's input and its reply.

    The video is that of the frames, which may be a file of the scene alone.
    """
    return {
        "video": _video(store, row),
        "choices": choices,
        "name": row.name,
        "known": row.item is not None,
        "reply": {"value": row.text.value, "state": row.text.state} if row.text else None,
        "frames": list(row.text.frames) if row.text else [],
        "model": model_of(store, evaluation_of(store, row.verdict.id)),
        "setting": SETTING_WORDS.get(row.setting, ""),
        "place": row.place,
        "baseline": row.verdict.baseline,
    }


def _choice(value: str, words: str, mark: str = "") -> ItemChoice:
    return {"value": value, "words": words, "mark": mark}


def _video(store: Store, row: HardRow) -> VideoTitle:
    """The video of the frames; if the scene's own file was removed, the whole video."""
    shown = row.text.video_id if row.text else row.verdict.video_id
    if shown != row.verdict.video_id and (files := store.find(Video, id=shown)):
        return {"id": shown, "title": files[0].title}
    return {"id": row.verdict.video_id, "title": row.title}


# --- the order of scenes --------------------------------------------------------------


def ero_rows(store: Store, evaluation_id: str) -> list[ItemRow]:
    return [_ero_row(row) for row in hard_rows(store, evaluation_id)]


def _ero_row(row: HardRow) -> ItemRow:
    answer = right_answer(row)
    right = row.label == answer if answer and row.label else None
    flag = order_flag(row.label)
    first = next(iter(described(str(row.value.get("question", ""))).values()), "")
    score = float(hits(row.label, answer)) if answer and row.label else None
    return _row(
        row,
        text=row.title,
        note=first or row.verdict.subject_id,
        flag=flag,
        score=score,
        state=_state(row, right),
    )


def described(question: str) -> dict[str, str]:
    """The descriptions of the scenes by letter; empty if the question has another form."""
    marks = list(_described.finditer(question))
    if [mark.group(1) for mark in marks] != list(SCENES):
        return {}
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    return {mark.group(1): question[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)}


def ero_detail(store: Store, item_id: str) -> Detail:
    row = _one(store, item_id)
    question, answer = str(row.value.get("question", "")), right_answer(row)
    read = read_order(row.text.value if row.text else "")
    choices: list[ItemChoice] = [
        *(_choice("".join(order), " ".join(order)) for order in permutations(SCENES)),
        _choice(NONE, "names no order", "missing"),
    ]
    shown: OrderShown = {
        **_shown(store, row, choices),
        "question": question,
        "scenes": described(question),
        "answer": answer,
    }
    judged: OrderJudged = {
        **_judged(store, row),
        "flag": order_flag(row.label),
        "machine_flag": order_flag(str(row.now.machine["label"])),
        "rule": read.rule,
        "spans": read.spans,
        "hits": hits(row.label, answer) if answer else None,
    }
    return Detail("ero", shown, judged, row.now.state, row.now.revision, {"raw"})


ERO = ItemSource(
    name="ero",
    label="ERO",
    title="Vript-ERO: the order of scenes",
    systems=("vript-ero",),
    what="order",
    wire=OrderItem,
    rows=ero_rows,
    detail=ero_detail,
)


# --- questions about one scene --------------------------------------------------------


def rr_rows(store: Store, evaluation_id: str) -> list[ItemRow]:
    return [_rr_row(row) for row in hard_rows(store, evaluation_id)]


def _rr_row(row: HardRow) -> ItemRow:
    right = rr_item(row)
    kind = "open answer" if row.verdict.kind == OPEN else "multiple choice"
    setting = SETTING_WORDS.get(row.setting, "")
    facets = {"place": row.place, "setting": setting, "kind": kind}
    return _row(
        row,
        text=str(row.value.get("question", "")),
        state=_state(row, right.right if right.known else None),
        note=" · ".join(word for word in (row.place, setting, row.title) if word),
        facets={name: word for name, word in facets.items() if word},
    )


def rr_detail(store: Store, item_id: str) -> Detail:
    row = _one(store, item_id)
    is_open = row.verdict.kind == OPEN
    options = [] if is_open else [str(choice) for choice in row.value.get("multiple_choice") or ()]
    read = read_option(row.text.value if row.text else "")
    shown: ShotShown = {
        **_shown(store, row, _ratings() if is_open else _letters(options)),
        "question": str(row.value.get("question", "")),
        "hint": str(row.value.get("hint", "")),
        "options": options,
        "answer": right_answer(row),
        "open": is_open,
        "scene": str(row.value.get("scene_description", "")),
        "clip": row.item.name if row.item else "",
        "shot": dict(row.scene),
        "share": float(row.place.split()[0]) / 100 if row.place else None,
    }
    judged: ShotJudged = {
        **_judged(store, row),
        "spans": [read.span] if read.span and not is_open else [],
        "others": list(read.others),
        "right": rr_item(row).right,
    }
    return Detail("rr", shown, judged, row.now.state, row.now.revision, {"raw", "others"})


def _ratings() -> list[ItemChoice]:
    return [_choice("yes", "right", "yes"), _choice("no", "wrong", "no")]


def _letters(options: Sequence[str]) -> list[ItemChoice]:
    """The options by letter; the first four letters if the options are not known."""
    letters = "ABCDEFGHI"[: len(options) or 4]
    words = {letter: f"{letter} {option}" for letter, option in zip(letters, options, strict=False)}
    named = [_choice(letter, words.get(letter, letter)) for letter in letters]
    return [*named, _choice(NONE, "names no option", "missing")]


RR = ItemSource(
    name="rr",
    label="RR",
    title="Vript-RR: questions about one scene",
    systems=("vript-rr",),
    what="answer",
    wire=ShotItem,
    rows=rr_rows,
    detail=rr_detail,
)
