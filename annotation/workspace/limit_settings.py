"""Limits on input. The table `[limits]` of `settings.toml` overrides the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from annotation.records.finite_numbers import finite_float
from backends.errors import UsageError


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one server."""

    upload_gb: float = 20
    """Size of one uploaded file."""
    incoming_gb: float = 100
    """Total size of a person's uploaded files that are not imported yet."""
    incoming_hours: float = 24
    """Time after which such files are deleted."""
    archive_gb: float = 4
    """Total unpacked size of the files in an uploaded archive."""
    archive_ratio: float = 200
    """Ratio of unpacked to packed size, for archives of more than `SMALL` bytes unpacked."""
    archive_files: float = 10_000
    """Number of files and folders in an archive."""
    name_bytes: float = 200
    """Length of a file name in UTF-8; file systems allow 255. Longer names are shortened, or refused in
    archives."""
    request_mb: float = 16
    """Size of a request other than an upload."""
    free_mb: float = 100
    """With less free space on the workspace's disk, `/healthz` reports that the disk is full."""
    demo_mb: float = 200
    """Size of a clip on the Demo page."""
    demo_seconds: float = 180
    """Length of a clip on the Demo page."""
    demo_run_minutes: float = 10
    """Time after which a run on the Demo page is stopped."""
    demo_waiting: float = 20
    """Number of waiting runs on the Demo page; more are refused."""
    demo_minutes: float = 30
    """Time after which a clip on the Demo page and its results are deleted."""
    demo_gb: float = 10
    """Total size of all clips on the Demo page."""

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Limits:
        """Read the limits from the settings of a workspace. Raises UsageError."""
        given = settings.get("limits", {})
        names = [field.name for field in fields(cls)]
        for name, value in given.items() if isinstance(given, Mapping) else [("", given)]:
            if name not in names:
                raise UsageError(
                    f"settings.toml: unknown limit {name!r} in [limits]; known limits: {', '.join(names)}"
                )
            if (finite_float(value) or 0) <= 0:
                raise UsageError(f"settings.toml: {name} in [limits] must be a number above 0, not {value!r}")
        return cls(**given)

    @property
    def upload(self) -> int:
        """In bytes."""
        return round(self.upload_gb * GB)

    @property
    def incoming(self) -> int:
        """In bytes."""
        return round(self.incoming_gb * GB)

    @property
    def archive(self) -> int:
        """In bytes."""
        return round(self.archive_gb * GB)

    @property
    def request(self) -> int:
        """In bytes."""
        return round(self.request_mb * MB)

    @property
    def demo(self) -> int:
        """In bytes."""
        return round(self.demo_mb * MB)

    @property
    def free(self) -> int:
        """In bytes."""
        return round(self.free_mb * MB)


UNBOUNDED = Limits(archive_gb=10**6, archive_ratio=10**9, archive_files=10**9)
"""Used by the command line for local files, which have no limits."""
GB = 10**9
MB = 10**6
SMALL = 100 * MB
"""Unpacked size in bytes up to which the compression ratio is not limited."""


def size(count: float) -> str:
    """Return a size in words: `1.5 GB`."""
    return f"{count / GB:.3g} GB" if count >= GB else f"{count / MB:.3g} MB"


def short_name(name: str, most: float) -> str:
    """Shorten a file name to at most `most` bytes of UTF-8, and keep its extension."""
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem or len(suffix.encode()) > 20:
        stem, suffix = name, ""
    ending = f".{suffix}" if suffix else ""
    left = max(int(most) - len(ending.encode()), 1)
    return stem.encode()[:left].decode("utf-8", "ignore") + ending
