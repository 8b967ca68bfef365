"""`dream-infos`: DREAM_eval_infos.jsonl, the CapST output of CaReBench's evaluation code.

One line per video: `idx`, `gt`, `pred`; `events_gt` (elements of the reference with the verdict by the
prediction), `events_pred` (the reverse), the same for `objects_`; and the counts as text,
`events_hit_num_recall: "hit: 3 / 8"`. There are no video names, so captions are matched by their text. If an
extraction found nothing, its list has the whole caption as its element, with the count "hit: 1 / 0" or
"hit: 0 / 0"; it scores 1. Such a list is read as empty.
Source: MCG-NJU/CaReBench f67d9aa, `utils/dream_gpt.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.records.captions_to_verdicts import Text
from annotation.records.ids import Json
from annotation.records.runs import Evaluation, Run
from annotation.store.benchmark_of_evaluation import find_of
from annotation.store.store import Store
from annotation.systems.carebench.capst_requests import KINDS, ElementKind
from annotation.systems.carebench.capst_scores import SideName
from annotation.systems.carebench.judged_elements import Judged, JudgedSide, capst_sides, runs_of_evaluation
from annotation.texts.which_text_counts import Values
from exports.carebench.capst_import import CapstIntake, texts_of
from exports.carebench.caption_match import plain_caption
from exports.files.evaluations_and_corrections import pick
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.read_text_and_json import Head, json_items
from exports.files.write_files import json_line

NAME = "dream-infos"
_PARTS: tuple[tuple[SideName, str, str], ...] = (
    ("reference", "gt", "recall"),
    ("prediction", "pred", "precision"),
)
FIELDS: tuple[tuple[ElementKind, SideName, str, str], ...] = tuple(
    (kind, side, f"{kind}s_{part}", f"{kind}s_hit_num_{metric}")
    for kind in KINDS
    for side, part, metric in _PARTS
)
"""Kind, side of the elements, and the names of their list and of their count."""
_HIT = re.compile(r"hit:\s*(\d+)\s*/\s*(\d+)")


def recognise(head: Head) -> bool:
    first = head.first
    return isinstance(first, dict) and "gt" in first and any(field in first for _, _, field, _ in FIELDS)


def read(source: Source) -> Batch:
    """Read captions, elements and verdicts as an evaluation of CapST. Raises FormatError."""
    found, empty = CapstIntake(source, NAME), 0
    for item in json_items(source.path):
        value = item.value
        texts = texts_of(value)
        if texts is None:
            found.intake.problem(item.where, "gt or pred is missing; left out")
            continue
        pair = found.pair(item.where, value.get("idx", item.where), *texts)
        if pair:
            empty += sum(_add_side(found, item.where, value, pair, field) for field in FIELDS)
    if empty:
        what = f"{empty} lists have the caption instead of elements (hit: k / 0)"
        found.intake.problem(source.path.name, f"{what}; read as empty, which CaReBench counts as 1")
    return found.batch()


def _add_side(
    found: CapstIntake,
    where: str,
    value: Mapping[str, Json],
    pair: tuple[Text, str, Text],
    field: tuple[ElementKind, SideName, str, str],
) -> bool:
    """Add one list of elements with its verdicts. Returns whether it had the caption instead."""
    kind, side, name, counts = field
    reference, read, predicted = pair
    own, caption = (reference, read) if side == "reference" else (predicted, predicted.value)
    description = predicted.value if side == "reference" else read
    entries = value.get(name)
    stated = _HIT.search(str(value.get(counts, "")))
    listed = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else None
    if listed is None or listed != entries:
        what = f"{name} is not a list" if listed is None else f"{name} has an entry without {kind}"
        found.intake.problem(where, f"{what}; it counts as not extracted")
        found.no_elements(own, kind, what)
        return False
    words = [_words(entry, kind) for entry in listed]
    if _is_the_caption(words, caption, stated):
        found.elements(own, caption, kind, [])
        return True
    if not all(words):
        found.intake.problem(where, f"{name} has an entry without {kind}; its verdict is kept")
        words = [word or f"({kind} {number})" for number, word in enumerate(words, 1)]
    ids = found.elements(own, caption, kind, words)
    hits = sum(
        found.verdict(own.video_id, element, word, description, entry)
        for element, word, entry in zip(ids, words, listed, strict=True)
    )
    if stated and (int(stated[1]), int(stated[2])) != (hits, len(words)):
        found.intake.problem(
            where, f"{counts} says {stated[1]} of {stated[2]}, the list gives {hits} of {len(words)}"
        )
    return False


def _is_the_caption(words: Sequence[str], caption: str, stated: re.Match[str] | None) -> bool:
    """Return whether the only entry is the caption, which the evaluation code writes for no elements."""
    if len(words) != 1:
        return False
    return int(stated[2]) == 0 if stated else plain_caption(words[0]) == plain_caption(caption)


def _words(entry: Mapping[str, Json], kind: ElementKind) -> str:
    """Return the element's text, also if a judge calls an object an event."""
    found = [entry[key] for key in (kind, *KINDS, "element") if isinstance(entry.get(key), str)]
    return next((str(words) for words in found if str(words).strip()), "")


# --- writing ------------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the lines of an evaluation of CapST, with captions in lower case. Raises NotFound."""
    evaluation = find_of(wanted.store, "capst", wanted.evaluation_id or "")
    rows = list(info_rows(wanted.store, evaluation, wanted.values))
    if rows:
        yield "", [json_line(row) for row in rows]


def info_rows(store: Store, evaluation: Evaluation, values: Values) -> Iterator[dict[str, Any]]:
    """Yield one row per video with verdicts, ordered by number."""
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
            row[key] = str(pick(now[texts[name]], values)).lower()  # type: ignore[index]
        for kind, name, field, counts in FIELDS:
            side = next(s for s in sides if (s.kind, s.side) == (kind, name))
            row |= _side_json(side, kind, field, counts, values)
        yield row


def numbered(store: Store, evaluation: Evaluation, video_ids: Sequence[str]) -> dict[str, Json]:
    """Return `{video id: idx}` ordered by idx: numbers of the imported file, else counted from 0."""
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
    counted = one.counted
    label = counted.human if counted.human and values == "current" else counted.label
    reason = one.verdict.reason if one.verdict else ""
    return {kind: str(pick(one.one.now, values)), "relationship": label or counted.state, "reason": reason}
