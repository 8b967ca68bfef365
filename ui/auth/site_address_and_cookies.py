"""The site: at which address browsers find the app, and which pages may show it in a frame.

Both decide the attributes of cookies. In a frame of another site a browser keeps a cookie only with
`SameSite=None; Secure; Partitioned` (CHIPS): one jar for each outer page, so that no other site's requests
carry it. Requests that change something are checked apart from that (`ui.web_app`): those of our own page are
same-origin in a frame as well.
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
"""Whose pages show a Space in a frame."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the app is."""

    url: str = ""
    """`https://dailies.example.org`, without a slash at the end; empty: as each request says."""
    frames: tuple[str, ...] = ()
    """Origins of other sites whose pages may show the app."""

    @classmethod
    def of(cls, public_url: str | None, embed_in: Iterable[str], env: Mapping[str, str]) -> Site:
        """From the flags, and on a Hugging Face Space from what it tells. Raises UsageError.

        A Space sets SPACE_ID, and SPACE_HOST to where browsers find it, over https.
        """
        frames = [word for given in embed_in for word in re.split(r"[\s,]+", given) if word]
        url = (public_url or "").rstrip("/")
        if env.get("SPACE_ID"):
            frames = frames or [HUGGING_FACE]
            url = url or (f"https://{env['SPACE_HOST']}" if env.get("SPACE_HOST") else "")
        if url and not ORIGIN.fullmatch(url):
            raise UsageError(
                f"--public-url {url}: give an address without a path, https://dailies.example.org"
            )
        return cls(url, tuple(dict.fromkeys(_outer(origin) for origin in frames)))

    def base(self, request: Request) -> str:
        """The address that browsers use, without a slash at the end."""
        return self.url or str(request.base_url).rstrip("/")

    def is_secure(self, request: Request) -> bool:
        """Whether browsers come over https."""
        return self.base(request).startswith("https://")

    def headers(self) -> dict[str, str]:
        """Who may show the app in a frame. X-Frame-Options knows no other site than one's own."""
        policy = {"Content-Security-Policy": " ".join(["frame-ancestors 'self'", *self.frames])}
        return policy if self.frames else policy | {"X-Frame-Options": "SAMEORIGIN"}

    def set_cookie(self, request: Request, response: Response, name: str, value: str, seconds: int) -> None:
        """A cookie that no script sees, for whichever page the app stands in. 0 seconds: drop it."""
        secure = self.is_secure(request)
        if not self._in_frames(request):
            response.set_cookie(name, value, seconds, httponly=True, samesite="lax", secure=secure)
            return
        # One of the same name, from before the app was shown in frames, would come back beside it.
        response.set_cookie(name, "", 0, httponly=True, samesite="lax", secure=secure)
        response.set_cookie(name, value, seconds, httponly=True, samesite="none", secure=True)
        key, header = response.raw_headers[-1]
        response.raw_headers[-1] = (key, header + b"; Partitioned")  # Python's cookies learn it with 3.14

    def drop_cookie(self, request: Request, response: Response, name: str) -> None:
        self.set_cookie(request, response, name, "", 0)

    def _in_frames(self, request: Request) -> bool:
        """Browsers take `Secure` over https, and from this machine."""
        return bool(self.frames) and (self.is_secure(request) or is_loopback(request.url.hostname or ""))

    def warning(self) -> str:
        """What will not work, in one line; empty: nothing is known."""
        if not self.frames or self.url.startswith("https://"):
            return ""
        return (
            "--embed-in: browsers keep the cookies of an embedded page over https alone, or from this "
            "machine; give the address as --public-url https://..."
        )


ANYWHERE = Site()
"""Where each request says, and in no other site's frames."""


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _outer(origin: str) -> str:
    """Raises UsageError for what is not one origin: a wildcard would let everyone's pages in."""
    found = ORIGIN.fullmatch(origin)
    if not found or (origin.startswith("http://") and not is_loopback(urlsplit(origin).hostname or "")):
        raise UsageError(
            f"--embed-in {origin}: give the origin of one site, https://wiki.example.org, without a path or *"
        )
    return origin
