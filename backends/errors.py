"""Errors that an engine may raise. Every message is one line that says what to do next."""

from __future__ import annotations


class DailiesError(Exception):
    """Base of every error that a person can cause or mend."""


class UsageError(DailiesError):
    """The person asked for something that cannot be done as asked."""


class MediaError(DailiesError):
    """The file cannot be read as a video."""


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
