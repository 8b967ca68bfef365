"""When to ask a server again, and how long to wait before."""

from __future__ import annotations

import random
from dataclasses import dataclass

from backends.chat.kept_json_connections import StatusError
from backends.chat.openai_messages import said
from backends.errors import RequestFailed

_random = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Retries:
    """How long to go on asking."""

    tries: int = 6
    first_wait_s: float = 0.5
    """Doubles with every try; half of it is jitter."""
    longest_wait_s: float = 30.0
    longest_retry_after_s: float = 60.0
    """What a server's `Retry-After` is cut down to."""
    total_s: float = 900.0


class ServerLost(RequestFailed):
    """The server that had the request is gone: whoever started it may start it again and ask again."""


class Again(Exception):
    """Worth another try."""

    def __init__(self, why: str, *, pressure: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(why)
        self.pressure = pressure
        self.retry_after_s = retry_after_s


def wait_s(policy: Retries, attempt: int, retry_after_s: float | None) -> float:
    """Before the try after `attempt` (from 0): doubling, with jitter, or what the server asked for."""
    backoff = min(policy.longest_wait_s, policy.first_wait_s * 2.0**attempt)
    jittered = backoff * _random.uniform(0.5, 1.0)
    if retry_after_s is None:
        return jittered
    return max(min(retry_after_s, policy.longest_retry_after_s), jittered)


def overloaded(error: StatusError) -> Again:
    """What a 429 or 5xx means for the next try; `Retry-After` in seconds is heard, as a date not."""
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
