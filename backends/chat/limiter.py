"""How many requests may be in flight: found out while working.

Additive increase, multiplicative decrease: one more slot after every full round of successes,
half as many when the server says that it is overloaded (429, 503) or does not answer in time.
"""

from __future__ import annotations

import threading
from types import TracebackType


class AdaptiveLimiter:
    """A semaphore whose size adapts between 1 and `maximum`. Thread-safe.

    Use one `with limiter:` per request; call `slow_down()` from the thread that holds the slot.
    """

    def __init__(self, maximum: int, start: int = 4) -> None:
        self.maximum = max(1, maximum)
        self._limit = min(max(1, start), self.maximum)
        self._in_flight = 0
        self._successes = 0
        self._halvings = 0
        self._free = threading.Condition()
        self._mine = threading.local()

    @property
    def limit(self) -> int:
        """Most requests in flight now."""
        return self._limit

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def __enter__(self) -> AdaptiveLimiter:
        with self._free:
            self._free.wait_for(lambda: self._in_flight < self._limit)
            self._in_flight += 1
            self._mine.halvings = self._halvings
            self._mine.smooth = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._free:
            self._in_flight -= 1
            if error is None and self._mine.smooth:
                self._count_success()
            self._free.notify_all()

    def slow_down(self) -> None:
        """Halve, once per burst.

        When a whole round is refused at once, every thread of it calls this. Only those that began
        (or last complained) after the latest halving are news; the others knew no better.
        """
        with self._free:
            self._mine.smooth = False
            known = getattr(self._mine, "halvings", self._halvings)
            if known == self._halvings:
                self._limit = max(1, self._limit // 2)
                self._successes = 0
                self._halvings += 1
            self._mine.halvings = self._halvings

    def _count_success(self) -> None:
        self._successes += 1
        if self._successes >= self._limit and self._limit < self.maximum:
            self._limit += 1
            self._successes = 0
