"""Where the bytes of a file come from, as the one who writes them down sees it."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

_WAITING = 16
"""Pieces that are read ahead."""
_LOOK_S = 0.2


class Broken(Exception):
    """The transfer ended too early; another try may go on. The words are for people and name no URL.

    `anew`: what is here already does not fit what the source holds now.
    """

    def __init__(self, words: str, *, anew: bool = False) -> None:
        super().__init__(words)
        self.anew = anew


@dataclass(frozen=True, slots=True)
class Opened:
    """A file that is being sent."""

    offset: int
    """Where the pieces begin; 0 where the source would not go on from the asked place."""
    total: int | None
    """Bytes of the whole file; None where the source does not say."""
    etag: str
    """Names this version of the file; empty where the source has no name that can be relied on."""
    pieces: Iterator[bytes]
    close: Callable[[], None]
    """May be called from another thread, and ends a read that waits."""


class Source(Protocol):
    def open(self, offset: int, etag: str) -> Opened:
        """From byte `offset` of the version `etag`, else from the beginning.

        Raises Broken, and MediaError for what another try would not change.
        """
        ...


class Pump:
    """Reads a source in a thread of its own: whoever takes the pieces never waits long for the next word.

    with Pump(source, offset, etag) as pump:
        for item in pump.items(): ...  # Opened, then pieces; None where nothing came for a moment
    """

    def __init__(self, source: Source, offset: int, etag: str) -> None:
        self._source, self._offset, self._etag = source, offset, etag
        self._items: queue.Queue[Opened | bytes | BaseException | None] = queue.Queue(_WAITING)
        self._closed = threading.Event()
        self._opened: Opened | None = None
        self._thread = threading.Thread(target=self._read, name="fetch", daemon=True)

    def __enter__(self) -> Pump:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed.set()
        if self._opened:
            self._opened.close()

    def items(self) -> Iterator[Opened | bytes | None]:
        """Raises what the source raised."""
        while True:
            try:
                item = self._items.get(timeout=_LOOK_S)
            except queue.Empty:
                yield None
                continue
            if item is None:
                return
            if isinstance(item, BaseException):
                raise item
            yield item

    def _read(self) -> None:
        try:
            self._opened = self._source.open(self._offset, self._etag)
            self._put(self._opened)
            for piece in self._opened.pieces:
                if not self._put(piece):
                    break
            self._put(None)
        except Exception as error:  # noqa: BLE001 - told to the thread that waits
            self._put(error)
        finally:
            if self._closed.is_set() and self._opened:
                self._opened.close()

    def _put(self, item: Opened | bytes | BaseException | None) -> bool:
        """Whether somebody still takes it."""
        while not self._closed.is_set():
            try:
                self._items.put(item, timeout=_LOOK_S)
            except queue.Full:
                continue
            return True
        return False
