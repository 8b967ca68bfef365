"""The exception hierarchy. Every message is one line that says what to do next.

DailiesError
├── UsageError          a request that cannot be carried out as given
│   ├── NotFound        the record does not exist
│   └── NotAllowed      this person may not do this
├── StaleEdit           the edit started from a revision that is no longer current
├── NeedsConsent        the action needs confirmation: it is irreversible, affects others, or points are open
├── MediaError          a file that cannot be read as a video
├── FormatError         a file that is not in the format it claims
├── BackendError        an engine that cannot start or does not answer
│   ├── BackendUnavailable   not installed or not running; the message contains the command to type
│   ├── RequestRefused       the server refused the request (400, 401, 404 ...); it is not retried
│   │   └── RequestTooLarge  more text or pictures than the server accepts
│   └── RequestFailed        time-outs, 429, 5xx after all retries; the next run retries
├── TooLarge            an upload that is larger than the limit
├── DiskFull            no space left on a disk
│   └── ReadOnlyDisk    the disk cannot be written at all
└── Stopped             the person stopped the work; finished results are kept

Any other exception is a bug and keeps its traceback.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence

from backends.errors import DailiesError, UsageError


class NotFound(UsageError):
    """The record does not exist."""


class NotAllowed(UsageError):
    """`may` denied the action."""


class StaleEdit(DailiesError):
    """The value has changed since this edit began.

    `current` and `revision` are the stored value and revision, so that a page can show a three-way diff.
    `subject` is (type, id, field), or None if the field was addressed differently.
    """

    def __init__(
        self, message: str, *, current: object, revision: int, subject: tuple[str, str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.current = current
        self.revision = revision
        self.subject = subject


class NeedsConsent(DailiesError):
    """The action needs a person's confirmation: it cannot be undone, or points are open.

    `lost` counts the lost records of other people by table; `points` has one line per open point.
    """

    def __init__(
        self, message: str, lost: Mapping[str, int] | None = None, points: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.lost = dict(lost or {})
        self.points = list(points)


class FormatError(DailiesError):
    """The file is not in the format it claims. The message names file and line."""


class TooLarge(DailiesError):
    """An upload is larger than the limit."""

    @classmethod
    def of(cls, what: str, count: int, most: int) -> TooLarge:
        return cls(
            f"{what} has {count / 1e9:.3g} GB or more, at most {most / 1e9:.3g} GB are allowed "
            "(upload_gb in settings.toml); add it with: python app.py run, or import"
        )


class DiskFull(DailiesError):
    """A disk has no space left. Nothing was written."""

    @classmethod
    def of(cls, error: BaseException) -> DiskFull | None:
        """Return the matching error if a disk or quota is full, or a disk is read-only; otherwise None."""
        cause: object = getattr(error, "orig", error)
        read_only = isinstance(cause, OSError) and cause.errno == errno.EROFS
        if read_only or getattr(cause, "sqlite_errorname", "").startswith("SQLITE_READONLY"):
            return ReadOnlyDisk(READ_ONLY)
        full = isinstance(cause, OSError) and cause.errno in (errno.ENOSPC, errno.EDQUOT)
        full |= (
            getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL"
            or getattr(cause, "sqlstate", "") == "53100"
        )
        return cls("the disk is full; nothing was saved: free some space, then try again") if full else None


READ_ONLY = (
    "cannot write: the disk is read-only, or was full when the workspace was opened; nothing "
    "was saved: free some space or copy the workspace to another disk, then start again"
)


class ReadOnlyDisk(DiskFull):
    """A disk, or a database file on it, is read-only."""
