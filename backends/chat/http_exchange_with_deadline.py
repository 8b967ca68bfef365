"""Limit the total time of a request, whatever the server does.

A read timeout restarts with every byte, and headers may arrive one at a time, so it does not limit the
total time. A thread therefore watches all exchanges of the process. It shuts down the connection of an
exchange when its time is over or soon after the work is stopped; blocked reads then fail at once.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Event
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, NewConnectionError

from backends.errors import MediaError
from backends.remote.allowed_addresses import judged

GRACE_S = 1.0
"""How long a request in flight may continue after the work is stopped."""
_LOOK_S = 0.1
_current = threading.local()


@dataclass(eq=False, slots=True)
class Exchange:
    """A request in flight."""

    until: float
    """`time.monotonic()` of the deadline."""
    stop: Event | None
    connection: Any = None
    ended: bool = False
    """Whether it was ended before the reply was complete."""

    @property
    def stopped(self) -> bool:
        return self.ended and self.stop is not None and self.stop.is_set()


class _Watchdog:
    """Checks the exchanges in flight ten times a second; sleeps if there are none."""

    def __init__(self) -> None:
        self._exchanges: set[Exchange] = set()
        self._lock = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, exchange: Exchange) -> None:
        with self._lock:
            self._exchanges.add(exchange)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="exchanges", daemon=True)
                self._thread.start()
            self._lock.notify()

    def remove(self, exchange: Exchange) -> None:
        with self._lock:
            self._exchanges.discard(exchange)

    def _work(self) -> None:
        while True:
            with self._lock:
                self._lock.wait_for(lambda: bool(self._exchanges))
                for exchange in self._exchanges:
                    self._look(exchange)
            time.sleep(_LOOK_S)

    @staticmethod
    def _look(exchange: Exchange) -> None:
        now = time.monotonic()
        if exchange.stop is not None and exchange.stop.is_set():
            exchange.until = min(exchange.until, now + GRACE_S)
        if now >= exchange.until:
            exchange.ended = True
            if exchange.connection is not None:
                exchange.connection.cut()


_watchdog = _Watchdog()


@contextmanager
def exchanging(timeout_s: float, stop: Event | None) -> Iterator[Exchange]:
    """Limit requests that this thread sends through `pool_manager` in this block: they end after `timeout_s`,
    or GRACE_S after `stop` is set."""
    exchange = _current.exchange = Exchange(time.monotonic() + timeout_s, stop)
    _watchdog.add(exchange)
    try:
        yield exchange
    finally:
        _watchdog.remove(exchange)
        _current.exchange = None


class _Cuttable:
    """A connection that another thread can shut down, also during a TLS handshake."""

    _handle: socket.socket | None = None
    host: str
    port: int

    def __str__(self) -> str:
        """Return the address for error messages."""
        return f"{self.host}:{self.port}"

    def _new_conn(self) -> socket.socket:
        self._tell()
        sock: socket.socket = super()._new_conn()  # type: ignore[misc]
        self._handle = sock.dup()  # TLS detaches the original socket
        return sock

    def request(self, *args: Any, **options: Any) -> None:
        self._tell()
        super().request(*args, **options)  # type: ignore[misc]

    def _tell(self) -> None:
        exchange = getattr(_current, "exchange", None)
        if exchange is not None:
            exchange.connection = self

    def cut(self) -> None:
        handle = self._handle
        if handle is not None:
            with suppress(OSError):  # already closed
                handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        handle, self._handle = self._handle, None
        super().close()  # type: ignore[misc]
        if handle is not None:
            handle.close()


class _Http(_Cuttable, HTTPConnection):
    pass


class _Https(_Cuttable, HTTPSConnection):
    pass


class _Public(_Cuttable):
    """A connection to a public address. The host is resolved once, all its addresses are checked, and one
    of these is connected to, so a change in DNS has no effect, and no private address is contacted."""

    host: str
    port: int
    _dns_host: str

    def _new_conn(self) -> socket.socket:
        named = self._dns_host
        try:
            *others, last = judged(self.host, self.port, private=False)
        except MediaError:
            raise NewConnectionError(self, "not a public address") from None  # type: ignore[arg-type]
        try:
            for self._dns_host in others:  # what urllib3 connects to; TLS checks the name
                with suppress(HTTPError):
                    return super()._new_conn()
            self._dns_host = last
            return super()._new_conn()
        finally:
            self._dns_host = named


class _PublicHttp(_Public, HTTPConnection):
    pass


class _PublicHttps(_Public, HTTPSConnection):
    pass


class _HttpPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Http


class _HttpsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _Https


class _PublicHttpPool(urllib3.HTTPConnectionPool):
    ConnectionCls = _PublicHttp


class _PublicHttpsPool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _PublicHttps


POOLS = {"http": _HttpPool, "https": _HttpsPool}
PUBLIC_POOLS = {"http": _PublicHttpPool, "https": _PublicHttpsPool}


def pool_manager(proxy: str, *, public: bool = False, **options: Any) -> urllib3.PoolManager:
    """Return a pool whose connections `exchanging` can end; `proxy` may be empty.

    With `public` only public addresses are connected to, and `proxy` must be empty.
    """
    pool = urllib3.ProxyManager(proxy, **options) if proxy else urllib3.PoolManager(**options)
    pool.pool_classes_by_scheme = {**(PUBLIC_POOLS if public else POOLS)}
    return pool
