"""The error tree. Every message is one line that says what to do next.

DailiesError
├── UsageError          the person asked for something that cannot be done as asked
│   ├── NotFound        no such record
│   └── NotAllowed      this person may not do this
├── StaleEdit           the edit started from a revision that is no longer current
├── NeedsConsent        it cannot be brought back, others lose something, or points are open: ask first
├── MediaError          a file that cannot be read as a video
├── FormatError         a file that is not in the format it claims
├── BackendError        an engine that cannot start, or does not answer
│   ├── BackendUnavailable   not installed, not running: the message has the command to type
│   ├── RequestRefused       the server understood and said no (400, 401, 404 ...): not tried again
│   │   └── RequestTooLarge  more words or pictures than it takes at a time
│   └── RequestFailed        time-outs, 429, 5xx after all tries: the next run tries again
├── TooLarge            an upload of more bytes than are taken
├── DiskFull            no room on a disk: free some, and do it again
│   └── ReadOnlyDisk    nothing can be written there at all
└── Stopped             the person stopped the work; what was finished is kept

Anything else that is raised is a bug and keeps its traceback.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence

from backends.errors import DailiesError, UsageError


class NotFound(UsageError):
    """There is no such record."""


class NotAllowed(UsageError):
    """`may` said no."""


class StaleEdit(DailiesError):
    """Somebody else changed the value since this edit began.

    `current` and `revision` are what the store holds now, so that a page can
    show a three-way difference; `subject` (type, id, field) names it, where it was asked for by its place.
    """

    def __init__(
        self, message: str, *, current: object, revision: int, subject: tuple[str, str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.current = current
        self.revision = revision
        self.subject = subject


class NeedsConsent(DailiesError):
    """Something that a person has to say yes to first: it cannot be undone, or points are open.

    `lost` says how much of others' work goes with it, by table; `points` what is open, a line each.
    """

    def __init__(
        self, message: str, lost: Mapping[str, int] | None = None, points: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.lost = dict(lost or {})
        self.points = list(points)


class FormatError(DailiesError):
    """The file is not in the format it claims; the message names file and line."""


class TooLarge(DailiesError):
    """More bytes than are taken."""

    @classmethod
    def of(cls, what: str, count: int, most: int) -> TooLarge:
        return cls(
            f"{what} has {count / 1e9:.3g} GB or more, at most {most / 1e9:.3g} GB are taken "
            "(upload_gb in settings.toml); add it with: python app.py run, or import"
        )


class DiskFull(DailiesError):
    """A disk has no room left; what was being written is not there."""

    @classmethod
    def of(cls, error: BaseException) -> DiskFull | None:
        """The error in words when it says that a disk is full (also a quota) or read-only; else None."""
        cause: object = getattr(error, "orig", error)
        read_only = isinstance(cause, OSError) and cause.errno == errno.EROFS
        if read_only or getattr(cause, "sqlite_errorname", "").startswith("SQLITE_READONLY"):
            return ReadOnlyDisk(READ_ONLY)
        full = isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)
        full |= (
            getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL"
            or getattr(cause, "sqlstate", "") == "53100"
        )
        return cls("the disk is full; nothing was saved: free some space, then do it again") if full else None


READ_ONLY = (
    "nothing can be written here: the disk is read-only, or was full when the workspace was opened; nothing "
    "was saved: free some space or copy the workspace to another disk, then start again"
)


class ReadOnlyDisk(DiskFull):
    """A disk, or a database file on it, that can be read alone."""
