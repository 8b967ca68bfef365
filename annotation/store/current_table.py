"""The `current` table: machine values with people's corrections applied.

All functions run inside a transaction of the store.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, and_, select, update

from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.decisions import Exclusion
from annotation.records.elements import Element
from annotation.records.ids import Json
from annotation.records.record_union import Record
from annotation.records.system_facts import kinds_with
from annotation.records.videos import Segment
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks, insert_rows
from annotation.store.stale_values import refresh, refresh_made_from
from backends.digest import digest

CURRENT = t.current.c
Row = dict[str, Any]
"""A row of a table, by column."""
FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("value",),
    "answer": ("value",),
    "segment": ("text", "pieces"),
    "question": ("text", "reference"),
    "verdict": ("verdict",),
    "element": ("value",),
}
"""Fields that can be corrected, by subject type."""
_VERDICT_SLOT = "judgement"
"""Part of the stored slots of verdicts. It keeps the word of 0.1.0, so that existing slots stay valid."""


def current_query(subject_type: str, field: str, ids: Sequence[str]) -> Any:
    """Select rows of `current`, each with the id of the person who last changed it as `by`."""
    c, k = CURRENT, t.correction.c
    rows = select(t.current, k.person_id.label("by")).outerjoin(t.correction, k.id == c.correction_id)
    return rows.where(c.subject_type == subject_type, c.field == field, among(c.subject_id, ids))


def machine_rows(kind: type[Record], row: Row) -> list[Row]:
    """Return the rows of `current` for the row of a new record."""
    made = _MACHINE_ROWS.get(kind)
    return made(row) if made else []


def _of_text(row: Row) -> list[Row]:
    author = row["run_id"] or row["person_id"] or row["dataset_id"]
    slot = digest("text", author, row["kind"], row["subject_id"])
    return [_row(row, "text", "value", row["value"], slot, row["state"])]


def _of_segment(row: Row) -> list[Row]:
    slot = digest("segment", row["id"])
    return [
        _row(row, "segment", "text", row["text"], slot),
        _row(row, "segment", "pieces", None, f"{slot}-pieces"),
    ]


def _of_question(row: Row) -> list[Row]:
    return [
        _row(row, "question", name, row[name], digest("question", row["id"], name))
        for name in FIELDS["question"]
    ]


def _of_answer(row: Row) -> list[Row]:
    slot = digest("answer", row["run_id"], row["question_id"])
    return [
        _row(row, "answer", "value", row["value"], slot, row["state"]) | {"question_id": row["question_id"]}
    ]


def _of_verdict(row: Row) -> list[Row]:
    # `_place_verdicts` completes the slot of a verdict on an answer, once the question is known.
    slot = digest(_VERDICT_SLOT, row["run_id"], row["subject_id"], row["kind"])
    value = {"label": row["label"], "score": row["score"]}
    return [_row(row, "verdict", "verdict", value, slot, row["state"]) | value]


def _of_element(row: Row) -> list[Row]:
    return [_row(row, "element", "value", row["value"], digest("element", row["id"])) | {"kind": None}]


_MACHINE_ROWS: Mapping[type[Record], Callable[[Row], list[Row]]] = {
    Text: _of_text,
    Segment: _of_segment,
    Question: _of_question,
    Answer: _of_answer,
    Verdict: _of_verdict,
    Element: _of_element,
}


def _row(row: Row, subject_type: str, field: str, value: Json, slot: str, state: str = "done") -> Row:
    return {
        "subject_type": subject_type,
        "subject_id": row["id"],
        "field": field,
        "video_id": row["video_id"],
        "run_id": row["run_id"],
        "question_id": None,
        "kind": row.get("kind"),
        "slot": slot,
        "value": value,
        "state": state,
        "label": "",
        "score": None,
        "revision": 0,
        "correction_id": None,
        "corrected": False,
        "confirmed": False,
        "disputed": False,
        "stale": False,
        "superseded": False,
        "error_source": "",
        "updated_at": row.get("created_at", 0.0),
        "baseline": row.get("baseline", False),
    }


def add_machine_values(conn: Connection, kind: type[Record], new: Sequence[Row]) -> None:
    """Add the values of new records of one kind, supersede the values they replace, and mark stale ones.

    Derived texts are marked by `refresh` once all texts are written.
    """
    if kind is Exclusion:
        changed_videos.touch(conn, (row["video_id"] for row in new))
    rows = [made for row in new for made in machine_rows(kind, row)]
    if not rows:
        return
    if kind is Verdict:
        _place_verdicts(conn, new, rows)
    _supersede(conn, rows)
    insert_rows(conn, t.current, rows)
    if kind is Answer:
        refresh(conn, answers=[row["id"] for row in new])
    elif kind is Verdict:
        refresh(conn, verdicts=[row["id"] for row in new])
    changed_videos.touch(conn, (row["video_id"] for row in rows))


def _place_verdicts(conn: Connection, new: Sequence[Row], rows: Sequence[Row]) -> None:
    """Set the question and the aspect of verdicts on answers, so that lists need no joins."""
    subject_of = {x["id"]: x["subject_id"] for x in new if x["subject_type"] == "answer"}
    found: dict[str, tuple[str, str]] = {}
    for ids in chunks(subject_of.values()):
        query = (
            select(t.answer.c.id, t.answer.c.question_id, t.question.c.kind)
            .join(t.question, t.question.c.id == t.answer.c.question_id)
            .where(among(t.answer.c.id, ids))
        )
        found.update({answer: (asked, kind) for answer, asked, kind in conn.execute(query).all()})
    for row in rows:
        place = found.get(subject_of.get(row["subject_id"], ""))
        if place:
            row["question_id"], row["kind"] = place
            row["slot"] = digest(_VERDICT_SLOT, row["run_id"], place[0])


def _supersede(conn: Connection, rows: Sequence[Row]) -> None:
    """Mark older results as superseded, except texts that a person has corrected."""
    kept = _corrected_texts(conn, [row["slot"] for row in rows if row["subject_type"] == "text"])
    latest: dict[str, Row] = {}
    for row in rows:  # the last row of a batch wins
        if row["slot"] in latest:
            latest[row["slot"]]["superseded"] = True
        row["superseded"] = row["slot"] in kept
        latest[row["slot"]] = row
    for slots in chunks(slot for slot in latest if slot not in kept):
        conn.execute(update(t.current).where(among(CURRENT.slot, slots)).values(superseded=True))


def _corrected_texts(conn: Connection, slots: Iterable[str]) -> set[str]:
    """Return the slots whose current text was written by a machine or a dataset and corrected by a person.

    A person's own text is stored as corrections of an empty record. A newer text by the same person
    replaces it.
    """
    found: set[str] = set()
    for group in chunks(slots):
        query = (
            select(CURRENT.slot)
            .join(t.text, t.text.c.id == CURRENT.subject_id)
            .where(among(CURRENT.slot, group), CURRENT.corrected.is_(True), CURRENT.superseded.is_(False))
            .where(t.text.c.person_id.is_(None))
        )
        found.update(conn.scalars(query))
    return found


def shown_while_written(conn: Connection, text_id: str, value: Json) -> dict[str, bool]:
    """Return the columns of `current` to change when a person's own text becomes empty or non-empty.

    An empty text is superseded, so that it does not hide the texts of others. It becomes current again with
    its first word, unless another text of the person has replaced it.
    """
    c = t.text.c
    row = conn.execute(select(c.kind, c.person_id).where(c.id == text_id)).one()
    if row.person_id is None or row.kind in kinds_with("in_form"):
        return {}
    if not str(value).strip():
        return {"superseded": True}
    slot = select(CURRENT.slot).where(CURRENT.subject_type == "text", CURRENT.subject_id == text_id)
    others = select(CURRENT.subject_id).where(
        CURRENT.slot == slot.scalar_subquery(), CURRENT.superseded.is_(False), CURRENT.subject_id != text_id
    )
    return {} if conn.scalar(others.limit(1)) else {"superseded": False}


def take_back(conn: Connection, text_ids: Iterable[str]) -> None:
    """Mark these texts as superseded."""
    for ids in chunks(text_ids):
        where = (CURRENT.subject_type == "text", among(CURRENT.subject_id, ids))
        conn.execute(update(t.current).where(*where).values(superseded=True))


def set_value(conn: Connection, subject_type: str, subject_id: str, field: str, **values: Any) -> None:
    """Write one value of `current` and refresh the values made from it."""
    where = and_(
        CURRENT.subject_type == subject_type, CURRENT.subject_id == subject_id, CURRENT.field == field
    )
    conn.execute(update(t.current).where(where).values(**values))
    refresh_made_from(conn, subject_type, subject_id)
    # Values made from this one belong to the same video.
    changed_videos.touch(conn, conn.scalars(select(CURRENT.video_id).where(where)))


def machine_value(conn: Connection, subject_type: str, subject_id: str, field: str) -> Json:
    """Return the value from the machine, or from the file that the record was imported from."""
    table = t.metadata.tables[subject_type]
    row = conn.execute(select(table).where(table.c.id == subject_id)).one()
    if subject_type == "verdict":
        return {"label": row.label, "score": row.score}
    return None if field == "pieces" else getattr(row, field)  # only people cut segments
