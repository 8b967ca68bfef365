"""Exchange JSON with one server over persistent connections: the part of HTTP that a chat API needs.

Client packages for the API validate every request and reply, which costs more than sending them: at
hundreds of replies per second the client would be the bottleneck.
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
"""Connection timeout; also limits how long a stopped run waits for an unreachable server."""
LONGEST_BODY = 256 << 20
"""Maximum bytes of a reply other than text, such as a list of embeddings."""
SHORTEST_KEY = 8
"""Characters of a key that is removed from replies. Shorter ones may be words of an answer."""
LONGEST_COMPLAINT = 64 << 10
"""Maximum bytes read of an error response."""
_PIECE = 64 << 10


class NoAnswer(Exception):
    """The server received the request but did not answer in time."""


class NoConnection(Exception):
    """The server is unreachable, or the connection was lost."""


class TooLong(Exception):
    """The reply exceeds the maximum length; the rest was not read."""


class StatusError(Exception):
    """The server answered with a status other than 2xx."""

    def __init__(self, status: int, headers: Mapping[str, str], body: Any) -> None:
        super().__init__(f"error {status}")
        self.status = status
        self.headers = headers
        self.body = body
        """Parsed JSON, or the text if it is not JSON."""


class JsonServer:
    """Client of one server. Thread-safe. Proxies come from the environment, as in other clients."""

    def __init__(self, url: str, key: str, longest: int = LONGEST_BODY, *, public: bool = False) -> None:
        """`longest` is the maximum size of a reply's body in bytes, after decompression.

        `public`: connect only to public addresses, without a proxy.
        """
        self._url = url
        self._key = key.encode() if len(key) >= SHORTEST_KEY else b""
        self._longest = longest
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        parts = urlsplit(url)
        host = parts.hostname or ""
        here = host in ("localhost", "::1") or host.startswith("127.")
        proxy = "" if public or here or proxy_bypass(host) else getproxies().get(parts.scheme, "")
        self._pool = pool_manager(proxy, public=public, maxsize=MOST_CONNECTIONS, retries=False)

    def post(self, path: str, body: Mapping[str, Any], timeout_s: float, stop: Event | None = None) -> Any:
        """Send JSON and return the JSON reply; `timeout_s` limits the total time.

        Raises NoAnswer, NoConnection, TooLong, StatusError; ValueError if the reply is not JSON; Stopped soon
        after `stop` is set.
        """
        return self._ask("POST", path, timeout_s, json.dumps(body, ensure_ascii=False).encode(), stop)

    def get(self, path: str, timeout_s: float) -> Any:
        """Send a GET request, otherwise as `post`."""
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
            if exchange.ended:  # a truncated reply may look complete
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
            return answer.status, answer.headers, self._without_key(data)
        answer.close()
        if good:
            raise TooLong(f"the reply is longer than {self._longest:,} bytes")
        return answer.status, answer.headers, self._without_key(data)

    def _without_key(self, data: bytes) -> bytes:
        """Replies are stored and shown, and some servers repeat the key in their errors."""
        return data.replace(self._key, b"***") if self._key else data

    def close(self) -> None:
        self._pool.clear()


def _read(answer: urllib3.BaseHTTPResponse, most: int) -> bytes:
    """Read the body; stop after the piece that exceeds `most`."""
    pieces: list[bytes] = []
    size = 0
    while size <= most and (piece := answer.read1(_PIECE)):
        pieces.append(piece)
        size += len(piece)
    return b"".join(pieces)


def _json(data: bytes) -> Any:
    """Parse JSON. Raises ValueError, also if the nesting is too deep."""
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
