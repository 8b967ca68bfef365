"""Find and replace in the texts of one video or of all: a preview, then one decision."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import Connection, and_, or_, select

from annotation.editing import undo_and_redo
from annotation.editing.display_names import named
from annotation.people import hidden_texts
from annotation.people.permissions import may, require
from annotation.records.allowed_values import SubjectType
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Person
from annotation.records.errors import NotAllowed
from annotation.records.ids import Json
from annotation.records.videos import Scene, Video
from annotation.store import tables as t
from annotation.store.bulk_rows import chunks
from annotation.store.current_speech import newest_speech_run
from annotation.store.store import Store
from backends.errors import UsageError

MOST_SHOWN = 300
LONGEST_FIND = 1000
LONGEST_TEXT = 100_000
"""Maximum number of characters, as for any other edit."""
Subject = tuple[SubjectType, str, str]


@dataclass(frozen=True, slots=True)
class Search:
    """What to find, what to replace it with, and where."""

    find: str
    replace: str = ""
    whole_word: bool = False
    match_case: bool = False
    video_id: str = ""
    """Empty: in all videos."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One text that would change."""

    subject: Subject
    revision: int
    video_id: str
    video_title: str
    where: str
    """For example "the content of scene 3"."""
    before: str
    after: str
    count: int
    """Number of matches in it."""
    allowed: bool
    """Whether the person may change it."""


@dataclass(frozen=True, slots=True)
class ReplacePreview:
    hits: tuple[Hit, ...]
    """At most MOST_SHOWN."""
    texts: int
    """Number of all texts that match."""


@dataclass(frozen=True, slots=True)
class Replaced:
    texts: int
    stale: tuple[Subject, ...]
    """Skipped, because another person changed them after the preview."""


def preview(store: Store, person: Person | None, search: Search) -> ReplacePreview:
    """Return every text that would change, without changing it. Raises NotAllowed, NotFound, UsageError."""
    asking = require(person, "read")
    swap = _swapper(search)
    if search.video_id:
        store.get(Video, search.video_id)
    with store.reading() as conn:
        rows = [row for row in _rows(conn, search.video_id) if swap(row.value)[1]]
    rows = _shown_now(store, _seen_by(store, asking, rows))
    titles = {video.id: video.title for video in store.find(Video, id=sorted({r.video_id for r in rows}))}
    rows.sort(key=lambda row: (titles[row.video_id], row.video_id))
    hits = tuple(_hit(store, asking, row, titles, swap) for row in rows[:MOST_SHOWN])
    return ReplacePreview(hits, len(rows))


def replace(
    store: Store, person: Person | None, search: Search, chosen: Sequence[tuple[Subject, int]]
) -> Replaced:
    """Change the chosen texts, each with the revision of the preview, in one transaction.

    Texts that have changed since are skipped and listed. Raises NotAllowed, NotFound, UsageError.
    """
    editor, swap = require(person, "edit"), _swapper(search)
    for (subject_type, subject_id, field), _ in chosen:
        if (subject_type, field) not in (("text", "value"), ("segment", "text"), ("segment", "pieces")):
            raise UsageError(f"a {subject_type} cannot be changed by find and replace")
        require(person, "edit", _owner(store, subject_type, subject_id))
        if subject_type == "text":
            hidden_texts.require_sight(store, editor, subject_id)
    changes, stale = [], []
    what = f"replaced “{search.find}” with “{search.replace}”"
    with store.writing() as conn:
        ids = [subject_id for (subject_type, subject_id, _), _ in chosen if subject_type == "text"]
        if why := hidden_texts.closed_for(conn, editor.id, ids):
            raise NotAllowed(why)
        for subject, revision in chosen:
            before = store.current_in(conn, *subject)
            if before.revision != revision:
                stale.append(subject)
                continue
            value, _ = swap(before.value)
            correction = store.correct_in(
                conn, subject, value, person_id=editor.id, reason=what, base_revision=revision
            )
            changes.append(undo_and_redo.value_change(before, correction))
        done = f"{what} in {len(changes)} {'text' if len(changes) == 1 else 'texts'}"
        undo_and_redo.record_in(conn, editor.id, search.video_id or None, done, changes)
    return Replaced(len(changes), tuple(stale))


# --- the words ------------------------------------------------------------------------


def _swapper(search: Search) -> Callable[[Json], tuple[Json, int]]:
    """Return `swap(value) -> (new value, matches)`, for a text and for the pieces of a segment.

    Raises UsageError.
    """
    if not search.find or len(search.find) > LONGEST_FIND:
        raise UsageError(f"type what to find: 1 to {LONGEST_FIND} characters")
    words = re.escape(search.find)
    if search.whole_word:
        words = rf"(?<!\w){words}(?!\w)"
    pattern = re.compile(words, 0 if search.match_case else re.IGNORECASE)

    def swap_text(text: str) -> tuple[str, int]:
        after, count = pattern.subn(lambda _: search.replace, text)
        if len(after) > max(LONGEST_TEXT, len(text)):
            raise UsageError(f"a text would have more than {LONGEST_TEXT:,} characters; choose other words")
        return after, count

    def swap(value: Json) -> tuple[Json, int]:
        if isinstance(value, str):
            return swap_text(value)
        swapped = [swap_text(piece["text"]) for piece in value or ()]
        pieces = [piece | {"text": text} for piece, (text, _) in zip(value or (), swapped, strict=True)]
        return pieces, sum(count for _, count in swapped)

    return swap


def plain(value: Json) -> str:
    """Return a text unchanged, or the pieces of a segment one per line."""
    return value if isinstance(value, str) else "\n".join(piece["text"] for piece in value or ())


# --- the texts ------------------------------------------------------------------------


def _rows(conn: Connection, video_id: str) -> Iterator[Any]:
    """Yield current texts and speech. Of a segment that was split, only its pieces are yielded."""
    c = t.current.c
    wanted = or_(
        and_(c.subject_type == "text", or_(c.state == "done", c.corrected.is_(True))),
        c.subject_type == "segment",
    )
    query = select(c.subject_type, c.subject_id, c.field, c.video_id, c.value, c.revision, c.corrected).where(
        wanted, c.superseded.is_(False)
    )
    rows = conn.execute(query.where(c.video_id == video_id) if video_id else query).all()
    cut = {row.subject_id for row in rows if row.field == "pieces" and row.corrected}
    for row in rows:
        hidden = row.subject_type == "segment" and (row.field == "pieces") != (row.subject_id in cut)
        if not hidden:
            yield row


def _seen_by(store: Store, person: Person, rows: Sequence[Any]) -> list[Any]:
    """Leave out texts of other annotators that the person may not read yet."""
    sight = hidden_texts.aspect_sight_of(store, person)
    ids = [r.subject_id for r in rows if r.subject_type == "text" and r.video_id in sight.hidden]
    texts = [text for group in chunks(ids) for text in store.find(Text, id=list(group))]
    hidden = {text.id for text in texts} - {text.id for text in sight.shown(store, texts)}
    return [row for row in rows if row.subject_id not in hidden]


def _shown_now(store: Store, rows: Sequence[Any]) -> list[Any]:
    """Leave out texts of scenes whose cuts have changed, and older transcriptions."""
    lists = {video: store.scene_list(video) for video in {row.video_id for row in rows}}
    keys = {s.key for cuts in lists.values() if cuts for s in store.find(Scene, scene_list_id=cuts.id)}
    speech = {newest_speech_run(store, video) for video in lists}
    ids = {row.subject_id for row in rows if row.subject_type == "text"}
    gone = {
        text.id
        for group in chunks(ids)
        for text in store.find(Text, id=list(group), subject_type="scene")
        if text.subject_id not in keys
    }
    segments = _runs_of_segments(store, [row.subject_id for row in rows if row.subject_type == "segment"])
    return [
        row for row in rows if row.subject_id not in gone and segments.get(row.subject_id) in {None, *speech}
    ]


def _runs_of_segments(store: Store, ids: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    with store.reading() as conn:
        for group in chunks(ids):
            query = select(t.segment.c.id, t.segment.c.run_id).where(t.segment.c.id.in_(group))
            found.update({row.id: row.run_id for row in conn.execute(query)})
    return found


def _hit(
    store: Store, person: Person, row: Any, titles: dict[str, str], swap: Callable[[Json], tuple[Json, int]]
) -> Hit:
    after, count = swap(row.value)
    subject = cast(Subject, (row.subject_type, row.subject_id, row.field))
    return Hit(
        subject,
        row.revision,
        row.video_id,
        titles[row.video_id],
        named(store, *subject).words,
        plain(row.value),
        plain(after),
        count,
        may(person, "edit", _owner(store, row.subject_type, row.subject_id)),
    )


def _owner(store: Store, subject_type: str, subject_id: str) -> str | None:
    return store.get(Text, subject_id).person_id if subject_type == "text" else None
