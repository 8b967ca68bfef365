"""The `current` table: machine values with people's corrections laid over them.

Everything here runs inside a transaction of the store. A change of one value finds what
was made from it and marks that stale, or fresh again, by comparing fingerprints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, and_, select, update

from annotation import fingerprints
from annotation.records import (
    Answer,
    Element,
    Exclusion,
    Json,
    Judgement,
    Question,
    Record,
    Segment,
    Text,
    digest,
)
from annotation.store import changes
from annotation.store import tables as t
from annotation.store.bulk import among, chunks, insert_rows

CURRENT = t.current.c
FIELDS: Mapping[str, tuple[str, ...]] = {
    "text": ("value",),
    "answer": ("value",),
    "segment": ("text", "pieces"),
    "question": ("text", "reference"),
    "judgement": ("verdict",),
    "element": ("value",),
}
"""What can be corrected, by subject type."""


def machine_rows(record: Record) -> list[dict[str, Any]]:
    """The rows of `current` that a new record brings."""
    if isinstance(record, Text):
        author = record.run_id or record.person_id or record.dataset_id
        slot = digest("text", author, record.kind, record.subject_id)
        return [_row(record, "text", "value", record.value, slot=slot, state=record.state, kind=record.kind)]
    if isinstance(record, Segment):
        return [
            _row(record, "segment", "text", record.text, slot=digest("segment", record.id)),
            _row(record, "segment", "pieces", None, slot=f"{digest('segment', record.id)}-pieces"),
        ]
    if isinstance(record, Question):
        return [
            _row(record, "question", name, value, slot=digest("question", record.id, name), kind=record.kind)
            for name, value in (("text", record.text), ("reference", record.reference))
        ]
    if isinstance(record, Answer):
        slot = digest("answer", record.run_id, record.question_id)
        row = _row(record, "answer", "value", record.value, slot=slot, state=record.state)
        return [row | {"question_id": record.question_id}]
    if isinstance(record, Judgement):
        # The slot of a verdict on an answer is completed by `_place_verdicts`, which knows the question.
        slot = digest("judgement", record.run_id, record.subject_id, record.kind)
        value = {"label": record.label, "score": record.score}
        row = _row(record, "judgement", "verdict", value, slot=slot, state=record.state, kind=record.kind)
        return [row | {"label": record.label, "score": record.score}]
    if isinstance(record, Element):
        return [_row(record, "element", "value", record.value, slot=digest("element", record.id))]
    return []


def _row(
    record: Text | Segment | Question | Answer | Judgement | Element,
    subject_type: str,
    field: str,
    value: Json,
    *,
    slot: str,
    state: str = "done",
    kind: str | None = None,
) -> dict[str, Any]:
    return {
        "subject_type": subject_type, "subject_id": record.id, "field": field,
        "video_id": record.video_id, "run_id": record.run_id, "question_id": None, "kind": kind,
        "slot": slot, "value": value, "state": state, "label": "", "score": None, "revision": 0,
        "corrected": False, "stale": False, "superseded": False, "blame": "",
        "updated_at": getattr(record, "created_at", 0.0), "baseline": getattr(record, "baseline", False),
    }  # fmt: skip


def lay_machine_values(conn: Connection, new: Sequence[Record]) -> None:
    """Add the new records' values, supersede what they replace, and mark staleness."""
    rows = [row for record in new for row in machine_rows(record)]
    changes.touch(conn, (x.video_id for x in new if isinstance(x, Exclusion)))
    if not rows:
        return
    _place_verdicts(conn, new, rows)
    _supersede(conn, rows)
    insert_rows(conn, t.current, rows)
    refresh(conn, texts=[x.id for x in new if isinstance(x, Text) and x.source_text_id])
    refresh(conn, answers=[x.id for x in new if isinstance(x, Answer)])
    refresh(conn, judgements=[x.id for x in new if isinstance(x, Judgement)])
    changes.touch(conn, (row["video_id"] for row in rows))


def _place_verdicts(conn: Connection, new: Sequence[Record], rows: Sequence[dict[str, Any]]) -> None:
    """Give verdicts on answers the question and the aspect, so that lists need no joins for them."""
    subject_of = {x.id: x.subject_id for x in new if isinstance(x, Judgement) and x.subject_type == "answer"}
    found: dict[str, tuple[str, str]] = {}
    for ids in chunks(subject_of.values()):
        query = (
            select(t.answer.c.id, t.answer.c.question_id, t.question.c.kind)
            .join(t.question, t.question.c.id == t.answer.c.question_id)
            .where(among(t.answer.c.id, ids))
        )
        found.update({row.id: (row.question_id, row.kind) for row in conn.execute(query)})
    for row in rows:
        place = found.get(subject_of.get(row["subject_id"], ""))
        if place:
            row["question_id"], row["kind"] = place
            row["slot"] = digest("judgement", row["run_id"], place[0])


def _supersede(conn: Connection, rows: Sequence[dict[str, Any]]) -> None:
    """Newer results replace older ones, but never a text that a person has put right."""
    kept = _corrected_texts(conn, [row["slot"] for row in rows if row["subject_type"] == "text"])
    latest: dict[str, dict[str, Any]] = {}
    for row in rows:  # within one batch the last one counts
        if row["slot"] in latest:
            latest[row["slot"]]["superseded"] = True
        row["superseded"] = row["slot"] in kept
        latest[row["slot"]] = row
    for slots in chunks(slot for slot in latest if slot not in kept):
        conn.execute(update(t.current).where(among(CURRENT.slot, slots)).values(superseded=True))


def _corrected_texts(conn: Connection, slots: Iterable[str]) -> set[str]:
    """Those slots whose text counts now as a person left it."""
    found: set[str] = set()
    for group in chunks(slots):
        query = select(CURRENT.slot).where(
            among(CURRENT.slot, group), CURRENT.corrected.is_(True), CURRENT.superseded.is_(False)
        )
        found.update(conn.scalars(query))
    return found


def set_value(conn: Connection, subject_type: str, subject_id: str, field: str, **values: Any) -> None:
    """Write one value of `current` and refresh what was made from it."""
    where = and_(
        CURRENT.subject_type == subject_type, CURRENT.subject_id == subject_id, CURRENT.field == field
    )
    conn.execute(update(t.current).where(where).values(**values))
    if subject_type == "text":
        _refresh_users_of_text(conn, subject_id)
    elif subject_type == "question":
        refresh(conn, answers=_ids(conn, select(t.answer.c.id).where(t.answer.c.question_id == subject_id)))
    elif subject_type == "answer":
        refresh(conn, judgements=_judgements_of(conn, [subject_id]))
    # All that was made from a value is of the same video.
    changes.touch(conn, conn.scalars(select(CURRENT.video_id).where(where)))


def _refresh_users_of_text(conn: Connection, text_id: str) -> None:
    refresh(
        conn,
        texts=_ids(conn, select(t.text.c.id).where(t.text.c.source_text_id == text_id)),
        questions=_ids(conn, select(t.question.c.id).where(t.question.c.source_text_id == text_id)),
        answers=_ids(conn, select(t.answer.c.id).where(t.answer.c.text_id == text_id)),
    )


def _ids(conn: Connection, query: Any) -> list[str]:
    return list(conn.scalars(query))


def _judgements_of(conn: Connection, answer_ids: Iterable[str]) -> list[str]:
    found: list[str] = []
    for ids in chunks(answer_ids):
        where = and_(t.judgement.c.subject_type == "answer", among(t.judgement.c.subject_id, ids))
        found += _ids(conn, select(t.judgement.c.id).where(where))
    return found


def refresh(
    conn: Connection,
    *,
    texts: Sequence[str] = (),
    questions: Sequence[str] = (),
    answers: Sequence[str] = (),
    judgements: Sequence[str] = (),
) -> None:
    """Recompute `stale` of these, and of the verdicts on these answers."""
    for ids in chunks(texts):
        _mark(conn, "text", _derived_from_text(conn, t.text, ids))
    for ids in chunks(questions):
        _mark(conn, "question", _derived_from_text(conn, t.question, ids))
    for ids in chunks(answers):
        _mark(conn, "answer", _stale_answers(conn, ids))
    for ids in chunks([*judgements, *_judgements_of(conn, answers)]):
        _mark(conn, "judgement", _stale_judgements(conn, ids))


def _mark(conn: Connection, subject_type: str, stale: Mapping[str, bool]) -> None:
    for value in (True, False):
        for ids in chunks(i for i, is_stale in stale.items() if is_stale is value):
            where = and_(CURRENT.subject_type == subject_type, among(CURRENT.subject_id, ids))
            conn.execute(update(t.current).where(where, CURRENT.stale != value).values(stale=value))


def current_values(
    conn: Connection, subject_type: str, field: str, ids: Iterable[str]
) -> dict[str, tuple[Json, bool]]:
    """`{subject id: (value, stale)}`."""
    found: dict[str, tuple[Json, bool]] = {}
    for group in chunks(ids):
        query = select(CURRENT.subject_id, CURRENT.value, CURRENT.stale).where(
            CURRENT.subject_type == subject_type, CURRENT.field == field, among(CURRENT.subject_id, group)
        )
        found.update({row[0]: (row[1], row[2]) for row in conn.execute(query)})
    return found


def _derived_from_text(conn: Connection, table: Any, ids: Sequence[str]) -> dict[str, bool]:
    query = select(table.c.id, table.c.source_text_id, table.c.source_hash).where(
        among(table.c.id, ids), table.c.source_text_id.is_not(None)
    )
    rows = list(conn.execute(query))
    sources = current_values(conn, "text", "value", [row.source_text_id for row in rows])
    return {
        row.id: bool(row.source_hash)
        and row.source_text_id in sources
        and fingerprints.of_text(sources[row.source_text_id][0]) != row.source_hash
        for row in rows
    }


def _stale_answers(conn: Connection, ids: Sequence[str]) -> dict[str, bool]:
    a = t.answer.c
    rows = list(conn.execute(select(a.id, a.text_id, a.question_id, a.source_hash).where(among(a.id, ids))))
    captions = current_values(conn, "text", "value", [row.text_id for row in rows if row.text_id])
    questions = current_values(conn, "question", "text", [row.question_id for row in rows])
    return {
        row.id: bool(row.source_hash)
        and fingerprints.of_answer(captions.get(row.text_id, ("",))[0], questions[row.question_id][0])
        != row.source_hash
        for row in rows
    }


def _stale_judgements(conn: Connection, ids: Sequence[str]) -> dict[str, bool]:
    j, a = t.judgement.c, t.answer.c
    query = (
        select(j.id, j.source_hash, a.id.label("answer_id"), a.question_id)
        .join(t.answer, and_(j.subject_type == "answer", j.subject_id == a.id))
        .where(among(j.id, ids))
    )
    rows = list(conn.execute(query))
    answers = current_values(conn, "answer", "value", [row.answer_id for row in rows])
    questions = current_values(conn, "question", "text", [row.question_id for row in rows])
    references = current_values(conn, "question", "reference", [row.question_id for row in rows])
    stale: dict[str, bool] = {}
    for row in rows:
        value, answer_is_stale = answers[row.answer_id]
        now = fingerprints.of_verdict(questions[row.question_id][0], references[row.question_id][0], value)
        stale[row.id] = answer_is_stale or (bool(row.source_hash) and now != row.source_hash)
    return stale
