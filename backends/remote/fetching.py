"""Download remote files once and keep them.

    <home>/<key of the URL>/url.json                       the URL with its query; readable by the owner only
    <home>/<key of the URL>/about.json                     facts about the file: sha256, bytes, etag
    <home>/<key of the URL>/<start of sha256>/<name.mp4>   the file
    <home>/<key of the URL>/partial, partial.json          during a download, and after an interrupted one

The path of a file depends on its content: a new version at the source gets a new path.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from backends.errors import MediaError, UsageError
from backends.remote.allowed_addresses import Resolver, lookup
from backends.remote.http_source import WebSource
from backends.remote.object_stores import StoreSource
from backends.remote.settings import GB, RemoteRules
from backends.remote.source_protocol import Broken, Opened, Pump, Source
from backends.remote.url_rules import WEB, RemoteUrl, read_url

Progress = Callable[[int, int], None]
"""(bytes done, bytes in all or 0); may raise Stopped."""
TRIES = 4
"""Consecutive failed attempts before a download is given up; an attempt that adds bytes resets the count."""
PAUSE_S = 0.5
SLOWEST = 256
"""Average bytes per second over `stall_s` below which a transfer counts as stalled."""
_READ = 1 << 20


@dataclass(frozen=True, slots=True)
class Fetched:
    """A downloaded file."""

    path: Path
    sha256: str
    etag: str
    bytes: int


def remember(home: Path, url: RemoteUrl) -> None:
    """Store the URL with its query for later downloads; the file is readable by the owner only."""
    file = home / url.key / "url.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    _write(file, {"url": url.text})


def remembered(home: Path, key: str) -> RemoteUrl | None:
    """Return the URL with this key; None if it is not stored."""
    if not _is_key(key):
        return None
    found = _read(home / key / "url.json").get("url")
    try:
        return read_url(found) if isinstance(found, str) else None
    except UsageError:
        return None


def kept(home: Path, url: RemoteUrl) -> Fetched | None:
    """Return the downloaded file of the URL; None if it is missing or incomplete."""
    about = _read(home / url.key / "about.json")
    try:
        found = Fetched(
            home / url.key / about["sha256"][:16] / url.name, about["sha256"], about["etag"], about["bytes"]
        )
        return found if found.path.stat().st_size == found.bytes else None
    except (KeyError, TypeError, OSError):
        return None


def drop(home: Path, url: RemoteUrl) -> None:
    """Delete the downloaded file of the URL, because it is unusable."""
    if found := kept(home, url):
        found.path.unlink(missing_ok=True)
    (home / url.key / "about.json").unlink(missing_ok=True)


def forget(home: Path, key: str) -> None:
    """Delete everything stored for a URL: its file, partial downloads, and the URL with its query."""
    if _is_key(key):
        shutil.rmtree(home / key, ignore_errors=True)


def _is_key(text: str) -> bool:
    return len(text) == 32 and text.isalnum()


def source_of(url: RemoteUrl, rules: RemoteRules, resolver: Resolver = lookup) -> Source:
    if url.scheme in WEB:
        return WebSource(url, rules, resolver)
    return StoreSource(url, rules.options.get(url.scheme, {}))


def fetch(
    url: RemoteUrl, rules: RemoteRules, home: Path, tell: Progress, resolver: Resolver = lookup
) -> Fetched:
    """Return the file of the URL; download it if needed, resuming an interrupted download.

    Threads and processes may request the same URL: one downloads, the others wait.
    Raises UsageError if the URL is not allowed, MediaError, BackendUnavailable, and what `tell` raises.
    """
    rules.check(url)
    remember(home, url)
    with _alone(home / url.key / "lock", tell):
        if found := kept(home, url):
            return found
        transfer = _Transfer(url, rules, home / url.key, tell)
        try:
            return transfer.run(source_of(url, rules, resolver))
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise MediaError(f"{url.shown}: cannot write the file ({why}); check the disk") from None


@contextmanager
def _alone(file: Path, tell: Progress) -> Iterator[None]:
    lock = FileLock(file)
    while True:
        try:
            lock.acquire(timeout=PAUSE_S)
            break
        except Timeout:
            tell(0, 0)
    try:
        yield
    finally:
        lock.release()


@dataclass(slots=True)
class _Transfer:
    url: RemoteUrl
    rules: RemoteRules
    folder: Path
    tell: Progress
    digest: Any = field(default_factory=hashlib.sha256)
    done: int = 0
    etag: str = ""
    total: int | None = None

    @property
    def partial(self) -> Path:
        return self.folder / "partial"

    def run(self, source: Source) -> Fetched:
        best, tries = -1, 0
        while True:
            try:
                self._once(source)
                return self._keep()
            except Broken as broken:
                tries = 0 if self.done > best and best >= 0 else tries + 1
                best = max(best, self.done)
                if broken.anew:
                    _write(self.folder / "partial.json", {})
                if tries >= TRIES:
                    raise MediaError(
                        f"{self.url.shown}: {broken}; run it again later to resume the download"
                    ) from None
                self._pause(tries)

    def _pause(self, tries: int) -> None:
        end = time.monotonic() + PAUSE_S * 2**tries
        while (left := end - time.monotonic()) > 0:
            self.tell(self.done, self.total or 0)
            time.sleep(min(left, PAUSE_S / 2))

    def _once(self, source: Source) -> None:
        """Make one attempt, starting where the previous one ended."""
        self._resume()
        with Pump(source, self.done, self.etag) as pump, self.partial.open("ab") as out:
            items, watch = pump.items(), _Watch(self.rules.stall_s)
            for item in items:
                self.tell(self.done, self.total or 0)
                watch.look()
                if isinstance(item, Opened):
                    self._begin(item, out)
                elif item:
                    watch.came(len(item))
                    self._add(item, out)
        if self.total is not None and self.done != self.total:
            raise Broken(f"the connection ended after {self.done:,} of {self.total:,} bytes")

    def _resume(self) -> None:
        """Read the partial file of an earlier attempt; delete it if its version is unknown."""
        self.digest, self.done = hashlib.sha256(), 0
        self.etag = str(_read(self.folder / "partial.json").get("etag") or "")
        if not self.etag:
            self.partial.unlink(missing_ok=True)
        with suppress(FileNotFoundError), self.partial.open("rb") as file:
            while piece := file.read(_READ):
                self.digest.update(piece)
                self.done += len(piece)
                self.tell(self.done, self.total or 0)

    def _begin(self, opened: Opened, out: Any) -> None:
        if opened.offset != self.done or (self.done and opened.etag != self.etag):
            if opened.offset:  # part of another version: the next attempt starts over
                raise Broken("the file changed during the download", anew=True)
            out.truncate(0)
            self.digest, self.done = hashlib.sha256(), 0
        self.etag, self.total = opened.etag, opened.total
        self._measure(self.total or 0)
        _write(self.folder / "partial.json", {"etag": self.etag})

    def _add(self, piece: bytes, out: Any) -> None:
        self._measure(self.done + len(piece))
        out.write(piece)
        self.digest.update(piece)
        self.done += len(piece)

    def _measure(self, size: int) -> None:
        """Raise MediaError if the file is too large, by its announced or its actual length."""
        if size > self.rules.max_bytes or (self.total is not None and size > self.total):
            self.partial.unlink(missing_ok=True)
            raise MediaError(
                f"{self.url.shown}: larger than {self.rules.max_bytes / GB:g} GB, or than the server "
                "announced; if the file is right, raise max_gb under [remote] in settings.toml"
            )

    def _keep(self) -> Fetched:
        """Move the finished file to its final path atomically."""
        sha256 = self.digest.hexdigest()
        path = self.folder / sha256[:16] / self.url.name
        path.parent.mkdir(exist_ok=True)
        self.partial.replace(path)
        (self.folder / "partial.json").unlink(missing_ok=True)
        found = Fetched(path, sha256, self.etag, self.done)
        about = {name: value for name, value in asdict(found).items() if name != "path"}
        _write(self.folder / "about.json", about | {"url": self.url.shown})
        return found


class _Watch:
    """Detects stalled transfers."""

    def __init__(self, stall_s: float) -> None:
        self._stall_s = stall_s
        self._since, self._bytes = time.monotonic(), 0

    def came(self, count: int) -> None:
        self._bytes += count

    def look(self) -> None:
        """Raise Broken if almost no data arrived for `stall_s`."""
        now = time.monotonic()
        if now - self._since >= self._stall_s:
            if self._bytes < SLOWEST * self._stall_s:
                raise Broken(f"almost no data arrived for {self._stall_s:g} s")
            self._since, self._bytes = now, 0


def _write(file: Path, value: Any) -> None:
    """Write a JSON file atomically, readable by the owner only."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}.{time.monotonic_ns()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(value, out)
    temporary.replace(file)


def _read(file: Path) -> dict[str, Any]:
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
