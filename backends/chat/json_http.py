"""JSON to and from one server over kept connections: all that a chat API needs of HTTP.

Packages for the API itself check a model of every request and reply, which costs more than sending it:
at hundreds of replies a second the client would be what one waits for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3

MOST_CONNECTIONS = 128
CONNECT_S = 10.0


class NoAnswer(Exception):
    """The server took the request and did not answer in time."""


class NoConnection(Exception):
    """Nobody is there, or the connection broke."""


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

    def __init__(self, url: str, key: str) -> None:
        self._url = url
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json",
                         "Accept": "application/json"}  # fmt: skip
        parts = urlsplit(url)
        host = parts.hostname or ""
        here = host in ("localhost", "::1") or host.startswith("127.")
        proxy = "" if here or proxy_bypass(host) else getproxies().get(parts.scheme, "")
        options: dict[str, Any] = {"maxsize": MOST_CONNECTIONS, "retries": False}
        self._pool = urllib3.ProxyManager(proxy, **options) if proxy else urllib3.PoolManager(**options)

    def post(self, path: str, body: Mapping[str, Any], timeout_s: float) -> Any:
        """The reply. Raises NoAnswer, NoConnection, StatusError; ValueError when it is no JSON."""
        return self._ask("POST", path, timeout_s, json.dumps(body, ensure_ascii=False).encode())

    def get(self, path: str, timeout_s: float) -> Any:
        """As `post`, without a body."""
        return self._ask("GET", path, timeout_s, None)

    def _ask(self, method: str, path: str, timeout_s: float, body: bytes | None) -> Any:
        timeout = urllib3.Timeout(connect=min(CONNECT_S, timeout_s), read=timeout_s)
        try:
            answer = self._pool.request(
                method, self._url + path, body=body, headers=self._headers, timeout=timeout, redirect=False
            )
        except urllib3.exceptions.ReadTimeoutError as error:
            raise NoAnswer(str(error)) from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise NoConnection(str(error)) from error
        if not 200 <= answer.status < 300:
            raise StatusError(answer.status, answer.headers, _body(answer.data))
        return json.loads(answer.data)

    def close(self) -> None:
        self._pool.clear()


def _body(data: bytes) -> Any:
    text = data.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except ValueError:
        return text
