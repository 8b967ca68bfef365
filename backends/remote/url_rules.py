"""Parse URLs of remote videos and check them against allowed prefixes; sends no requests.

An ambiguous URL is refused rather than repaired: the URL that is checked must be the one that is
requested.
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
"""Object stores, by fsspec's scheme."""
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
    """A parsed URL. `text` is for requests; `shown` is for all other uses."""

    scheme: str
    host: str
    """Lower case; an IPv6 address without brackets; for a store, the bucket."""
    port: int
    """0 if the scheme has none."""
    path: str
    """Path as sent: percent-encoded for the web, the plain key for a store; begins with a slash."""
    query: str = ""
    """May contain a signature: never show, log or export it."""

    @property
    def place(self) -> str:
        """`videos.example.org:8443`, without the scheme's default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS.get(self.scheme, 0) else f"{host}:{self.port}"

    @property
    def shown(self) -> str:
        """URL without the query."""
        return f"{self.scheme}://{self.place}{self.path}"

    @property
    def text(self) -> str:
        return f"{self.shown}?{self.query}" if self.query else self.shown

    @property
    def key(self) -> str:
        """Stable key of the URL that does not reveal it."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]

    @property
    def segments(self) -> tuple[str, ...]:
        """Decoded segments of the path; a trailing slash adds none."""
        parts = self.path.strip("/").split("/")
        return tuple(_decoded(self.scheme, part) for part in parts if part)

    @property
    def name(self) -> str:
        """File name, safe on every file system; the suffix is kept."""
        name = re.sub(r'[\x00-\x1f<>:"/\\|?*]', "_", self.segments[-1] if self.segments else "")
        stem, dot, suffix = name.strip(" .").rpartition(".")
        return f"{stem[:LONGEST_NAME]}{dot}{suffix[:10]}" if dot else suffix[:LONGEST_NAME] or "video"

    @property
    def folder(self) -> bool:
        return self.path.endswith("/")


def looks_remote(text: str) -> bool:
    """Return whether a text looks like a URL: `scheme://`, or fsspec's chained form. `C:` does not."""
    return bool(_LOOKS.match(text.strip()))


def read_url(text: str) -> RemoteUrl:
    """Parse a URL. Raises UsageError if it is not a URL of `SCHEMES` or is ambiguous."""
    text = text.strip()
    found = _FORM.fullmatch(text)
    if len(text) > LONGEST or not found:
        raise UsageError("not a URL of a video; write it like https://host/folder/name.mp4")
    scheme, place, path, query = (found[part] or "" for part in ("scheme", "place", "path", "query"))
    scheme = scheme.lower()
    if scheme not in SCHEMES:
        raise UsageError(f"{scheme}:// is not supported; use {', '.join(SCHEMES)}")
    if "@" in place:
        raise UsageError("a URL cannot contain a user name or password; remove them")
    if scheme in STORES and query:
        raise UsageError(f"a {scheme}:// URL cannot have a query; remove the question mark and what follows")
    host, port = _web_place(scheme, place) if scheme in WEB else (_bucket(scheme, place), 0)
    path = _path(scheme, path or "/")
    if not all(0x21 <= ord(c) <= 0x7E and c not in "\\#" for c in query):
        raise UsageError("the URL's query contains an invalid character; copy it again")
    return RemoteUrl(scheme, host, port, path, query)


def joined(url: RemoteUrl, location: str) -> RemoteUrl:
    """Return the target of a redirect. Raises UsageError as `read_url`."""
    return read_url(urljoin(url.text, location.partition("#")[0]))


def is_within(url: RemoteUrl, prefix: RemoteUrl) -> bool:
    """Return whether scheme, host and port are equal and the URL's path starts with the prefix's segments."""
    same = (url.scheme, url.host, url.port) == (prefix.scheme, prefix.host, prefix.port)
    return same and url.segments[: len(prefix.segments)] == prefix.segments


def is_allowed(url: RemoteUrl, prefixes: Iterable[RemoteUrl]) -> bool:
    return any(is_within(url, prefix) for prefix in prefixes)


def _web_place(scheme: str, place: str) -> tuple[str, int]:
    """Return host and port."""
    found = re.fullmatch(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:]+)(?::(?P<port>\d{1,5}))?", place)
    if not found:
        raise UsageError("the URL has no valid host; write it like https://host:port/name.mp4")
    port = int(found["port"] or PORTS[scheme])
    if not 0 < port < 65536:
        raise UsageError(f"port {port} does not exist; write it like https://host:8443/name.mp4")
    return _host(found["host"].lower()), port


def _host(host: str) -> str:
    """Return an address in its canonical form, or a host name."""
    if host.startswith("["):
        try:
            return ipaddress.IPv6Address(host[1:-1]).compressed
        except ValueError:
            raise UsageError(f"{host} is not an IPv6 address; write it in full") from None
    labels = host.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            # Some programs also read 127.1, 0x7f.0.0.1, 0177.0.0.1 and 2130706433 as addresses.
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise UsageError("an IPv4 address must be four decimal numbers, like 192.0.2.7") from None
    if len(host) > 253 or not all(map(_LABEL.fullmatch, labels)):
        raise UsageError(
            "the URL's host contains an invalid character; write names in other scripts as xn--..."
        )
    return host


def _bucket(scheme: str, place: str) -> str:
    if not _BUCKET.fullmatch(place) or ".." in place:
        raise UsageError(f"not a valid bucket; write it like {scheme}://bucket/folder/name.mp4")
    return place


def _path(scheme: str, path: str) -> str:
    if scheme in WEB:
        path = quote(path, safe="/%!$&'()*+,;=:@~-._[]\\#")
    unclear = "the URL's path is ambiguous; write it without .., \\, // or ::"
    inner = path[1:-1] if path.endswith("/") and len(path) > 1 else path[1:]
    if "#" in path or "\\" in path or "::" in path or (scheme in WEB and _PERCENT.search(path)):
        raise UsageError(unclear)
    if inner and not all(map(_plain, inner.split("/"))):
        raise UsageError(unclear)
    return path


def _plain(segment: str) -> bool:
    """Return whether a segment is a plain name, even after repeated decoding."""
    while True:
        # Some servers treat a full-width full stop as a plain one, and drop everything after a semicolon.
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
