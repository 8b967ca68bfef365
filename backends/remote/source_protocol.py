"""Protocol of sources for downloads, and a reader that runs in a thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol

_WAITING = 16
"""Number of pieces to read ahead."""
_LOOK_S = 0.2


class Broken(Exception):
    """The transfer ended early; a retry may succeed. The message is for users and contains no URL.

    `anew`: the bytes received so far do not match the source's current version.
    """

    def __init__(self, words: str, *, anew: bool = False) -> None:
        super().__init__(words)
        self.anew = anew


@dataclass(frozen=True, slots=True)
class Opened:
    """An open download."""

    offset: int
    """Position of the first piece; 0 if the source cannot continue from the requested position."""
    total: int | None
    """Size of the whole file in bytes; None if the source does not report it."""
    etag: str
    """Version of the file; empty if the source has no reliable one."""
    pieces: Iterator[bytes]
    close: Callable[[], None]
    """Aborts a blocking read; may be called from another thread."""


class Source(Protocol):
    def open(self, offset: int, etag: str) -> Opened:
        """Open the file at byte `offset` of version `etag`; at 0 if the version differs.

        Raises Broken, and MediaError if a retry would not help.
        """
        ...


class Pump:
    """Reads a source in a separate thread, so that the consumer never blocks for long.

    with Pump(source, offset, etag) as pump:
        for item in pump.items(): ...  # Opened, then pieces; None while no data arrives
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
        """Yield the items. Raises what the source raised."""
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
        except Exception as error:  # noqa: BLE001 - re-raised in the consumer's thread
            self._put(error)
        finally:
            if self._closed.is_set() and self._opened:
                self._opened.close()

    def _put(self, item: Opened | bytes | BaseException | None) -> bool:
        """Add an item to the queue; return False if the consumer has closed it."""
        while not self._closed.is_set():
            try:
                self._items.put(item, timeout=_LOOK_S)
            except queue.Full:
                continue
            return True
        return False
