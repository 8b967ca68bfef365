"""The host names that the server accepts while no login is required.

A page of another site can point its own host name at this machine's address (DNS rebinding). The browser then
treats the server as part of that site, and lets the page read and write. The name is in the `Host` header of
each request, so a server without a login refuses names that are not its own. IP addresses are accepted: they
cannot be rebound. With accounts the session cookie belongs to the host name of the login, so requests under
other names are not logged in.
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
    """The host names of one server."""

    names: frozenset[str]
    """In lower case and without ports; IPv6 addresses in brackets."""
    any_address: bool
    """Whether the server listens on all addresses of the machine: then any IP address is accepted."""
    url: str
    """The address of the server, shown in refusals."""

    @classmethod
    def of(cls, host: str, port: int, public_url: str = "", allowed: Iterable[str] = ()) -> OwnNames:
        """Read the names from `--host`, `--port`, `--public-url` and `--allow-host`. Raises UsageError."""
        public = urlsplit(public_url).hostname
        any_address = host in ("0.0.0.0", "::", "")  # noqa: S104  # only compared, not bound
        names = [_bracketed(host), *map(_allowed, allowed), *([_bracketed(public)] if public else [])]
        here = "127.0.0.1" if any_address else _bracketed(host)
        return cls(frozenset(names), any_address, public_url or f"http://{here}:{port}")

    def hold(self, host: str) -> bool:
        """Whether a request's `Host` is a name of this server; the port is ignored."""
        name = _plain(host)
        if name in self.names or is_loopback(name.strip("[]")):
            return True
        return self.any_address and _is_address(name.strip("[]"))

    def refusal(self, host: str) -> str:
        """A one-line message with the address to use. It quotes `host` only if that is a valid host name."""
        name = _plain(host)
        if not NAME.fullmatch(name):
            return f"the request has no valid Host header; open {self.url}\n"
        return f"{name} is not a name of this server; open {self.url}, or start it with --allow-host {name}\n"


class NamesOnly:
    """ASGI middleware that answers 421 to requests and web sockets under other host names."""

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
            await send({"type": "websocket.close", "code": 1008, "reason": "not a name of this server"})
        else:
            headers = {"X-Content-Type-Options": "nosniff"}
            await PlainTextResponse(self.names.refusal(wrong), 421, headers)(scope, receive, send)


def _plain(host: str) -> str:
    """The name without port, in the form used for comparison."""
    return PORT.sub("", host.strip().lower()).removesuffix(".")


def _bracketed(host: str) -> str:
    plain = host.lower().strip("[]").removesuffix(".")
    return f"[{plain}]" if ":" in plain else plain


def _allowed(name: str) -> str:
    """Return the host name. Raises UsageError if it is not a single host name."""
    address = _is_address(name)
    found = _bracketed(name) if address else _plain(name)
    if not NAME.fullmatch(found) or (PORT.search(name) and not address):
        raise UsageError(
            f"--allow-host {name}: give a host name without http:// and port, such as wiki.example.org"
        )
    return found


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
