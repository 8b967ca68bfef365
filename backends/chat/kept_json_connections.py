"""JSON to and from one server over kept connections: all that a chat API needs of HTTP.

Packages for the API itself check a model of every request and reply, which costs more than sending it:
at hundreds of replies a second the client would be what one waits for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Event
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3

from backends.chat.http_exchange_with_deadline import exchanging, pool_manager
from backends.errors import Stopped

MOST_CONNECTIONS = 128
CONNECT_S = 3.0
"""Also how long a stopped run may wait for somebody who is not there."""
LONGEST_BODY = 256 << 20
"""Bytes of a reply that is no text: a list of embeddings."""
LONGEST_COMPLAINT = 64 << 10
"""Bytes that are read of a reply whose status is not 2xx."""
_PIECE = 64 << 10


class NoAnswer(Exception):
    """The server took the request and did not answer in time."""


class NoConnection(Exception):
    """Nobody is there, or the connection broke."""


class TooLong(Exception):
    """The reply is longer than it may be; the rest of it was not read."""


class StatusError(Exception):
    """The server answered with a status that is not 2xx."""

    def __init__(self, status: int, headers: Mapping[str, str], body: Any) -> None:
        super().__init__(f"error {status}")
        self.status = status
        self.headers = headers
        self.body = body
        """Read as JSON where it is JSON, else the text."""


class JsonServer:
    """One server. Thread-safe. Proxies are taken from the environment, as other clients do."""

    def __init__(self, url: str, key: str, longest: int = LONGEST_BODY) -> None:
        """`longest` is in bytes of a reply's body, unpacked."""
        self._url = url
        self._longest = longest
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        parts = urlsplit(url)
        host = parts.hostname or ""
        here = host in ("localhost", "::1") or host.startswith("127.")
        proxy = "" if here or proxy_bypass(host) else getproxies().get(parts.scheme, "")
        self._pool = pool_manager(proxy, maxsize=MOST_CONNECTIONS, retries=False)

    def post(self, path: str, body: Mapping[str, Any], timeout_s: float, stop: Event | None = None) -> Any:
        """The reply. Raises NoAnswer, NoConnection, TooLong, StatusError; ValueError when it is no JSON.

        `timeout_s` is for all of it. Soon after `stop` was set, Stopped is raised.
        """
        return self._ask("POST", path, timeout_s, json.dumps(body, ensure_ascii=False).encode(), stop)

    def get(self, path: str, timeout_s: float) -> Any:
        """As `post`, without a body."""
        return self._ask("GET", path, timeout_s, None, None)

    def _ask(self, method: str, path: str, timeout_s: float, body: bytes | None, stop: Event | None) -> Any:
        with exchanging(timeout_s, stop) as exchange:
            try:
                status, headers, data = self._exchange(method, path, timeout_s, body)
            except urllib3.exceptions.ReadTimeoutError as error:
                raise NoAnswer(str(error)) from error
            except (urllib3.exceptions.HTTPError, OSError) as error:
                if exchange.stopped:
                    raise Stopped("stopped while a request was in flight") from error
                raise (NoAnswer if exchange.ended else NoConnection)(str(error)) from error
            if exchange.ended:  # what was cut off may look like the end of the reply
                raise Stopped("stopped") if exchange.stopped else NoAnswer("the reply took too long")
        if not 200 <= status < 300:
            raise StatusError(status, headers, _body(data))
        return _json(data)

    def _exchange(
        self, method: str, path: str, timeout_s: float, body: bytes | None
    ) -> tuple[int, Mapping[str, str], bytes]:
        timeout = urllib3.Timeout(connect=min(CONNECT_S, timeout_s), read=timeout_s)
        answer = self._pool.request(
            method,
            self._url + path,
            body=body,
            headers=self._headers,
            timeout=timeout,
            redirect=False,
            preload_content=False,
        )
        good = 200 <= answer.status < 300
        try:
            data = _read(answer, self._longest if good else LONGEST_COMPLAINT)
        except BaseException:
            answer.close()
            raise
        if len(data) <= (self._longest if good else LONGEST_COMPLAINT):
            answer.release_conn()
            return answer.status, answer.headers, data
        answer.close()
        if good:
            raise TooLong(f"the reply is longer than {self._longest:,} bytes")
        return answer.status, answer.headers, data

    def close(self) -> None:
        self._pool.clear()


def _read(answer: urllib3.BaseHTTPResponse, most: int) -> bytes:
    """The body, as it comes; one piece more than `most` where it is longer."""
    pieces: list[bytes] = []
    size = 0
    while size <= most and (piece := answer.read1(_PIECE)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _json(data: bytes) -> Any:
    """Raises ValueError, also for what is nested too deeply to be read."""
    try:
        return json.loads(data)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _body(data: bytes) -> Any:
    text = data.decode("utf-8", "replace")
    try:
        return _json(text.encode())
    except ValueError:
        return text
