"""Decide when to retry a request, and how long to wait before."""

from __future__ import annotations

import random
from dataclasses import dataclass

from backends.chat.kept_json_connections import StatusError
from backends.chat.openai_messages import said
from backends.errors import RequestFailed

_random = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Retries:
    """Limits of retries."""

    tries: int = 6
    first_wait_s: float = 0.5
    """Doubles with every attempt; half of it is jitter."""
    longest_wait_s: float = 30.0
    longest_retry_after_s: float = 60.0
    """Upper limit for the server's `Retry-After`."""
    total_s: float = 900.0


class ServerLost(RequestFailed):
    """The server crashed during the request; its starter may restart it and send the request again."""


class Again(Exception):
    """The request may succeed on a retry."""

    def __init__(self, why: str, *, pressure: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(why)
        self.pressure = pressure
        self.retry_after_s = retry_after_s


def wait_s(policy: Retries, attempt: int, retry_after_s: float | None) -> float:
    """Return the wait after `attempt` (from 0): doubling, with jitter, or the server's `Retry-After`."""
    backoff = min(policy.longest_wait_s, policy.first_wait_s * 2.0**attempt)
    jittered = backoff * _random.uniform(0.5, 1.0)
    if retry_after_s is None:
        return jittered
    return max(min(retry_after_s, policy.longest_retry_after_s), jittered)


def overloaded(error: StatusError) -> Again:
    """Convert a 429 or 5xx into Again; `Retry-After` is used if it is in seconds, not if it is a date."""
    asked = error.headers.get("retry-after", "")
    try:
        retry_after_s = max(0.0, float(asked))
    except ValueError:
        retry_after_s = None  # absent, or a date
    return Again(
        f"the server answered {error.status}: {said(error)}",
        pressure=error.status in (429, 503),
        retry_after_s=retry_after_s,
    )
