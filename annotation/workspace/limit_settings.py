"""Bounds on what comes in, with the table `[limits]` of `settings.toml` over the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from annotation.records.finite_numbers import finite_float
from backends.errors import UsageError


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server takes."""

    upload_gb: float = 20
    """Of one uploaded file."""
    incoming_gb: float = 100
    """Of the files together that somebody drops and has not imported yet."""
    incoming_hours: float = 24
    """After so long they are thrown away."""
    archive_gb: float = 4
    """Of the files in an uploaded archive together, unpacked."""
    archive_ratio: float = 200
    """Unpacked over packed size of an archive of more than `SMALL` unpacked."""
    archive_files: float = 10_000
    """Files and folders in an archive."""
    name_bytes: float = 200
    """Of a file's name in UTF-8; file systems take 255. A longer one is shortened, in an archive refused."""
    request_mb: float = 16
    """Of a request that is no upload."""
    free_mb: float = 100
    """Below so much free space on the workspace's disk, `/healthz` says that it is full."""
    demo_mb: float = 200
    """Of a clip on the Demo page."""
    demo_seconds: float = 180
    """Length of a clip there."""
    demo_run_minutes: float = 10
    """A run there is stopped after so long."""
    demo_waiting: float = 20
    """Runs that wait there; another one is refused."""
    demo_minutes: float = 30
    """After so long a clip and what was found of it are removed there."""
    demo_gb: float = 10
    """Of all clips there together."""

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Limits:
        """From the settings of a workspace. Raises UsageError."""
        given = settings.get("limits", {})
        names = [field.name for field in fields(cls)]
        for name, value in given.items() if isinstance(given, Mapping) else [("", given)]:
            if name not in names:
                raise UsageError(
                    f"settings.toml: no limit {name!r} in [limits]; there are {', '.join(names)}"
                )
            if (finite_float(value) or 0) <= 0:
                raise UsageError(f"settings.toml: {name} in [limits] is a number above 0, not {value!r}")
        return cls(**given)

    @property
    def upload(self) -> int:
        """Bytes."""
        return round(self.upload_gb * GB)

    @property
    def incoming(self) -> int:
        """Bytes."""
        return round(self.incoming_gb * GB)

    @property
    def archive(self) -> int:
        """Bytes."""
        return round(self.archive_gb * GB)

    @property
    def request(self) -> int:
        """Bytes."""
        return round(self.request_mb * MB)

    @property
    def demo(self) -> int:
        """Bytes."""
        return round(self.demo_mb * MB)

    @property
    def free(self) -> int:
        """Bytes."""
        return round(self.free_mb * MB)


UNBOUNDED = Limits(archive_gb=10**6, archive_ratio=10**9, archive_files=10**9)
"""Of what somebody has on this machine: the command line reads it whatever its size."""
GB = 10**9
MB = 10**6
SMALL = 100 * MB
"""Bytes up to which an archive may be as well packed as it likes."""


def size(count: float) -> str:
    """`1.5 GB`."""
    return f"{count / GB:.3g} GB" if count >= GB else f"{count / MB:.3g} MB"


def short_name(name: str, most: float) -> str:
    """The name in at most so many bytes of UTF-8; a suffix stays."""
    stem, dot, suffix = name.rpartition(".")
    if not dot or not stem or len(suffix.encode()) > 20:
        stem, suffix = name, ""
    ending = f".{suffix}" if suffix else ""
    room = max(int(most) - len(ending.encode()), 1)
    return stem.encode()[:room].decode("utf-8", "ignore") + ending
