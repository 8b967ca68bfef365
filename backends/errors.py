"""Errors that engines raise. Every message is one line and names the next step."""

from __future__ import annotations


class DailiesError(Exception):
    """Base of all errors that a user can cause or fix."""


class UsageError(DailiesError):
    """The request is invalid or cannot be carried out."""


class MediaError(DailiesError):
    """The file cannot be read as a video."""


class BackendError(DailiesError):
    """An engine cannot start or does not answer."""


class BackendUnavailable(BackendError):
    """The engine is not installed or not running; the message contains the command to type."""


class RequestRefused(BackendError):
    """The server refused the request; a retry would not help."""


class RequestTooLarge(RequestRefused):
    """The request exceeds the server's limit; `most` is the number of pictures it accepts, if known."""

    def __init__(self, message: str, most: int | None = None) -> None:
        super().__init__(message)
        self.most = most


class RequestFailed(BackendError):
    """No usable answer after all retries; the next run tries again."""


class Stopped(DailiesError):
    """The user stopped the work; finished results are kept."""
