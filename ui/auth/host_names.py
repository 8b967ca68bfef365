"""Which names the server answers to while nobody logs in.

A page of another site can give its own name this machine's address (DNS rebinding): the browser then takes
the server for a part of that site, and lets the page read and write. The name stands in `Host` of each
request, so a server that everyone may use refuses names that are not its own. An address is no name: it
cannot be rebound. With accounts the cookie of a session belongs to the name under which somebody logged in,
so that other names find a stranger.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from backends.errors import UsageError
from ui.auth.site_address_and_cookies import is_loopback

NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?|\[[0-9a-f:.]+\]")
PORT = re.compile(r":[0-9]{1,5}$")


@dataclass(frozen=True, slots=True)
class OwnNames:
    """The names of one server."""

    names: frozenset[str]
    """In lower case, addresses of IPv6 in brackets, without ports."""
    any_address: bool
    """Whether the server listens on all addresses of its machine: then each address is its own."""
    url: str
    """Where to find it, for those who are refused."""

    @classmethod
    def of(cls, host: str, port: int, public_url: str = "", allowed: Iterable[str] = ()) -> OwnNames:
        """From `--host`, `--port`, `--public-url` and `--allow-host`. Raises UsageError."""
        public = urlsplit(public_url).hostname
        any_address = host in ("0.0.0.0", "::", "")  # noqa: S104  # looked at, not listened on
        names = [_bracketed(host), *map(_allowed, allowed), *([_bracketed(public)] if public else [])]
        here = "127.0.0.1" if any_address else _bracketed(host)
        return cls(frozenset(names), any_address, public_url or f"http://{here}:{port}")

    def hold(self, host: str) -> bool:
        """Whether a request's `Host` names this server; the port does not matter."""
        name = _plain(host)
        if name in self.names or is_loopback(name.strip("[]")):
            return True
        return self.any_address and _is_address(name.strip("[]"))

    def refusal(self, host: str) -> str:
        """One line that says what to type; what is no name is not repeated."""
        name = _plain(host)
        if not NAME.fullmatch(name):
            return f"this request does not say to which server it goes; open {self.url}\n"
        return f"this server is not called {name}; open {self.url}, or start it with --allow-host {name}\n"


class NamesOnly:
    """ASGI: requests and web sockets under another name get 421."""

    def __init__(self, app: ASGIApp, names: OwnNames) -> None:
        self.app, self.names = app, names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        wrong = next((host for host in given or [""] if not self.names.hold(host)), None)
        if wrong is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": "another server's name"})
        else:
            headers = {"X-Content-Type-Options": "nosniff"}
            await PlainTextResponse(self.names.refusal(wrong), 421, headers)(scope, receive, send)


def _plain(host: str) -> str:
    """The name alone, as it is compared."""
    return PORT.sub("", host.strip().lower()).removesuffix(".")


def _bracketed(host: str) -> str:
    plain = host.lower().strip("[]").removesuffix(".")
    return f"[{plain}]" if ":" in plain else plain


def _allowed(name: str) -> str:
    """Raises UsageError for what is not one name."""
    address = _is_address(name)
    found = _bracketed(name) if address else _plain(name)
    if not NAME.fullmatch(found) or (PORT.search(name) and not address):
        raise UsageError(f"--allow-host {name}: give one name without http:// and port, dailies.example.org")
    return found


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
