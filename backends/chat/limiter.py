"""Adapt the number of parallel requests to the server.

It starts high, because model servers queue requests, and grows by one slot for every success until the
server is overloaded (429, 503) or does not answer in time. After that: additive increase, multiplicative
decrease. A full round of successes adds one slot, an overload halves the number.
"""

from __future__ import annotations

import threading
from types import TracebackType


class AdaptiveLimiter:
    """A semaphore whose size adapts between 1 and `maximum`. Thread-safe.

    Use one `with limiter:` per request; call `back_off()` from the thread that holds the slot.
    """

    def __init__(self, maximum: int, start: int = 64) -> None:
        self.maximum = max(1, maximum)
        self._limit = min(max(1, start), self.maximum)
        self._in_flight = 0
        self._successes = 0
        self._halvings = 0
        self._free = threading.Condition()
        self._mine = threading.local()

    @property
    def limit(self) -> int:
        """Current maximum number of requests in flight."""
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
            self._free.notify()

    def slow_down(self) -> None:
        """Halve the limit, once per burst.

        If a whole round of requests is refused, every thread calls this. Only calls of threads that started
        (or called this) after the latest halving count; the others were sent under the old limit.
        """
        with self._free:
            self._mine.smooth = False
            known = getattr(self._mine, "halvings", self._halvings)
            if known == self._halvings:
                self._limit = max(1, self._limit // 2)
                self._successes = 0
                self._halvings += 1
            self._mine.halvings = self._halvings

    def back_off(self) -> None:
        """Call `slow_down`, and wait until the smaller limit has a free slot for this request.

        Otherwise all refused requests would be sent again at the same time.
        """
        self.slow_down()
        with self._free:
            self._in_flight -= 1
            self._free.notify()
            self._free.wait_for(lambda: self._in_flight < self._limit)
            self._in_flight += 1

    def _count_success(self) -> None:
        self._successes += 1
        round_is_full = self._successes >= self._limit or not self._halvings
        if round_is_full and self._limit < self.maximum:
            self._limit += 1
            self._successes = 0
            self._free.notify()
