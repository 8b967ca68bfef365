"""What every cache of the store is made of: what to read again after changes, and room for a few things."""

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
"""The number of a cache that holds nothing yet."""
MANY = 64
"""So many changed videos are always read by themselves."""
SHARE = 4
"""Of more, reading everything anew is quicker where they are at least one in so many of all."""


@dataclass(frozen=True, slots=True)
class Due:
    """What a cache has to read to be up to date."""

    number: int
    """Of the newest change. What is read after it holds that change, and perhaps later ones."""
    videos: tuple[str, ...]
    """To be read again."""
    everything: bool = False
    """Instead of `videos`: all of them."""

    def __bool__(self) -> bool:
        return self.everything or bool(self.videos)

    def drop(self, kept: MutableMapping[str, Any]) -> None:
        """Take out what is kept of these videos."""
        for video_id in list(kept) if self.everything else self.videos:
            kept.pop(video_id, None)


def due(conn: Connection, number: int) -> Due:
    """What has changed since the cache had read change `number`."""
    newest = changed_videos.newest(conn)
    if number == NOTHING:
        return Due(newest, (), everything=True)
    videos = changed_videos.since(conn, number) if newest > number else []
    if len(videos) > MANY and len(videos) * SHARE > changed_videos.count(conn):
        return Due(newest, (), everything=True)
    return Due(newest, tuple(videos))


class Renewed:
    """A cache that is brought up to date by each look at it. Safe for several threads inside of `changes`."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._number = NOTHING
        self._lock = threading.Lock()

    @contextmanager
    def changes(self) -> Iterator[Due]:
        """What has changed since the last look; nobody else is at the cache meanwhile."""
        with self._lock:
            with self.store.reading() as conn:
                changes = due(conn, self._number)
            yield changes
            self._number = changes.number


class LastUsed(OrderedDict[K, V]):
    """At most so many things; the one not used for longest goes. Not safe for several threads by itself."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def use(self, key: K) -> V | None:
        """The thing of this name, if it is here."""
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
        """What `make` gives, made on first use."""
        return self[key] if key in self else self.keep(key, make())
