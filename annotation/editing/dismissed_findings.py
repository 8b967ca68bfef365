"""Dismissals of findings by people, for any check. They can be undone like other decisions.

Findings are computed when they are viewed, and a row is stored only for a dismissed one. Its id is made from
the check, its subject and the words it is about. So a dismissal remains valid after a reload and while other
words of the text are edited. If the words themselves change, it is another finding, and open.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select

from annotation.editing import undo_and_redo
from annotation.editing.decision_log import Change
from annotation.people.permissions import require
from annotation.records.allowed_values import SubjectType
from annotation.records.decisions import Dismissal, Person
from annotation.records.elements import Finding
from annotation.records.errors import NotFound
from annotation.records.ids import new_id, record_id
from annotation.store import changed_videos
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.rows import from_row
from annotation.store.store import Store
from backends.errors import UsageError

LONGEST_REASON = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A finding of any system's check."""

    video_id: str
    check: str
    subject_type: SubjectType
    subject_id: str
    text: str = ""
    """The words it is about; empty if it is about the whole subject."""
    key: str = ""
    """Distinguishes findings of the same check on the same subject; empty: `text` does."""
    start: int | None = None
    end: int | None = None
    why: str = ""

    @property
    def id(self) -> str:
        """Return an id that depends on the words, not on their position, white space or case."""
        words = " ".join((self.key or self.text).split()).casefold()
        return record_id("fnd", self.check, self.subject_type, self.subject_id, words)


def dismiss(store: Store, person: Person | None, found: Found, reason: str) -> Dismissal | None:
    """Dismiss a finding with a reason. An empty reason removes all its dismissals.

    An annotator can remove only their own. Returns the current dismissal, if any. Raises NotAllowed,
    NotFound, UsageError.
    """
    editor, reason = require(person, "edit"), reason.strip()
    if len(reason) > LONGEST_REASON:
        raise UsageError(f"a reason has at most {LONGEST_REASON:,} characters; this one has {len(reason):,}")
    with store.writing() as conn:
        _check_subject(conn, found)
        before = _on(conn, [found.id])
        made = _put(store, conn, editor, found, reason, before) if reason else _take(conn, editor, before)
        done = f"{'dismissed' if reason else 'undid the dismissal of'} {_words(found)}"
        undo_and_redo.record_in(conn, editor.id, found.video_id, done, made)
        changed_videos.touch(conn, [found.video_id])
        now = _on(conn, [found.id])
    return now[-1] if now else None


def dismissals(store: Store, finding_ids: Iterable[str]) -> dict[str, Dismissal]:
    """Return the newest dismissal of each finding that has one."""
    with store.reading() as conn:
        return {row.finding_id: row for row in _on(conn, finding_ids)}


def _put(
    store: Store, conn: Connection, editor: Person, found: Found, reason: str, before: list[Dismissal]
) -> list[Change]:
    """Store the person's dismissal, replacing an earlier one of theirs, and the finding if it is new."""
    now = time.time()
    mine = [row for row in before if row.person_id == editor.id]
    _remove(conn, mine)
    row = Finding(
        id=found.id,
        video_id=found.video_id,
        check=found.check,
        subject_type=found.subject_type,
        subject_id=found.subject_id,
        why=found.why,
        created_at=now,
        text=found.text,
        start=found.start,
        end=found.end,
    )
    # The latest decision counts, even if the clock was set back.
    later = max([now, *(other.created_at + 1e-6 for other in before)])
    dismissal = Dismissal(
        id=new_id("wai"), finding_id=found.id, person_id=editor.id, reason=reason, created_at=later
    )
    store.add_in(conn, [row, dismissal])
    return [Change("dismissal", (found.id, editor.id), mine[-1].reason if mine else None, reason)]


def _take(conn: Connection, editor: Person, before: list[Dismissal]) -> list[Change]:
    for row in before:
        require(editor, "edit", row.person_id)
    _remove(conn, before)
    last = {row.person_id: row for row in before}
    # Undo restores the last change first, so the newest dismissal becomes the newest again.
    return [
        Change("dismissal", (row.finding_id, row.person_id), row.reason, None)
        for row in reversed(last.values())
    ]


def _remove(conn: Connection, rows: Iterable[Dismissal]) -> None:
    ids = [row.id for row in rows]
    if ids:
        conn.execute(delete(t.dismissal).where(t.dismissal.c.id.in_(ids)))


def _on(conn: Connection, finding_ids: Iterable[str]) -> list[Dismissal]:
    """Return dismissals of these findings, oldest first."""
    found: list[Dismissal] = []
    for ids in chunks(finding_ids):
        query = select(t.dismissal).where(among(t.dismissal.c.finding_id, ids))
        found += [from_row(Dismissal, dict(row)) for row in conn.execute(query).mappings()]
    return sorted(found, key=lambda row: (row.created_at, row.id))


def _check_subject(conn: Connection, found: Found) -> None:
    """Check that the video exists and that the subject belongs to it. Raises NotFound."""
    if conn.scalar(select(t.video.c.id).where(t.video.c.id == found.video_id)) is None:
        raise NotFound(f"video {found.video_id!r} not found; it may have been removed")
    table = t.metadata.tables.get(found.subject_type)
    if table is None:
        return
    owner = table.c.id if found.subject_type == "video" else table.c.get("video_id")
    if owner is None:
        return
    query = select(table.c.id).where(table.c.id == found.subject_id, owner == found.video_id)
    if conn.scalar(query) is None:
        raise NotFound(f"this video has no {found.subject_type} {found.subject_id!r}; reload the page")


def _words(found: Found) -> str:
    what = f"“{found.check.replace('_', ' ')}”"
    text = " ".join(found.text.split())
    return f"{what}: {text[:59] + '…' if len(text) > 60 else text}" if text else what
