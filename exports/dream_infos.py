"""`dream-infos`: DREAM_eval_infos.jsonl, what the evaluation code of CaReBench leaves of CapST.

One line per video: `idx`, `gt`, `pred`; `events_gt` (elements of the reference with the verdict by the
prediction), `events_pred` (the other way round), the same for `objects_`; and the counts as words,
`events_hit_num_recall: "hit: 3 / 8"`. There is no video name: captions are matched by their words.
Source: MCG-NJU/CaReBench f67d9aa, `utils/dream_gpt.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.capst import KINDS, ElementKind
from annotation.records import Evaluation, Json, Run, Text
from annotation.scores.capst import SideName
from annotation.store.capst_sides import Judged, JudgedSide, capst_sides, runs_of_evaluation
from annotation.store.store import Store
from annotation.store.systems import find_of
from exports.batch import Batch, Output, Source, Values, Wanted
from exports.capst_intake import CapstIntake, texts_of
from exports.caption_match import published_form
from exports.reading import Head, json_items
from exports.values import pick
from exports.writing import json_line

NAME = "dream-infos"
_PARTS: tuple[tuple[SideName, str, str], ...] = (
    ("reference", "gt", "recall"), ("prediction", "pred", "precision"),
)  # fmt: skip
FIELDS: tuple[tuple[ElementKind, SideName, str, str], ...] = tuple(
    (kind, side, f"{kind}s_{part}", f"{kind}s_hit_num_{metric}")
    for kind in KINDS
    for side, part, metric in _PARTS
)
"""Kind, whose elements they are, and the names of their list and of their count."""
_HIT = re.compile(r"hit:\s*(\d+)\s*/\s*(\d+)")


def recognise(head: Head) -> bool:
    first = head.first
    return isinstance(first, dict) and "gt" in first and any(field in first for _, _, field, _ in FIELDS)


def read(source: Source) -> Batch:
    """Captions, elements and verdicts as an evaluation of CapST. Raises FormatError."""
    found = CapstIntake(source, NAME)
    for item in json_items(source.path):
        value = item.value
        texts = texts_of(value)
        if texts is None:
            found.intake.problem(item.where, "no gt and pred; left out")
            continue
        pair = found.pair(item.where, value.get("idx", item.where), *texts)
        if pair:
            for field in FIELDS:
                _add_side(found, item.where, value, pair, field)
    return found.batch()


def _add_side(
    found: CapstIntake, where: str, value: Mapping[str, Json], pair: tuple[Text, str, Text],
    field: tuple[ElementKind, SideName, str, str],
) -> None:  # fmt: skip
    kind, side, name, counts = field
    reference, read, predicted = pair
    own, caption = (reference, read) if side == "reference" else (predicted, predicted.value)
    description = predicted.value if side == "reference" else read
    entries = value.get(name)
    words = [_words(entry, kind) for entry in entries] if isinstance(entries, list) else None
    if words is None or not all(words):
        what = f"{name} is no list" if words is None else f"{name} has an entry without {kind}"
        found.intake.problem(where, f"{what}; it counts as not extracted")
        found.no_elements(own, kind, what)
        return
    ids = found.elements(own, caption, kind, words)
    hits = sum(
        found.verdict(own.video_id, element, word, description, entry)
        for element, word, entry in zip(ids, words, entries, strict=True)  # type: ignore[arg-type]
    )
    stated = _HIT.search(str(value.get(counts, "")))
    if stated and (int(stated[1]), int(stated[2])) != (hits, len(words)):
        found.intake.problem(
            where, f"{counts} says {stated[1]} of {stated[2]}, the list gives {hits} of {len(words)}"
        )


def _words(entry: Json, kind: ElementKind) -> str:
    found = entry.get(kind) if isinstance(entry, dict) else None
    return found if isinstance(found, str) and found.strip() else ""


# --- writing ------------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """The lines of an evaluation of CapST, captions as the evaluation code writes them. Raises NotFound."""
    evaluation = find_of(wanted.store, "capst", wanted.evaluation_id or "")
    rows = list(info_rows(wanted.store, evaluation, wanted.values))
    if rows:
        yield "", [json_line(row) for row in rows]


def info_rows(store: Store, evaluation: Evaluation, values: Values) -> Iterator[dict[str, Any]]:
    """One per video that has verdicts, in the order of their numbers."""
    by_video: dict[str, list[JudgedSide]] = {}
    for side in capst_sides(store, evaluation.id):
        by_video.setdefault(side.video.id, []).append(side)
    numbers = numbered(store, evaluation, list(by_video))
    for video_id, idx in numbers.items():
        sides = by_video[video_id]
        texts = {side.side: side.own.id for side in sides}
        now = store.currents("text", list(texts.values()), "value")
        row: dict[str, Any] = {"idx": idx}
        for name, key in (("reference", "gt"), ("prediction", "pred")):
            row[key] = published_form(str(pick(now[texts[name]], values)))  # type: ignore[index]
        for kind, name, field, counts in FIELDS:
            side = next(s for s in sides if (s.kind, s.side) == (kind, name))
            row |= _side_json(side, kind, field, counts, values)
        yield row


def numbered(store: Store, evaluation: Evaluation, video_ids: Sequence[str]) -> dict[str, Json]:
    """`{video id: idx}` in the order of idx: those of the file that it came from, else counted from 0."""
    runs = store.find(Run, id=runs_of_evaluation(store, evaluation.id).get("captions", []))
    given: dict[str, Json] = {}
    for run in runs:
        given |= run.params.get("idx") or {}
    taken = {str(idx) for idx in given.values()}
    free = (n for n in range(len(video_ids) + len(taken)) if str(n) not in taken)
    numbers = {video_id: given[video_id] if video_id in given else next(free) for video_id in video_ids}
    return dict(sorted(numbers.items(), key=lambda pair: _order(pair[1])))


def _order(idx: Json) -> tuple[int, int, str]:
    text = str(idx)
    return (0, int(text), "") if text.isdecimal() else (1, 0, text)


def _side_json(
    side: JudgedSide, kind: ElementKind, field: str, counts: str, values: Values
) -> dict[str, Json]:
    if side.elements is None or side.to_score.state != "done":
        return {}
    entries = [_entry_json(one, kind, values) for one in side.judged]
    hits = sum(entry["relationship"] == "entailment" for entry in entries)
    return {field: entries, counts: f"hit: {hits} / {len(entries)}"}


def _entry_json(one: Judged, kind: ElementKind, values: Values) -> dict[str, str]:
    verdict = one.verdict
    label = verdict.human if verdict.human and values == "current" else verdict.label
    reason = one.judgement.reason if one.judgement else ""
    return {kind: str(pick(one.one.now, values)), "relationship": label or verdict.state, "reason": reason}
