"""URLs of videos that are elsewhere: which are read, and which places are allowed. Nothing is asked here.

A URL that two programs could read differently is refused, not mended: what is checked must be what is
asked for.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote, urljoin

from backends.errors import UsageError

WEB = ("https", "http")
STORES = ("s3", "gs", "abfs")
"""Object stores, by the name that fsspec has for them."""
SCHEMES = (*WEB, *STORES)
PORTS = {"https": 443, "http": 80}
LONGEST = 4096
LONGEST_NAME = 120

_FORM = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<place>[^/?#]*)(?P<path>/[^?]*)?(?:\?(?P<query>.*))?"
)
_LOOKS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|[^/]*::.*://")
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")


@dataclass(frozen=True, slots=True)
class RemoteUrl:
    """A URL that was read. Its text is the one that is asked for; `shown` is for everyone else."""

    scheme: str
    host: str
    """In lower case; an IPv6 address without brackets; the bucket of a store."""
    port: int
    """0 where the scheme has none."""
    path: str
    """As it is sent: percent-encoded for the web, the plain key for a store; begins with a slash."""
    query: str = ""
    """A signature may stand in it: never shown, logged or exported."""

    @property
    def place(self) -> str:
        """`videos.example.org:8443`, without the port that goes without saying."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS.get(self.scheme, 0) else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """Without the query."""
        return f"{self.scheme}://{self.place}{self.path}"

    @property
    def text(self) -> str:
        return f"{self.shown}?{self.query}" if self.query else self.shown

    @property
    def key(self) -> str:
        """The same for the same URL, and nothing of it can be read from it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]

    @property
    def segments(self) -> tuple[str, ...]:
        """Of the path, decoded; a folder's last slash makes none."""
        parts = self.path.strip("/").split("/")
        return tuple(_decoded(self.scheme, part) for part in parts if part)

    @property
    def name(self) -> str:
        """Of the file, safe on every file system; the suffix stays."""
        name = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", self.segments[-1] if self.segments else "")
        stem, dot, suffix = name.strip(" .").rpartition(".")
        return f"{stem[:LONGEST_NAME]}{dot}{suffix[:10]}" if dot else suffix[:LONGEST_NAME] or "video"

    @property
    def folder(self) -> bool:
        return self.path.endswith("/")


def looks_remote(text: str) -> bool:
    """Whether a person means a URL: `scheme://` and what fsspec chains. A drive letter is none."""
    return bool(_LOOKS.match(text.strip()))


def read_url(text: str) -> RemoteUrl:
    """Raises UsageError for what is no URL of `SCHEMES`, or could be read in two ways."""
    text = text.strip()
    found = _FORM.fullmatch(text)
    if len(text) > LONGEST or not found:
        raise UsageError("no URL of a video; write it like https://host/folder/name.mp4")
    scheme, place, path, query = (found[part] or "" for part in ("scheme", "place", "path", "query"))
    scheme = scheme.lower()
    if scheme not in SCHEMES:
        raise UsageError(f"{scheme}:// is not fetched; there are {', '.join(SCHEMES)}")
    if "@" in place:
        raise UsageError("a URL with a user name or password is not taken; leave them out")
    if scheme in STORES and query:
        raise UsageError(f"a {scheme}:// URL has no query; leave out what follows the question mark")
    host, port = _web_place(scheme, place) if scheme in WEB else (_bucket(scheme, place), 0)
    path = _path(scheme, path or "/")
    if not all(0x21 <= ord(c) <= 0x7E and c not in "\\#" for c in query):
        raise UsageError("the URL's query holds a character that does not belong there; copy it again")
    return RemoteUrl(scheme, host, port, path, query)


def joined(url: RemoteUrl, location: str) -> RemoteUrl:
    """Where a redirect leads. Raises UsageError as `read_url`."""
    return read_url(urljoin(url.text, location.partition("#")[0]))


def is_within(url: RemoteUrl, prefix: RemoteUrl) -> bool:
    """Same scheme, host and port, and the prefix's segments are the first of the URL's."""
    same = (url.scheme, url.host, url.port) == (prefix.scheme, prefix.host, prefix.port)
    return same and url.segments[: len(prefix.segments)] == prefix.segments


def is_allowed(url: RemoteUrl, prefixes: Iterable[RemoteUrl]) -> bool:
    return any(is_within(url, prefix) for prefix in prefixes)


def _web_place(scheme: str, place: str) -> tuple[str, int]:
    """Host and port."""
    found = re.fullmatch(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::(?P<port>\d{1,5}))?", place)
    if not found:
        raise UsageError("the URL names no host that can be read; write it like https://host:port/name.mp4")
    port = int(found["port"] or PORTS[scheme])
    if not 0 < port < 65536:
        raise UsageError(f"there is no port {port}; write it like https://host:8443/name.mp4")
    return _host(found["host"].lower()), port


def _host(host: str) -> str:
    """An address in its one usual form, or a name of plain letters."""
    if host.startswith("["):
        try:
            return ipaddress.IPv6Address(host[1:-1]).compressed
        except ValueError:
            raise UsageError(f"{host} is no IPv6 address; write it in full") from None
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            # 127.1, 0x7f.0.0.1, 0177.0.0.1 and 2130706433 are addresses too, for those who read them so.
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise UsageError("an address is written as four plain numbers, like 192.0.2.7") from None
    if len(host) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise UsageError(
            "the URL's host has a character that no host has; names in other scripts are written as xn--..."
        )
    return host


def _bucket(scheme: str, place: str) -> str:
    if not _BUCKET.fullmatch(place) or ".." in place:
        raise UsageError(f"no bucket that can be read; write it like {scheme}://bucket/folder/name.mp4")
    return place


def _path(scheme: str, path: str) -> str:
    if scheme in WEB:
        path = quote(path, safe="/%!$&'()*+,;=:@~-._[]\\#")
    unclear = "the URL's path can be read in two ways; write it plainly, without .., \\, // or ::"
    inner = path[1:-1] if path.endswith("/") and len(path) > 1 else path[1:]
    if "#" in path or "\\" in path or "::" in path or (scheme in WEB and _PERCENT.search(path)):
        raise UsageError(unclear)
    if inner and not all(map(_plain, inner.split("/"))):
        raise UsageError(unclear)
    return path


def _plain(segment: str) -> bool:
    """Whether it is one name, however often somebody decodes it."""
    while True:
        # Some servers take a wide full stop for a plain one, and leave out what follows a semicolon.
        plain = unicodedata.normalize("NFKC", segment)
        if plain.partition(";")[0].strip() in ("", ".", "..") or set(plain) & set("/\\\ufffd"):
            return False
        if not plain.isprintable():
            return False
        decoded = unquote(segment)
        if decoded == segment:
            return True
        segment = decoded


def _decoded(scheme: str, segment: str) -> str:
    return unquote(segment) if scheme in WEB else segment
