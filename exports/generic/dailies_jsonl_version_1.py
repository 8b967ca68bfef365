"""`dailies-jsonl` version 1, written by 0.1.0: three records had other names, opinions had no owner."""

from __future__ import annotations

from annotation.records.decisions import Correction, ErrorSource
from annotation.records.ids import record_id
from annotation.store.import_spool import Row, Spool
from annotation.store.opinions_of_0_1_0 import taken_back_for_others
from annotation.store.rows import to_row
from exports.files.read_text_and_json import Item

NAMES_OF_TODAY = {"Judgement": "Verdict", "Blame": "ErrorSource", "Waiver": "Dismissal"}


def with_names_of_today(item: Item) -> Item:
    """Convert one line to version 2."""
    row = item.value
    if isinstance(row, dict):
        row["record"] = NAMES_OF_TODAY.get(str(row.get("record")), row.get("record"))
        if "judgement_id" in row:
            row["verdict_id"] = row.pop("judgement_id")
        if row.get("subject_type") == "judgement":
            row["subject_type"] = "verdict"
    return item


def take_back_for_all(spool: Spool, corrections: dict[str, Row]) -> None:
    """Add withdrawals for decisions that someone withdrew for everyone, to `spool` and `corrections`."""
    _take_back_verdicts(corrections)
    sources = sorted(spool.of_kind(ErrorSource), key=lambda one: (one.created_at, one.id))
    videos = {one.verdict_id: one.video_id for one in sources}
    rows = ((one.verdict_id, one.person_id, not one.kind, one.created_at) for one in sources)
    for verdict_id, person_id, at in taken_back_for_others(rows):
        spool.add(
            ErrorSource(
                id=record_id("blm", verdict_id, person_id, at),
                video_id=videos[verdict_id],
                verdict_id=verdict_id,
                person_id=person_id,
                kind="",
                created_at=at,
            )
        )


def _take_back_verdicts(corrections: dict[str, Row]) -> None:
    given = [row for row in corrections.values() if row["subject_type"] == "verdict"]
    given.sort(key=lambda row: row["revision"])
    last = {row["subject_id"]: row["revision"] for row in given}
    rows = ((row["subject_id"], row["person_id"], row["cleared"], row["created_at"]) for row in given)
    for verdict_id, person_id, at in taken_back_for_others(rows):
        last[verdict_id] += 1
        added = Correction(
            id=record_id("cor", verdict_id, person_id, at),
            subject_type="verdict",
            subject_id=verdict_id,
            field="verdict",
            value=None,
            cleared=True,
            revision=last[verdict_id],
            person_id=person_id,
            reason="",
            created_at=at,
        )
        corrections[added.id] = to_row(added)
