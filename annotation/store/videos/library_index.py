"""In-memory index of all videos, sorted by title, for sorting, searching and counting in the Library.

A hundred thousand videos are read once. Later requests read only the videos that have changed since
(`annotation.store.changed_videos`), as the list of verdicts does.
"""

from __future__ import annotations

import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, and_, case, exists, func, or_, select

from annotation.records.system_facts import kinds_with
from annotation.store import tables as t
from annotation.store.bulk_rows import among, chunks
from annotation.store.cache_parts import NOTHING, Due, LastUsed, due
from annotation.store.store import Store

BROKEN = ("failed", "stopped")
REMEMBERED = 12
"""Number of computed values (orders, columns) that are cached per state."""
DIGITS = 18
"""A number in a title is sorted by its first 18 digits."""
COMPARED = 100
"""Most videos of one title that are compared, in each direction."""
_DIGITS = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One video."""

    key: tuple[Any, ...]
    """Sort key for natural order of titles: case-insensitive, `clip 9` before `clip 10`."""
    created_at: float
    haystack: str
    """Title, category, discipline, id and aliases in lower case."""
    broken: bool
    """Whether the latest run of a stage failed or was stopped."""
    measured_only: bool
    """Whether all of its captions are by the baseline, and none by a model, a dataset or a person."""


@dataclass(slots=True)
class Videos:
    """All videos at one state of the store, by title. Treat it as immutable."""

    ids: list[str]
    entries: list[Entry]
    number: int
    remembered: LastUsed[Any, Any] = field(default_factory=lambda: LastUsed(REMEMBERED))

    def __len__(self) -> int:
        return len(self.ids)

    def flags(self, name: str) -> NDArray[np.bool_]:
        """Return a Boolean field of `Entry` for all videos."""
        return self._column(name, np.bool_)

    def created(self) -> NDArray[np.float64]:
        return self._column("created_at", np.float64)

    def _column(self, name: str, kind: type[Any]) -> NDArray[Any]:
        def make() -> NDArray[Any]:
            return np.fromiter((getattr(entry, name) for entry in self.entries), kind, len(self))

        found: NDArray[Any] = self.remembered.made(name, make)
        return found

    def places(self) -> dict[str, int]:
        """Return the position of each video by id."""
        found: dict[str, int] = self.remembered.made(
            "places", lambda: {video_id: place for place, video_id in enumerate(self.ids)}
        )
        return found

    def namesakes(self, video_id: str) -> list[str]:
        """Return the ids of videos with this video's title, itself included, at most `COMPARED` on each side.

        Titles are compared as they are sorted: in lower case, numbers by value.
        """
        at, found = self.places()[video_id], [video_id]
        for step in (-1, 1):
            for place in range(at + step, at + step * (COMPARED + 1), step):
                if not 0 <= place < len(self) or not _alike(self.entries[place], self.entries[at]):
                    break
                found.append(self.ids[place])
        return found

    def fits(self, words: str) -> NDArray[np.bool_]:
        """Return which videos contain every one of the words."""
        found: Sequence[int] = range(len(self))
        entries = self.entries
        for word in words.lower().split():
            found = [place for place in found if word in entries[place].haystack]
        mask = np.zeros(len(self), np.bool_)
        mask[found] = True
        return mask


class VideoIndex:
    """The videos of one store. Thread-safe."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._lock = threading.Lock()
        self._entries: dict[str, Entry] = {}
        self._number = NOTHING
        self._now = Videos([], [], NOTHING)

    def videos(self) -> Videos:
        """Return all current videos."""
        with self._lock, self.store.reading() as conn:
            changes = due(conn, self._number)
            if changes.everything:
                self._entries = _read(conn, None)
                self._sort(changes.number)
            elif changes:
                self._follow(_read(conn, changes.videos), changes)
            self._number = max(self._number, changes.number)
            return self._now

    def _follow(self, read: dict[str, Entry], changes: Due) -> None:
        """Apply changes. Most changes do not affect the fields of `Entry`, and then nothing is replaced."""
        if all(self._entries.get(video_id) == read.get(video_id) for video_id in changes.videos):
            return
        changes.drop(self._entries)
        self._entries |= read
        self._sort(changes.number)

    def _sort(self, number: int) -> None:
        # Start from the old order: sorting a nearly sorted list takes one pass.
        ids = sorted(self._in_order(), key=lambda video_id: self._entries[video_id].key)
        self._now = Videos(ids, [self._entries[video_id] for video_id in ids], number)

    def _in_order(self) -> list[str]:
        kept = [video_id for video_id in self._now.ids if video_id in self._entries]
        return kept + list(self._entries.keys() - set(kept))


def _alike(one: Entry, other: Entry) -> bool:
    return one.key[:-1] == other.key[:-1]


def videos_of(store: Store) -> Videos:
    """Return all current videos of the store."""
    return store.kept(VideoIndex, lambda: VideoIndex(store)).videos()


def _key(title: str, video_id: str) -> tuple[Any, ...]:
    """Return alternating texts and numbers for natural sorting; -1 sorts a title before a longer one."""
    parts = _DIGITS.split(title.lower())
    return (*(int(part[:DIGITS]) if place % 2 else part for place, part in enumerate(parts)), -1, video_id)


def _read(conn: Connection, ids: Iterable[str] | None) -> dict[str, Entry]:
    """Read these videos, or all."""
    groups = [None] if ids is None else list(chunks(ids))
    found: dict[str, Entry] = {}
    v = t.video.c
    columns = (v.id, v.title, v.category, v.discipline, v.created_at)
    for group in groups:
        names = _names(conn, group)
        broken, measured = _broken(conn, group), _measured_only(conn, group)
        for row in conn.execute(_of(select(*columns), v.id, group)):
            words = (row[1], row[2], row[3], row[0], *names.get(row[0], ()))
            haystack = "\n".join(words).lower()
            found[row[0]] = Entry(
                _key(row[1], row[0]), row[4], haystack, row[0] in broken, row[0] in measured
            )
    return found


def _of(query: Any, column: ColumnElement[str], ids: Any) -> Any:
    return query if ids is None else query.where(among(column, ids))


def _names(conn: Connection, ids: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for video_id, alias in conn.execute(
        _of(select(t.alias.c.video_id, t.alias.c.alias), t.alias.c.video_id, ids)
    ):
        found[video_id].append(alias)
    return found


def _broken(conn: Connection, ids: Any) -> set[str]:
    one, newer = t.run_video.c, t.run_video.alias("newer").c
    later = and_(newer.video_id == one.video_id, newer.stage == one.stage, newer.updated_at > one.updated_at)
    query = select(one.video_id).where(one.state.in_(BROKEN), ~exists().where(later)).distinct()
    return set(conn.scalars(_of(query, one.video_id, ids)))


def _measured_only(conn: Connection, ids: Any) -> set[str]:
    """Return the videos whose current scripts, captions and notes are all by the baseline."""
    c, now = t.text.c, t.current.c
    captions = c.kind.in_(kinds_with("caption"))
    # A person's own text is stored as corrections of an empty record.
    others = or_(now.corrected.is_(True), and_(c.baseline.is_(False), c.value != ""))
    counted = func.sum(case((others, 1), else_=0))
    shown = and_(now.subject_type == "text", now.subject_id == c.id, now.field == "value")
    query = select(c.video_id).join(t.current, shown).where(captions, now.superseded.is_(False))
    query = query.group_by(c.video_id).having(counted == 0)
    return set(conn.scalars(_of(query, c.video_id, ids)))
