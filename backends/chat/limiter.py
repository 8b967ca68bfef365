"""How many requests may be in flight: found out while working.

It begins with many, since servers of models queue what they cannot take yet, and a slot is added for
every success, until the server says that it is overloaded (429, 503) or does not answer in time. From
then on: additive increase, multiplicative decrease. One more slot after a full round of successes, half
as many at a complaint.
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
            self._free.notify()

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

    def back_off(self) -> None:
        """`slow_down`, and wait until the smaller number has room for this request again.

        Without that, all that were refused at once would also come again at once.
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
