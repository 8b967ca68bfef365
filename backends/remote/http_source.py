"""Download over http and https. Each redirect is checked against the rules and uses a checked address.

urllib3's connections are used without its pools, which would follow redirects, resolve names
themselves and log the query.
"""

from __future__ import annotations

import http.client
import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection

from backends.errors import MediaError, UsageError
from backends.remote.allowed_addresses import Resolver, judged, lookup
from backends.remote.settings import RemoteRules
from backends.remote.source_protocol import Broken, Opened
from backends.remote.url_rules import WEB, RemoteUrl, joined

HOPS = 5
PIECE = 1 << 18
MOVED = (301, 302, 303, 307, 308)
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")
_FAILURES = (OSError, urllib3.exceptions.HTTPError, http.client.HTTPException)


@dataclass(frozen=True, slots=True)
class WebSource:
    """Source for one http or https URL. `resolver` finds the addresses of a host."""

    url: RemoteUrl
    rules: RemoteRules
    resolver: Resolver = lookup

    def open(self, offset: int, etag: str) -> Opened:
        """Open the file as `Source.open`, without cookies, passwords, referrers or proxies."""
        url = self.url
        for _ in range(HOPS + 1):
            connection, sock, answer = self._ask(url, offset, etag)
            if answer.status not in MOVED:
                try:
                    return _opened(self.url, _Link(connection, sock, answer), offset)
                except BaseException:
                    _Link(connection, sock, answer).close()
                    raise
            _Link(connection, sock, answer).close()
            url = self._next(url, answer.headers.get("location", ""))
        raise MediaError(f"{self.url.shown}: too many redirects; check the URL")

    def _next(self, url: RemoteUrl, location: str) -> RemoteUrl:
        """Return the target of a redirect. Raises MediaError if it is not allowed."""
        try:
            found = joined(url, location)
            if found.scheme not in WEB:
                raise UsageError(f"{found.scheme}:// is not a web address")
            return self.rules.check(found)
        except UsageError as error:
            raise MediaError(f"{self.url.shown}: the server redirects to a refused URL: {error}") from None

    def _ask(self, url: RemoteUrl, offset: int, etag: str) -> tuple[HTTPConnection, socket.socket, Any]:
        private = self.rules.is_private(url)
        addresses = judged(url.host, url.port, private=private, resolver=self.resolver)
        connection, sock = _connect(url, addresses, self.rules.stall_s)
        headers = {"Host": url.place, "User-Agent": "Dailies", "Accept": "*/*", "Accept-Encoding": "identity"}
        if offset:
            headers |= {"Range": f"bytes={offset}-", "If-Range": etag}
        target = f"{url.path}?{url.query}" if url.query else url.path
        try:
            connection.request("GET", target, headers=headers, preload_content=False, decode_content=False)
            return connection, sock, connection.getresponse()
        except _FAILURES as error:
            connection.close()
            raise Broken(_said(error)) from None


@dataclass(frozen=True, slots=True)
class _Link:
    """A connection and the response that arrives over it."""

    connection: HTTPConnection
    sock: socket.socket
    answer: Any

    def close(self) -> None:
        """Close the connection; the shutdown also ends a blocking read in another thread."""
        with suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)
        with suppress(*_FAILURES):
            self.answer.close()
            self.connection.close()

    def pieces(self) -> Iterator[bytes]:
        try:
            while piece := self.answer.read1(PIECE):
                yield piece
        except _FAILURES as error:
            raise Broken(_said(error)) from None
        finally:
            self.close()


def _connect(url: RemoteUrl, addresses: list[str], timeout: float) -> tuple[HTTPConnection, socket.socket]:
    """Connect to the first address that answers; the certificate must match the host name."""
    said = ""
    for address in addresses:
        connection = _connection(url, address, timeout)
        try:
            connection.connect()
        except ssl.SSLCertVerificationError:
            raise MediaError(f"{url.place}: its certificate is not valid; ask its operator") from None
        except _FAILURES as error:
            said = _said(error)
            connection.close()
            continue
        assert connection.sock is not None
        return connection, connection.sock
    raise Broken(f"{url.place}: {said}")


def _connection(url: RemoteUrl, address: str, timeout: float) -> HTTPConnection:
    if url.scheme == "http":
        return HTTPConnection(address, url.port, timeout=timeout)
    # Without `assert_hostname`, the ssl module compares the names, not urllib3.
    context = ssl.create_default_context()
    return HTTPSConnection(address, url.port, timeout=timeout, ssl_context=context, server_hostname=url.host)


def _opened(url: RemoteUrl, link: _Link, offset: int) -> Opened:
    answer = link.answer
    _refuse(url, answer.status)
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise MediaError(f"{url.shown}: the server sends compressed data; provide the plain file")
    etag = answer.headers.get("etag", "")
    etag = "" if etag.startswith("W/") else etag
    if answer.status == 200:
        length = answer.headers.get("content-length", "")
        return Opened(0, int(length) if length.isdigit() else None, etag, link.pieces(), link.close)
    found = _RANGE.fullmatch(answer.headers.get("content-range", ""))
    if not found or int(found[1]) != offset:
        raise MediaError(f"{url.shown}: the server sends a different range than requested; ask its operator")
    return Opened(offset, int(found[3]), etag, link.pieces(), link.close)


def _refuse(url: RemoteUrl, status: int) -> None:
    """Raise MediaError or Broken for a response without the file."""
    if status in (200, 206):
        return
    if status in (408, 416, 425, 429) or status >= 500:
        raise Broken(f"the server answered {status}", anew=status == 416)
    if status in (401, 403):
        raise MediaError(f"{url.shown}: the server denies access ({status}); a signed URL may have expired")
    if status in (404, 410):
        raise MediaError(f"{url.shown}: the server has no such file ({status}); check the URL")
    raise MediaError(f"{url.shown}: the server answered {status}; open the URL in a browser to see why")


def _said(error: BaseException) -> str:
    """Describe a failure in our own words, because the library's message may reveal a signed URL."""
    if isinstance(error, urllib3.exceptions.TimeoutError | TimeoutError):
        return "the server does not respond in time"
    if isinstance(error, ConnectionRefusedError | urllib3.exceptions.NewConnectionError):
        return "the connection was refused"
    if isinstance(error, ssl.SSLError | urllib3.exceptions.SSLError):
        return "a secure connection could not be established"
    return "the connection was lost"
