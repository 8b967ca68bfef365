"""Parts of every cache of the store: what to read again after changes, and a bounded LRU mapping."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Connection

from annotation.store import changed_videos
from annotation.store.store import Store

K = TypeVar("K")
V = TypeVar("V")
NOTHING = -1
"""The change number of an empty cache."""
MANY = 64
"""Up to this many changed videos are always read one by one."""
SHARE = 4
"""If there are more, and more than one video in `SHARE` has changed, reading everything is faster."""


@dataclass(frozen=True, slots=True)
class Due:
    """What a cache has to read to be up to date."""

    number: int
    """Number of the newest change. Data read afterwards includes that change and possibly later ones."""
    videos: tuple[str, ...]
    """Ids of the videos to read again."""
    everything: bool = False
    """Whether to read all videos instead of `videos`."""

    def __bool__(self) -> bool:
        return self.everything or bool(self.videos)

    def drop(self, kept: MutableMapping[str, Any]) -> None:
        """Remove the cached entries of these videos."""
        for video_id in list(kept) if self.everything else self.videos:
            kept.pop(video_id, None)


def due(conn: Connection, number: int) -> Due:
    """Return what has changed since change `number`."""
    newest = changed_videos.newest(conn)
    if number == NOTHING:
        return Due(newest, (), everything=True)
    videos = changed_videos.since(conn, number) if newest > number else []
    if len(videos) > MANY and len(videos) * SHARE > changed_videos.count(conn):
        return Due(newest, (), everything=True)
    return Due(newest, tuple(videos))


class Renewed:
    """A cache that is updated on each access. Thread-safe within `changes`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._number = NOTHING
        self._lock = threading.Lock()

    @contextmanager
    def changes(self) -> Iterator[Due]:
        """Yield what has changed since the last access, and hold the lock of the cache meanwhile."""
        with self._lock:
            with self.store.reading() as conn:
                changes = due(conn, self._number)
            yield changes
            self._number = changes.number


class LastUsed(OrderedDict[K, V]):
    """A mapping with at most `most` entries that drops the least recently used one. Not thread-safe."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def use(self, key: K) -> V | None:
        """Return the value of this key, or None if it is not cached."""
        if key in self:
            self.move_to_end(key)
        return self.get(key)

    def keep(self, key: K, value: V) -> V:
        self[key] = value
        self.move_to_end(key)
        while len(self) > self.most:
            self.popitem(last=False)
        return value

    def made(self, key: K, make: Callable[[], V]) -> V:
        """Return the value of this key, computed with `make` on first use."""
        return self[key] if key in self else self.keep(key, make())
