"""Prices, caps, and what calls took: hand-computed."""

from __future__ import annotations

import threading
from dataclasses import replace
from threading import Event

import pytest

from annotation.stages.spending import Cap, Price, Prices, Spending, Took, tokens_of, took_words
from backends.chat.baseline import BaselineChat
from backends.chat.registry import chat_model
from backends.errors import Stopped, UsageError
from backends.protocols import ChatModel, ChatReply, ChatRequest, Part

PRICES = Prices({"m": Price(2.0, 10.0)}, "USD")
ASKED = ChatRequest("verdict", "abc", (Part(text="defghi"),), max_tokens=100)


def model() -> ChatModel:
    return chat_model("http://127.0.0.1:1/v1#m")


def reply(prompt: int, completion: int) -> ChatReply:
    return ChatReply("yes", "stop", 0.5, {"prompt_tokens": prompt, "completion_tokens": completion})


def call(spending: Spending, said: ChatReply | None = None, to: ChatModel | None = None) -> None:
    with spending.call(to or model(), ASKED, Event()) as one:
        if said:
            one.answered(said)


def test_prices_are_read_from_the_settings_and_wrong_ones_are_named() -> None:
    found = Prices.of({"prices": {"currency": "EUR", "m": {"input": 2, "output": 10.5}}})
    assert found == Prices({"m": Price(2.0, 10.5)}, "EUR")
    assert Prices.of({}) == Prices()
    for wrong in (3, {"m": 3}, {"m": {"input": 1}}, {"m": {"input": -1, "output": 1}}, {"currency": 1}):
        with pytest.raises(UsageError, match=r"settings\.toml"):
            Prices.of({"prices": wrong})
    with pytest.raises(UsageError, match="input and output"):
        Prices.of({"prices": {"m": {"input": True, "output": float("nan")}}})
    with pytest.raises(UsageError, match="input and output"):
        Prices.of({"prices": {"m": {"input": 10**400, "output": 1}}})


def test_a_call_costs_its_tokens() -> None:
    spending = Spending(PRICES)
    call(spending, reply(1000, 50))
    call(spending)  # failed: sent, and nothing is known of its tokens
    call(spending, ChatReply("no", "stop", 0.1, {}))
    call(spending, reply(7, 7), BaselineChat())
    # 1,000 x 2 + 50 x 10 per million; the baseline has no price
    assert spending.taken == Took(4, 2, 1007, 57, 0.0025)
    assert took_words(spending.taken, "USD") == "4 calls, 1,007 + 57 tokens (of 2 calls), 0.0025 USD"
    assert took_words(Took(1)) == "1 call"
    assert took_words(Took(2, seconds=12.4, cost=1234.5)) == "2 calls, 12 s, 1,234.50"


def test_tokens_before_anybody_counted_them() -> None:
    assert tokens_of(ASKED) == 3  # nine bytes
    shown = replace(ASKED, user=(Part(text="é"), Part(jpeg=b"x")))
    assert tokens_of(shown) == 2 + 1500  # five bytes, one picture


def test_a_cap_on_calls_leaves_the_baseline_alone() -> None:
    spending = Spending(cap=Cap(calls=2))
    for _ in range(2):
        call(spending)
        call(spending, to=BaselineChat())
    with pytest.raises(Stopped, match="cap of 2 calls"):
        call(spending)
    call(spending, to=BaselineChat())
    assert (spending.taken.calls, spending.reached) == (5, "the cap of 2 calls is reached")


def test_a_cap_on_the_cost_is_not_passed() -> None:
    # A call may cost 3 x 2 + 100 x 10 = 1,006 millionths, and costs 106.
    spending = Spending(PRICES, Cap(cost=0.002))
    for _ in range(10):
        call(spending, reply(3, 10))
    assert spending.taken.cost == pytest.approx(0.00106)  # 940 millionths are left: no call may need more
    with pytest.raises(Stopped, match=r"cap of 0\.002 USD does not allow another call \(0\.0011 spent\)"):
        call(spending)


def test_near_the_end_a_call_waits_for_what_those_in_flight_cost() -> None:
    spending, first_in, let_go = Spending(PRICES, Cap(cost=0.0015)), Event(), Event()

    def first() -> None:
        with spending.call(model(), ASKED, Event()) as one:
            first_in.set()
            let_go.wait(10)
            one.answered(reply(3, 10))

    threads = [threading.Thread(target=first), threading.Thread(target=lambda: call(spending, reply(3, 10)))]
    threads[0].start()
    assert first_in.wait(10)
    threads[1].start()
    threads[1].join(0.3)
    assert threads[1].is_alive()  # 1,006 in flight and 1,006 more would be over 1,500
    let_go.set()
    for thread in threads:
        thread.join(10)
    assert spending.taken.calls == 2 and not spending.reached


def test_a_capped_cost_needs_a_price() -> None:
    spending = Spending(cap=Cap(cost=1.0))
    spending.check(BaselineChat())
    with pytest.raises(UsageError, match="no price is set for m"):
        spending.check(model())
    Spending(PRICES, Cap(cost=1.0)).check(model())


def test_the_clock_counts_time_once_for_those_side_by_side() -> None:
    spending = Spending()
    with spending.clock() as outer:
        with spending.clock() as inner:
            Event().wait(0.05)
        Event().wait(0.05)
    assert outer[0] < 0.095 and inner[0] >= 0.05
    assert spending.taken.seconds == pytest.approx(outer[0] + inner[0])
