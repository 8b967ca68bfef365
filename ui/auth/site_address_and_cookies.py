"""The public address of the app, and the sites that may show it in a frame.

Both determine the attributes of cookies. In a frame of another site a browser keeps a cookie only with
`SameSite=None; Secure; Partitioned` (CHIPS), which uses a separate cookie jar for each embedding page:
requests from other sites do not carry the cookie. Requests that change data are checked separately
(`ui.web_app`): requests from our own page are same-origin in a frame too.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request, Response

from backends.errors import UsageError

ORIGIN = re.compile(r"(https?)://([a-z0-9]([a-z0-9.-]*[a-z0-9])?)(:[0-9]{1,5})?")
HUGGING_FACE = "https://huggingface.co"
"""The site that shows a Space in a frame."""


@dataclass(frozen=True, slots=True)
class Site:
    """Public address of the app and the sites that may embed it."""

    url: str = ""
    """`https://dailies.example.org`, without a trailing slash; empty: taken from each request."""
    frames: tuple[str, ...] = ()
    """Origins of other sites that may show the app in a frame."""

    @classmethod
    def of(cls, public_url: str | None, embed_in: Iterable[str], env: Mapping[str, str]) -> Site:
        """Read the site from the flags, and on a Hugging Face Space from its environment. Raises UsageError.

        A Space sets SPACE_ID, and SPACE_HOST to its public host name, served over https.
        """
        frames = [word for given in embed_in for word in re.split(r"[\s,]+", given) if word]
        url = (public_url or "").rstrip("/")
        if env.get("SPACE_ID"):
            frames = frames or [HUGGING_FACE]
            url = url or (f"https://{env['SPACE_HOST']}" if env.get("SPACE_HOST") else "")
        if url and not ORIGIN.fullmatch(url):
            raise UsageError(
                f"--public-url {url}: give a URL without a path, like https://dailies.example.org"
            )
        return cls(url, tuple(dict.fromkeys(_outer(origin) for origin in frames)))

    def base(self, request: Request) -> str:
        """The address that browsers use, without a trailing slash."""
        return self.url or str(request.base_url).rstrip("/")

    def is_secure(self, request: Request) -> bool:
        """Whether browsers connect over https."""
        return self.base(request).startswith("https://")

    def headers(self) -> dict[str, str]:
        """Headers that name the sites which may embed the app. X-Frame-Options cannot name other sites."""
        policy = {"Content-Security-Policy": " ".join(["frame-ancestors 'self'", *self.frames])}
        return policy if self.frames else policy | {"X-Frame-Options": "SAMEORIGIN"}

    def set_cookie(self, request: Request, response: Response, name: str, value: str, seconds: int) -> None:
        """Set a cookie that scripts cannot read, also when the app is in a frame. 0 seconds: remove it."""
        secure = self.is_secure(request)
        if not self._in_frames(request):
            response.set_cookie(name, value, seconds, httponly=True, samesite="lax", secure=secure)
            return
        # An unpartitioned cookie of the same name, set before the app was embedded, would be sent as well.
        response.set_cookie(name, "", 0, httponly=True, samesite="lax", secure=secure)
        response.set_cookie(name, value, seconds, httponly=True, samesite="none", secure=True)
        key, header = response.raw_headers[-1]
        response.raw_headers[-1] = (key, header + b"; Partitioned")  # http.cookies: from 3.14 on

    def drop_cookie(self, request: Request, response: Response, name: str) -> None:
        self.set_cookie(request, response, name, "", 0)

    def _in_frames(self, request: Request) -> bool:
        """Whether the app may be framed. Browsers then need `Secure`: https, or this machine."""
        return bool(self.frames) and (self.is_secure(request) or is_loopback(request.url.hostname or ""))

    def warning(self) -> str:
        """A one-line warning about what will not work; empty if no problem is known."""
        if not self.frames or self.url.startswith("https://"):
            return ""
        return (
            "--embed-in: browsers store the cookies of an embedded page only over https, or from this "
            "machine; give the address as --public-url https://..."
        )


ANYWHERE = Site()
"""The site without flags: the address is taken from each request, and no other site may embed the app."""


def is_loopback(host: str) -> bool:
    """Whether a host name or address is a loopback address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _outer(origin: str) -> str:
    """Return the origin. Raises UsageError for anything else: a wildcard would let any site embed the app."""
    found = ORIGIN.fullmatch(origin)
    if not found or (origin.startswith("http://") and not is_loopback(urlsplit(origin).hostname or "")):
        raise UsageError(
            f"--embed-in {origin}: give the origin of one site without a path or *, like https://wiki.example.org"
        )
    return origin
