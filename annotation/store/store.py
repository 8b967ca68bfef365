"""The store reads and writes records, and keeps corrections with their history.

Every method is one short transaction. A batch of records is written completely or not at all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, delete, func, insert, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, IntegrityError

from annotation.records.allowed_values import SubjectType
from annotation.records.captions_to_verdicts import Answer, Text, Verdict
from annotation.records.current_cuts import counting
from annotation.records.decisions import Correction, ErrorSource
from annotation.records.errors import FormatError, NotFound, StaleEdit
from annotation.records.ids import Json, new_id
from annotation.records.record_union import Record
from annotation.records.videos import SceneList, Video
from annotation.store import changed_videos, current_table, import_log, opinion_rules, stale_values
from annotation.store import tables as t
from annotation.store.bulk_rows import bulk_cache, chunks, insert_rows, known_ids, one_of
from annotation.store.check_corrected_value import check_value
from annotation.store.database import open_engine
from annotation.store.import_log import ImportLog
from annotation.store.import_spool import Spool
from annotation.store.rows import R, from_row, to_row
from annotation.store.transactions import Transactions
from backends.errors import UsageError

K = TypeVar("K")
Replaceable = TypeVar("Replaceable", Text, Answer, Verdict)


@dataclass(frozen=True, slots=True)
class Current:
    """The current value of one field."""

    value: Json
    machine: Json
    """The value from the machine, or from the imported file."""
    revision: int
    """0 if the field was never changed. Send it back with the next edit."""
    corrected: bool
    """Whether a person's value replaces the machine's."""
    stale: bool
    superseded: bool
    state: str
    confirmed: bool = False
    """Whether a person confirmed the machine's value."""
    error_source: str = ""
    """The error source that counts among people's opinions (verdicts only)."""
    by: str = ""
    """Id of the person whose value counts, or who withdrew one; empty if the field was never changed."""
    disputed: bool = False
    """Whether people disagree (verdicts only)."""

    @property
    def changed(self) -> bool:
        """Whether people's value differs from the machine's."""
        return self.corrected and not self.confirmed


class Store(Transactions):
    """One database."""

    def __init__(self, url: str) -> None:
        """Open the database and upgrade its schema. Raises the errors of `open_engine`."""
        super().__init__(open_engine(url))
        self.url = url
        self._kept: dict[type[Any], Any] = {}

    def close(self) -> None:
        self.engine.dispose()

    def kept(self, kind: type[K], make: Callable[[], K]) -> K:
        """Return the object of this class for this store, created on first use and kept until it closes."""
        return cast(K, self._kept.get(kind) or self._kept.setdefault(kind, make()))

    # --- records ---------------------------------------------------------------------

    def add(self, records: Iterable[Record]) -> int:
        """Write a batch in one transaction. Existing records are not changed.

        Returns the number of new records. Raises FormatError, and writes nothing, if a record refers to
        one that is neither in the batch nor in the store.
        """
        with self.writing() as conn:
            return self.add_in(conn, records)

    def add_in(self, conn: Connection, records: Iterable[Record]) -> int:
        """Same as `add`, inside a write transaction."""
        try:
            return sum(self._add_kinds(conn, Spool.of(records)).values())
        except (IntegrityError, DataError) as error:  # DataError: PostgreSQL rejects NUL in texts
            raise FormatError(f"nothing was written: {error.orig}") from error

    @staticmethod
    def _add_kinds(
        conn: Connection, spool: Spool, *, fill: bool = False, log: ImportLog | None = None
    ) -> dict[str, int]:
        """Return the number of new records by kind. `fill`: fill in missing fields of existing videos."""
        counts = dict.fromkeys(spool.counts(), 0)
        derived: list[str] = []
        for kind in t.TABLE_OF:
            for rows in spool.blocks(kind) if kind.__name__ in counts else ():
                known = known_ids(conn, t.TABLE_OF[kind], [row["id"] for row in rows])
                new = [row for row in rows if row["id"] not in known] if known else rows
                insert_rows(conn, t.TABLE_OF[kind], new)
                current_table.add_machine_values(conn, kind, new)
                changed_videos.touch_by_rows(conn, kind, new)
                if log:
                    log.added(conn, t.TABLE_OF[kind], [row["id"] for row in new])
                counts[kind.__name__] += len(new)
                derived += [row["id"] for row in new if kind is Text and row["source_text_id"]]
                if fill and kind is Video:
                    import_log.fill_videos(conn, [row for row in rows if row["id"] in known])
        stale_values.refresh(conn, texts=derived)
        return counts

    def put(self, record: Record) -> None:
        """Write or replace a record that describes a state (the facts of a video, progress).

        To change a part of a record, read it in the same `writing` block. Raises NotFound if the subject of
        the record no longer exists.
        """
        table, row = t.TABLE_OF[type(record)], to_row(record)
        dialect: Any = postgresql if self.engine.dialect.name == "postgresql" else sqlite
        statement = dialect.insert(table).values(row)
        with self.writing() as conn:
            try:
                conn.execute(statement.on_conflict_do_update(index_elements=["id"], set_=row))
            except IntegrityError as error:
                raise NotFound(f"the subject of this {table.name} no longer exists") from error
            changed_videos.touch_by_rows(conn, type(record), [row])

    def get(self, kind: type[R], record_id: str) -> R:
        """Return the record with this id. Raises NotFound."""
        found = self.find(kind, id=record_id)
        if not found:
            raise NotFound(f"there is no {kind.__name__.lower()} {record_id!r}; it may have been removed")
        return found[0]

    def find(
        self, kind: type[R], /, *, order_by: Sequence[str] = (), limit: int | None = None, **equals: Any
    ) -> list[R]:
        """Return the records whose columns equal the given values; a tuple or list means "one of"."""
        wanted = [
            (n, tuple(v)) if isinstance(v, list | tuple | set | frozenset) else (n, v)
            for n, v in equals.items()
        ]
        question = (kind, tuple(order_by), limit, *wanted)
        return list(self.once(question, lambda: self._found(kind, order_by, limit, equals)))

    def _found(
        self, kind: type[R], order_by: Sequence[str], limit: int | None, equals: Mapping[str, Any]
    ) -> list[R]:
        table = t.TABLE_OF[kind]
        query = select(table).order_by(*(table.c[name] for name in order_by))
        for name, value in equals.items():
            query = query.where(one_of(table.c[name], value))
        with self.reading() as conn:
            return [from_row(kind, dict(row)) for row in conn.execute(query.limit(limit)).mappings()]

    def known(self, kind: type[Record], ids: Iterable[str]) -> set[str]:
        """Return the ids that exist."""
        with self.reading() as conn:
            return known_ids(conn, t.TABLE_OF[kind], ids)

    def count(self, kind: type[R], /, **equals: Any) -> int:
        table = t.TABLE_OF[kind]
        where = [table.c[name] == value for name, value in equals.items()]
        with self.reading() as conn:
            return int(conn.scalar(select(func.count()).select_from(table).where(*where)) or 0)

    def remove_video(self, video_id: str) -> None:
        """Delete a video and all records that belong to it. The file is not deleted."""
        with self.writing() as conn:
            self._remove_hanging(conn, video_id)
            conn.execute(delete(t.action).where(t.action.c.video_id == video_id))
            conn.execute(delete(t.current).where(t.current.c.video_id == video_id))
            for kind in reversed(list(t.TABLE_OF)):
                table = t.TABLE_OF[kind]
                if "video_id" in table.c:
                    conn.execute(delete(table).where(table.c.video_id == video_id))
            conn.execute(delete(t.video).where(t.video.c.id == video_id))
            changed_videos.touch(conn, [video_id])

    @staticmethod
    def _remove_hanging(conn: Connection, video_id: str) -> None:
        mine = select(t.finding.c.id).where(t.finding.c.video_id == video_id)
        conn.execute(delete(t.dismissal).where(t.dismissal.c.finding_id.in_(mine)))
        subjects = select(t.current.c.subject_id).where(t.current.c.video_id == video_id)
        conn.execute(delete(t.correction).where(t.correction.c.subject_id.in_(subjects)))

    # --- corrections -----------------------------------------------------------------

    def current(self, subject_type: SubjectType, subject_id: str, field: str) -> Current:
        """Return the current value of a field. Raises NotFound if it cannot be corrected."""
        with self.reading() as conn:
            return self.current_in(conn, subject_type, subject_id, field)

    def currents(self, subject_type: SubjectType, ids: Iterable[str], field: str) -> dict[str, Current]:
        """Return the current values of many subjects by id, without unknown ids."""
        wanted = list(ids)
        with self.reading() as conn:
            rows: list[Any] = []
            for group in chunks(wanted):
                rows += conn.execute(current_table.current_query(subject_type, field, group)).all()
            return {row.subject_id: self._to_current(conn, row) for row in rows}

    def not_superseded(self, records: Iterable[Replaceable]) -> list[tuple[Replaceable, Current]]:
        """Return the records (of one kind) that are not superseded, in order, with their current values."""
        rows = list(records)
        kind = cast(SubjectType, t.TABLE_OF[type(rows[0])].name) if rows else "text"
        now = self.currents(kind, [row.id for row in rows], *current_table.FIELDS[kind])
        return [(row, now[row.id]) for row in rows if row.id in now and not now[row.id].superseded]

    def current_in(self, conn: Connection, subject_type: str, subject_id: str, field: str) -> Current:
        """Same as `current`, inside a transaction."""
        row = conn.execute(current_table.current_query(subject_type, field, [subject_id])).one_or_none()
        if row is None:
            raise NotFound(f"{subject_type} {subject_id!r} has no field {field!r} that can be corrected")
        return self._to_current(conn, row)

    def _to_current(self, conn: Connection, row: Any) -> Current:
        machine = (
            current_table.machine_value(conn, row.subject_type, row.subject_id, row.field)
            if row.corrected
            else row.value
        )
        return Current(
            value=row.value,
            machine=machine,
            revision=row.revision,
            corrected=row.corrected,
            stale=row.stale,
            superseded=row.superseded,
            state=row.state,
            error_source=row.error_source,
            confirmed=row.confirmed,
            by=row.by or "",
            disputed=row.disputed,
        )

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
        """Replace the machine's value with a person's, or remove the correction (`cleared`).

        For verdicts, this changes only the person's own opinion, and `cleared` withdraws it. Raises StaleEdit
        if the field (for verdicts: the person's own opinion) has changed since `base_revision`, NotFound,
        UsageError.
        """
        with self.writing() as conn:
            return self.correct_in(
                conn,
                (subject_type, subject_id, field),
                value,
                person_id=person_id,
                reason=reason,
                base_revision=base_revision,
                cleared=cleared,
            )

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
        blind: bool = False,
    ) -> Correction:
        """Run `correct` in a write transaction. `subject`: (type, id, field). `blind`: see `Correction`."""
        subject_type, subject_id, field = subject
        value = None if cleared else check_value(subject_type, field, value)
        now = self.current_in(conn, subject_type, subject_id, field)
        if subject_type == "segment" and field == "text":
            _check_whole(self.current_in(conn, subject_type, subject_id, "pieces"))
        if self._is_stale(conn, subject, person_id, now.revision, base_revision):
            own = subject_type == "verdict"
            raise StaleEdit(
                f"{'you have changed this in another window' if own else 'someone else has changed this'}; "
                "compare and save again",
                current=now.value,
                revision=now.revision,
                subject=subject,
            )
        correction = Correction(
            id=new_id("cor"),
            subject_type=subject_type,
            subject_id=subject_id,
            field=field,
            value=value,
            cleared=cleared,
            revision=now.revision + 1,
            person_id=person_id,
            reason=reason,
            created_at=opinion_rules.after_all(conn, subject_id)
            if subject_type == "verdict"
            else time.time(),
            blind=blind,
        )
        self._apply(conn, correction, now)
        return correction

    @staticmethod
    def _is_stale(
        conn: Connection, subject: tuple[SubjectType, str, str], person_id: str, revision: int, base: int
    ) -> bool:
        if subject[0] == "verdict":
            return opinion_rules.changed_since(conn, subject[1], person_id, base)
        return revision != base

    def _apply(self, conn: Connection, correction: Correction, now: Current) -> None:
        conn.execute(insert(t.correction), [to_row(correction)])
        if correction.subject_type == "verdict":
            opinion_rules.lay_verdicts(conn, [correction.subject_id])
            return
        value = now.machine if correction.cleared else correction.value
        values: dict[str, Any] = {
            "value": value,
            "revision": correction.revision,
            "correction_id": correction.id,
            "corrected": not correction.cleared,
            "updated_at": correction.created_at,
        }
        if correction.subject_type == "text":
            values |= current_table.shown_while_written(conn, correction.subject_id, value)
        current_table.set_value(
            conn, correction.subject_type, correction.subject_id, correction.field, **values
        )

    def history(self, subject_type: SubjectType, subject_id: str, field: str) -> list[Correction]:
        """Return all changes of a field, oldest first."""
        return self.find(
            Correction, subject_type=subject_type, subject_id=subject_id, field=field, order_by=["revision"]
        )

    def restore(
        self,
        records: Spool | Iterable[Record],
        corrections: Sequence[Correction] = (),
        log: ImportLog | None = None,
        taken_back: Sequence[str] = (),
    ) -> dict[str, int]:
        """Write the contents of a file in one transaction: records, corrections, error sources.

        `taken_back`: ids of texts that are not current. Existing records are not changed, but missing fields
        of videos (category, extra fields) are filled in. Returns the number of new records by kind, and logs
        them in `log`. Raises FormatError, and writes nothing, if the file does not match the store.
        """
        spool = records if isinstance(records, Spool) else Spool.of(records)
        counts = {"ErrorSource": 0}
        try:
            with self.writing() as conn, bulk_cache(conn), import_log.watched(conn, spool, corrections, log):
                gone = set(taken_back) - known_ids(conn, t.text, taken_back)
                counts |= self._add_kinds(conn, spool, fill=True, log=log)
                counts["Correction"] = self._add_corrections(conn, corrections, log)
                current_table.take_back(conn, gone)
                given = {row.verdict_id for row in spool.of_kind(ErrorSource)}
                opinion_rules.lay_error_sources(conn, sorted(given))
        except (IntegrityError, DataError, OverflowError) as error:
            why = getattr(error, "orig", error)
            raise FormatError(f"the file does not match the workspace; nothing was written: {why}") from error
        except NotFound as error:
            raise FormatError(f"a correction has no subject; nothing was written: {error}") from error
        return counts

    def _add_corrections(
        self, conn: Connection, corrections: Sequence[Correction], log: ImportLog | None
    ) -> int:
        known = known_ids(conn, t.correction, (c.id for c in corrections))
        new = sorted((c for c in corrections if c.id not in known), key=lambda c: c.revision)
        opinions = [one for one in new if one.subject_type == "verdict"]
        opinion_rules.add_verdicts(conn, opinions)
        for correction in (one for one in new if one.subject_type != "verdict"):
            now = self.current_in(conn, correction.subject_type, correction.subject_id, correction.field)
            self._apply(conn, correction, now)
        if log:
            log.added(conn, t.correction, [correction.id for correction in new])
        return len(new)

    def set_error_source(self, error_source: ErrorSource) -> None:
        """Record the error source that a person names for a failed answer."""
        with self.writing() as conn:
            self.set_error_source_in(conn, error_source)

    @staticmethod
    def set_error_source_in(conn: Connection, error_source: ErrorSource) -> None:
        """Same as `set_error_source`, inside a write transaction."""
        conn.execute(insert(t.error_source), [to_row(error_source)])
        opinion_rules.lay_error_sources(conn, [error_source.verdict_id])

    # --- scenes ----------------------------------------------------------------------

    def scene_list(self, video_id: str) -> SceneList | None:
        """Return the current cuts of a video, or None."""
        return counting(self.find(SceneList, video_id=video_id, order_by=["created_at", "id"]))


def _check_whole(pieces: Current) -> None:
    """Raise UsageError if a segment was cut. Its text is then in the pieces, and `text` is not shown."""
    if pieces.corrected:
        raise UsageError("this line has been split, merged or moved; reload the speech and edit it there")
