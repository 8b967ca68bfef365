"""The store: records in, records out, corrections with history.

Every method is one short transaction. A batch of records is written whole or not at all.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, and_, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, IntegrityError

from annotation.errors import FormatError, NotFound, StaleEdit, UsageError
from annotation.records import (
    Blame,
    Correction,
    Json,
    Record,
    SceneList,
    SubjectType,
    Video,
    new_id,
)
from annotation.speech_pieces import pieces_json, read_pieces
from annotation.store import changes, overlay, restoring
from annotation.store import tables as t
from annotation.store.bulk import among, chunks, insert_rows, one_of, room
from annotation.store.database import open_engine
from annotation.store.rows import R, from_row, to_row
from annotation.store.transactions import Transactions

K = TypeVar("K")
_NEVER = object()
CANDIDATE = "candidate"
"""Note of a scene list that a detector made to be compared; it counts when a person takes it over."""


@dataclass(frozen=True, slots=True)
class Current:
    """The value of one field that counts now."""

    value: Json
    machine: Json
    """What the machine (or the file it came from) says."""
    revision: int
    """0 while nobody has changed it; send it back with the next edit."""
    corrected: bool
    stale: bool
    superseded: bool
    state: str
    blame: str = ""
    """Whose fault a person says it is (verdicts only)."""


class Store(Transactions):
    """One database."""

    def __init__(self, url: str) -> None:
        """Opens it and brings its schema up to date; errors as `open_engine`."""
        super().__init__(open_engine(url))
        self.url = url
        self._kept: dict[type[Any], Any] = {}

    def close(self) -> None:
        self.engine.dispose()

    def kept(self, kind: type[K], make: Callable[[], K]) -> K:
        """The one thing of this kind that is computed from the store and kept while it is open."""
        return cast(K, self._kept.get(kind) or self._kept.setdefault(kind, make()))

    # --- records ---------------------------------------------------------------------

    def add(self, records: Iterable[Record]) -> int:
        """Write a batch in one transaction; ids that exist are left as they are.

        Returns how many records were new. Raises FormatError when a record refers to
        something that is neither in the batch nor in the store: then nothing is written.
        """
        with self.writing() as conn:
            return self.add_in(conn, records)

    def add_in(self, conn: Connection, records: Iterable[Record]) -> int:
        """As `add`, inside a write transaction."""
        try:
            return sum(self._add_kinds(conn, records).values())
        except (IntegrityError, DataError) as error:  # DataError: PostgreSQL takes no NUL in a text
            raise FormatError(f"nothing was written: {error.orig}") from error

    def _add_kinds(self, conn: Connection, records: Iterable[Record]) -> dict[str, int]:
        """How many of each kind were new."""
        groups: dict[type[Record], dict[str, Record]] = defaultdict(dict)
        for record in records:
            groups[type(record)].setdefault(record.id, record)
        return {
            kind.__name__: self._add_kind(conn, kind, groups[kind]) for kind in t.TABLE_OF if groups[kind]
        }

    def _add_kind(self, conn: Connection, kind: type[Record], batch: Mapping[str, Record]) -> int:
        table = t.TABLE_OF[kind]
        known: set[str] = set()
        for ids in chunks(batch):
            known.update(conn.scalars(select(table.c.id).where(among(table.c.id, ids))))
        new = [record for record in batch.values() if record.id not in known]
        if new:
            insert_rows(conn, table, [to_row(record) for record in new])
            overlay.lay_machine_values(conn, new)
        return len(new)

    def put(self, record: Record) -> None:
        """Write or replace a record that only says how things stand (a video's facts, progress).

        Whoever changes a part of one reads it in the same `writing`. Raises NotFound for a record about
        something that is not there any more.
        """
        table, row = t.TABLE_OF[type(record)], to_row(record)
        dialect: Any = postgresql if self.engine.dialect.name == "postgresql" else sqlite
        statement = dialect.insert(table).values(row)
        with self.writing() as conn:
            try:
                conn.execute(statement.on_conflict_do_update(index_elements=["id"], set_=row))
            except IntegrityError as error:
                raise NotFound(f"what this {table.name} is about was removed meanwhile") from error
            if isinstance(record, Video):
                changes.touch(conn, [record.id])

    def get(self, kind: type[R], record_id: str) -> R:
        """Raises NotFound."""
        found = self.find(kind, id=record_id)
        if not found:
            raise NotFound(f"there is no {kind.__name__.lower()} {record_id!r}; it may have been removed")
        return found[0]

    def find(
        self, kind: type[R], /, *, order_by: Sequence[str] = (), limit: int | None = None, **equals: Any
    ) -> list[R]:
        """Records whose columns equal the given values; a tuple or list means "one of"."""
        table = t.TABLE_OF[kind]
        query = select(table).order_by(*(table.c[name] for name in order_by))
        for name, value in equals.items():
            query = query.where(one_of(table.c[name], value))
        with self.reading() as conn:
            return [from_row(kind, dict(row)) for row in conn.execute(query.limit(limit)).mappings()]

    def count(self, kind: type[R], /, **equals: Any) -> int:
        table = t.TABLE_OF[kind]
        where = [table.c[name] == value for name, value in equals.items()]
        with self.reading() as conn:
            return int(conn.scalar(select(func.count()).select_from(table).where(*where)) or 0)

    def remove_video(self, video_id: str) -> None:
        """Forget a video and everything that hangs on it. The file stays where it is."""
        with self.writing() as conn:
            self._remove_hanging(conn, video_id)
            conn.execute(delete(t.action).where(t.action.c.video_id == video_id))
            conn.execute(delete(t.current).where(t.current.c.video_id == video_id))
            for kind in reversed(list(t.TABLE_OF)):
                table = t.TABLE_OF[kind]
                if "video_id" in table.c:
                    conn.execute(delete(table).where(table.c.video_id == video_id))
            conn.execute(delete(t.video).where(t.video.c.id == video_id))
            changes.touch(conn, [video_id])

    @staticmethod
    def _remove_hanging(conn: Connection, video_id: str) -> None:
        mine = select(t.finding.c.id).where(t.finding.c.video_id == video_id)
        conn.execute(delete(t.waiver).where(t.waiver.c.finding_id.in_(mine)))
        subjects = select(t.current.c.subject_id).where(t.current.c.video_id == video_id)
        conn.execute(delete(t.correction).where(t.correction.c.subject_id.in_(subjects)))

    # --- corrections -----------------------------------------------------------------

    def current(self, subject_type: SubjectType, subject_id: str, field: str) -> Current:
        """Raises NotFound for something that cannot be corrected."""
        with self.reading() as conn:
            return self.current_in(conn, subject_type, subject_id, field)

    def currents(self, subject_type: SubjectType, ids: Iterable[str], field: str) -> dict[str, Current]:
        """As `current`, for many; unknown ids are left out."""
        wanted = list(ids)
        with self.reading() as conn:
            rows: list[Any] = []
            for group in chunks(wanted):
                rows += conn.execute(_current_query(subject_type, field, group)).all()
            return {row.subject_id: self._to_current(conn, row) for row in rows}

    def current_in(self, conn: Connection, subject_type: str, subject_id: str, field: str) -> Current:
        """As `current`, inside a transaction."""
        row = conn.execute(_current_query(subject_type, field, [subject_id])).one_or_none()
        if row is None:
            raise NotFound(f"{subject_type} {subject_id!r} has no field {field!r} that can be corrected")
        return self._to_current(conn, row)

    def _to_current(self, conn: Connection, row: Any) -> Current:
        machine = (
            _machine_value(conn, row.subject_type, row.subject_id, row.field) if row.corrected else row.value
        )
        return Current(
            value=row.value, machine=machine, revision=row.revision, corrected=row.corrected,
            stale=row.stale, superseded=row.superseded, state=row.state, blame=row.blame,
        )  # fmt: skip

    def correct(
        self,
        subject_type: SubjectType,
        subject_id: str,
        field: str,
        value: Json,
        *,
        person_id: str,
        reason: str = "",
        base_revision: int,
        cleared: bool = False,
    ) -> Correction:
        """Lay a person's value over the machine's, or take the overlay away (`cleared`).

        Raises StaleEdit when the field has changed since `base_revision`, NotFound, UsageError.
        """
        with self.writing() as conn:
            return self.correct_in(
                conn, (subject_type, subject_id, field), value, person_id=person_id, reason=reason,
                base_revision=base_revision, cleared=cleared,
            )  # fmt: skip

    def correct_in(
        self,
        conn: Connection,
        subject: tuple[SubjectType, str, str],
        value: Json,
        *,
        person_id: str,
        reason: str = "",
        base_revision: int,
        cleared: bool = False,
    ) -> Correction:
        """As `correct`, inside a write transaction. `subject` is type, id and field."""
        subject_type, subject_id, field = subject
        value = None if cleared else check_value(subject_type, field, value)
        now = self.current_in(conn, subject_type, subject_id, field)
        if subject_type == "segment" and field == "text":
            _check_whole(self.current_in(conn, subject_type, subject_id, "pieces"))
        if now.revision != base_revision:
            raise StaleEdit(
                "somebody else changed this meanwhile; compare and save again",
                current=now.value, revision=now.revision,
            )  # fmt: skip
        correction = Correction(
            id=new_id("cor"), subject_type=subject_type, subject_id=subject_id, field=field,
            value=value, cleared=cleared, revision=now.revision + 1, person_id=person_id,
            reason=reason, created_at=time.time(),
        )  # fmt: skip
        self._apply(conn, correction, now)
        return correction

    def _apply(self, conn: Connection, correction: Correction, now: Current) -> None:
        conn.execute(insert(t.correction), [to_row(correction)])
        value = now.machine if correction.cleared else correction.value
        values: dict[str, Any] = {
            "value": value, "revision": correction.revision, "corrected": not correction.cleared,
            "updated_at": correction.created_at,
        }  # fmt: skip
        if correction.subject_type == "judgement":
            values |= {"label": value["label"], "score": value["score"]}
            values["state"] = _machine_state(conn, correction.subject_id) if correction.cleared else "done"
        overlay.set_value(
            conn, correction.subject_type, correction.subject_id, correction.field, **values
        )  # fmt: skip

    def history(self, subject_type: SubjectType, subject_id: str, field: str) -> list[Correction]:
        """All changes of a field, oldest first."""
        return self.find(
            Correction, subject_type=subject_type, subject_id=subject_id, field=field, order_by=["revision"]
        )

    def restore_corrections(self, corrections: Sequence[Correction]) -> int:
        """Lay corrections that came from a file, in their order; those already here are left alone."""
        return self.restore((), corrections)["Correction"]

    def restore(
        self, records: Sequence[Record], corrections: Sequence[Correction] = (), blames: Sequence[Blame] = ()
    ) -> dict[str, int]:
        """Write what came from a file, in one transaction: records, then corrections, then blames.

        Ids that exist are left as they are; only a video here is given what it lacks (category,
        extra fields). Returns how many of each kind were new. Raises FormatError when the file
        and the store do not fit together: then nothing is written.
        """
        try:
            with self.writing() as conn, room(conn):
                counts = self._add_kinds(conn, records)
                restoring.fill_videos(conn, [record for record in records if isinstance(record, Video)])
                counts["Correction"] = self._lay_corrections(conn, corrections)
                counts["Blame"] = restoring.add_blames(conn, blames)
        except (IntegrityError, DataError, OverflowError) as error:
            why = getattr(error, "orig", error)
            raise FormatError(f"the file does not fit what is here; nothing was written: {why}") from error
        except NotFound as error:
            raise FormatError(f"a correction has no subject; nothing was written: {error}") from error
        return counts

    def _lay_corrections(self, conn: Connection, corrections: Sequence[Correction]) -> int:
        known: set[str] = set()
        for ids in chunks(c.id for c in corrections):
            known.update(conn.scalars(select(t.correction.c.id).where(among(t.correction.c.id, ids))))
        new = sorted((c for c in corrections if c.id not in known), key=lambda c: c.revision)
        for correction in new:
            now = self.current_in(conn, correction.subject_type, correction.subject_id, correction.field)
            self._apply(conn, correction, now)
        return len(new)

    def blame(self, blame: Blame) -> None:
        """Record whose fault a verdict is; the newest word counts."""
        with self.writing() as conn:
            self.blame_in(conn, blame)

    @staticmethod
    def blame_in(conn: Connection, blame: Blame) -> None:
        """As `blame`, inside a write transaction."""
        conn.execute(insert(t.blame), [to_row(blame)])
        where = and_(t.current.c.subject_type == "judgement", t.current.c.subject_id == blame.judgement_id)
        conn.execute(update(t.current).where(where).values(blame=blame.kind))
        changes.touch(conn, [blame.video_id])

    # --- scenes ----------------------------------------------------------------------

    def scene_list(self, video_id: str) -> SceneList | None:
        """The cuts that count."""
        return counting(self.find(SceneList, video_id=video_id, order_by=["created_at", "id"]))


def counting(lists: Sequence[SceneList]) -> SceneList | None:
    """Of the versions in their order, the one that counts: the newest by a person, a dataset, a detector."""
    found = [one for one in lists if one.note != CANDIDATE]
    found = [o for o in found if o.person_id] or [o for o in found if not o.run_id] or found
    return found[-1] if found else None


def _current_query(subject_type: str, field: str, ids: Sequence[str]) -> Any:
    c = t.current.c
    return select(t.current).where(c.subject_type == subject_type, c.field == field, among(c.subject_id, ids))


def _machine_value(conn: Connection, subject_type: str, subject_id: str, field: str) -> Json:
    table = t.metadata.tables[subject_type]
    row = conn.execute(select(table).where(table.c.id == subject_id)).one()
    if subject_type == "judgement":
        return {"label": row.label, "score": row.score}
    return None if field == "pieces" else getattr(row, field)  # machines do not cut their segments anew


def _machine_state(conn: Connection, judgement_id: str) -> str:
    return str(conn.scalar(select(t.judgement.c.state).where(t.judgement.c.id == judgement_id)))


def check_value(subject_type: str, field: str, value: Json) -> Json:
    """The value in the form that the field holds.

    Raises UsageError for a field that does not exist or a value that it cannot hold.
    """
    if field not in overlay.FIELDS.get(subject_type, ()):
        raise UsageError(f"{subject_type} has no field {field!r} that can be corrected")
    if field == "pieces":
        return pieces_json(read_pieces(value) or ())
    if subject_type != "judgement":
        if not isinstance(value, str):
            raise UsageError(f"{subject_type} {field} is text, not {type(value).__name__}")
        return value
    return _check_verdict(value)


def _check_whole(pieces: Current) -> None:
    """The text of a segment that was cut is in its pieces: a change of the whole would not be seen."""
    if pieces.corrected:
        raise UsageError("somebody split, merged or moved this line; show the speech again and type it there")


def _check_verdict(value: Json) -> Json:
    label = value.get("label") if isinstance(value, dict) else None
    score = value.get("score", _NEVER) if isinstance(value, dict) else _NEVER
    if not isinstance(label, str) or not label or score is _NEVER:
        raise UsageError("a verdict is {label, score}; the score may be null")
    if score is not None and (isinstance(score, bool) or not isinstance(score, int | float)):
        raise UsageError("a score is a number from 0 to 5, or null")
    if score is not None and not 0 <= score <= 5:
        raise UsageError(f"a score is from 0 to 5, not {score}")
    return {"label": label, "score": None if score is None else float(score)}
