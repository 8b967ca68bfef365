from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from backends.chat.limiter import AdaptiveLimiter


def succeed(limiter: AdaptiveLimiter, times: int) -> None:
    for _ in range(times):
        with limiter:
            pass


def test_doubles_with_every_round_until_the_first_complaint() -> None:
    limiter = AdaptiveLimiter(maximum=20, start=4)
    succeed(limiter, 4)
    assert limiter.limit == 8
    succeed(limiter, 8)
    assert limiter.limit == 16
    succeed(limiter, 50)
    assert limiter.limit == 20


def test_grows_by_one_per_round_after_a_complaint() -> None:
    limiter = AdaptiveLimiter(maximum=4, start=4)
    with limiter:
        limiter.slow_down()
    succeed(limiter, 1)
    assert limiter.limit == 2
    succeed(limiter, 1)
    assert limiter.limit == 3
    succeed(limiter, 3)
    assert limiter.limit == 4
    succeed(limiter, 50)
    assert limiter.limit == 4


def test_halves_down_to_one() -> None:
    limiter = AdaptiveLimiter(maximum=16, start=9)
    seen = []
    for _ in range(5):
        with limiter:
            limiter.slow_down()
        seen.append(limiter.limit)
    assert seen == [4, 2, 1, 1, 1]


def test_a_burst_of_refusals_halves_once() -> None:
    limiter = AdaptiveLimiter(maximum=8, start=8)
    together = threading.Barrier(8)

    def refused() -> None:
        with limiter:
            together.wait(5)
            limiter.slow_down()
            together.wait(5)

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(refused) for _ in range(8)]:
            done.result()
    assert limiter.limit == 4


def test_the_same_request_refused_again_halves_again() -> None:
    limiter = AdaptiveLimiter(maximum=8, start=8)
    with limiter:
        limiter.slow_down()
        limiter.slow_down()
    assert limiter.limit == 2


def test_failures_and_slowed_requests_are_not_successes() -> None:
    limiter = AdaptiveLimiter(maximum=8, start=1)
    with pytest.raises(ValueError), limiter:
        raise ValueError
    with limiter:
        limiter.slow_down()
    assert limiter.limit == 1
    assert limiter.in_flight == 0
    succeed(limiter, 1)
    assert limiter.limit == 2


def test_whoever_backs_off_waits_for_room() -> None:
    """All requests of a burst are refused; they are repeated one at a time."""
    limiter = AdaptiveLimiter(maximum=8, start=8)
    together = threading.Barrier(8)
    inside, most = 0, 0
    lock = threading.Lock()

    def refused() -> None:
        nonlocal inside, most
        with limiter:
            together.wait(5)
            for _ in range(3):
                limiter.slow_down()
            limiter.back_off()
            with lock:
                inside += 1
                most = max(most, inside)
            time.sleep(0.01)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(refused) for _ in range(8)]:
            done.result(30)
    assert most <= 2
    assert limiter.in_flight == 0


def test_never_more_in_flight_than_the_limit() -> None:
    limiter = AdaptiveLimiter(maximum=5, start=2)
    most = 0
    lock = threading.Lock()

    def work(i: int) -> None:
        nonlocal most
        with limiter:
            with lock:
                most = max(most, limiter.in_flight)
                assert limiter.in_flight <= 5
            if i % 7 == 0:
                limiter.slow_down()

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(work, range(300)))
    assert 1 <= most <= 5
    assert limiter.in_flight == 0


def test_a_waiting_request_goes_on_when_a_slot_is_free() -> None:
    limiter = AdaptiveLimiter(maximum=1, start=1)
    entered = threading.Event()

    def second() -> None:
        with limiter:
            entered.set()

    with limiter:
        thread = threading.Thread(target=second)
        thread.start()
        assert not entered.wait(0.1)
    assert entered.wait(5)
    thread.join()
