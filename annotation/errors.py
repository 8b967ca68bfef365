"""The error tree. Every message is one line that says what to do next.

DailiesError
├── UsageError          the person asked for something that cannot be done as asked
│   ├── NotFound        no such record
│   └── NotAllowed      this person may not do this
├── StaleEdit           the edit started from a revision that is no longer current
├── MediaError          a file that cannot be read as a video
├── FormatError         a file that is not in the format it claims
├── BackendError        an engine that cannot start, or does not answer
│   ├── BackendUnavailable   not installed, not running: the message has the command to type
│   ├── RequestRefused       the server understood and said no (400, 401, 404 ...): not tried again
│   │   └── RequestTooLarge  more words or pictures than it takes at a time
│   └── RequestFailed        time-outs, 429, 5xx after all tries: the next run tries again
└── Stopped             the person stopped the work; what was finished is kept

Anything else that is raised is a bug and keeps its traceback.
"""

from __future__ import annotations


class DailiesError(Exception):
    """Base of every error that a person can cause or mend."""


class UsageError(DailiesError):
    """The person asked for something that cannot be done as asked."""


class NotFound(UsageError):
    """There is no such record."""


class NotAllowed(UsageError):
    """`may` said no."""


class StaleEdit(DailiesError):
    """Somebody else changed the value since this edit began.

    `current` and `revision` are what the store holds now, so that a page can
    show a three-way difference.
    """

    def __init__(self, message: str, *, current: object, revision: int) -> None:
        super().__init__(message)
        self.current = current
        self.revision = revision


class MediaError(DailiesError):
    """The file cannot be read as a video."""


class FormatError(DailiesError):
    """The file is not in the format it claims; the message names file and line."""


class BackendError(DailiesError):
    """An engine cannot start or does not answer."""


class BackendUnavailable(BackendError):
    """Not installed or not running; the message has the command to type."""


class RequestRefused(BackendError):
    """The server understood the request and refused it; trying again will not help."""


class RequestTooLarge(RequestRefused):
    """More words or pictures than the server takes; `most` is how many pictures it says that it takes."""

    def __init__(self, message: str, most: int | None = None) -> None:
        super().__init__(message)
        self.most = most


class RequestFailed(BackendError):
    """No usable answer after every try; the next run tries again."""


class Stopped(DailiesError):
    """The person stopped the work; what was finished is kept."""
