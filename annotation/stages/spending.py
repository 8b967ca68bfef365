"""Prices, spending caps, and the calls, tokens and cost of a pass."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from threading import Condition, Event
from typing import Any

from annotation.records.finite_numbers import finite_float
from backends.errors import Stopped, UsageError
from backends.protocols import ChatModel, ChatReply, ChatRequest
from backends.text.plural import plural

TABLE = "prices"
EXAMPLE = f'[{TABLE}] "MODEL" = {{ input = 2.5, output = 10 }} (per million tokens)'
PER = 1_000_000
BYTES_A_TOKEN = 3
"""UTF-8 bytes. English has four to five per token, other scripts about three; the low value avoids estimates
that are too small.
"""
TOKENS_A_PICTURE = 1500
"""More than open models use for a picture, and hosted ones for usual sizes."""
POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model's tokens, per million."""

    input: float
    output: float

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        return (prompt_tokens * self.input + completion_tokens * self.output) / PER


@dataclass(frozen=True, slots=True)
class Prices:
    """The table `[prices]` of the settings."""

    models: Mapping[str, Price] = field(default_factory=dict)
    currency: str = ""

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Prices:
        """Read the prices from the settings. Raises UsageError for an invalid price."""
        given = settings.get(TABLE, {})
        if not isinstance(given, Mapping):
            raise UsageError(f"settings.toml: {TABLE} must be a table; write {EXAMPLE}")
        currency = given.get("currency", "")
        if not isinstance(currency, str):
            raise UsageError(f'settings.toml: currency in [{TABLE}] must be a string, like "USD"')
        return cls({n: _price(n, v) for n, v in given.items() if n != "currency"}, currency)

    def find(self, model: ChatModel) -> Price | None:
        """Return the price by the model's name or its spec."""
        return self.models.get(model.model) or self.models.get(model.backend)


def _price(name: str, value: object) -> Price:
    parts = value if isinstance(value, Mapping) else {}
    numbers = [finite_float(parts.get(side)) for side in ("input", "output")]
    amounts = [number for number in numbers if number is not None and number >= 0]
    if set(parts) != {"input", "output"} or len(amounts) != 2:
        raise UsageError(f"settings.toml: the price of {name!r} needs input and output, like {EXAMPLE}")
    return Price(*amounts)


@dataclass(frozen=True, slots=True)
class Cap:
    """Limits on a pass for all models except the embedded baseline; None means unlimited."""

    calls: int | None = None
    cost: float | None = None
    """In the currency of `[prices]`."""


@dataclass(frozen=True, slots=True)
class Took:
    """Calls, tokens, time and cost."""

    calls: int = 0
    """Requests that were sent, including failed ones. Retries are not counted."""
    untold: int = 0
    """Requests for which the server did not report tokens."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    """Cost of the tokens that have a price, in the currency of `[prices]`."""
    seconds: float = 0.0
    """Seconds with at least one request in progress."""

    def __add__(self, other: Took) -> Took:
        return Took(*(a + b for a, b in zip(asdict(self).values(), asdict(other).values(), strict=True)))

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Took:
        """Read the values stored with a run."""
        return cls(**kept)


NOTHING = Took()


def took_words(took: Took, currency: str = "", call: str = "call") -> str:
    """Format as `85 calls, 120,000 + 3,400 tokens, 192 s, 0.42 USD`; tokens as prompt + reply."""
    parts = [plural(took.calls, call)]
    if took.prompt_tokens or took.completion_tokens:
        some = f" (of {took.calls - took.untold:,} calls)" if took.untold else ""
        parts.append(f"{took.prompt_tokens:,} + {took.completion_tokens:,} tokens{some}")
    if took.seconds:
        parts.append(f"{took.seconds:,.0f} s" if took.seconds >= 10 else f"{took.seconds:.1f} s")
    if took.cost:
        parts.append(f"{cost_words(took.cost)} {currency}".rstrip())
    return ", ".join(parts)


def cost_words(cost: float) -> str:
    """Format with two decimals, or more if needed to show a digit other than 0."""
    return f"{cost:,.2f}" if cost >= 0.1 or not cost else f"{cost:.2g}"


def tokens_of(request: ChatRequest) -> int:
    """Estimate the tokens of a request's prompt before a server has counted them."""
    words = sum(len(part.text.encode()) for part in request.user) + len(request.system.encode())
    pictures = sum(bool(part.jpeg) for part in request.user)
    return -(-words // BYTES_A_TOKEN) + pictures * TOKENS_A_PICTURE


class Call:
    """One call in progress."""

    def __init__(self, price: Price | None) -> None:
        self._price = price
        self.took = Took(calls=1, untold=1)

    def answered(self, reply: ChatReply) -> None:
        """Count the tokens that the server reports."""
        prompt, completion = (_count(reply.usage.get(f"{side}_tokens")) for side in ("prompt", "completion"))
        if prompt is None and completion is None:
            return
        prompt, completion = prompt or 0, completion or 0
        cost = self._price.of(prompt, completion) if self._price else 0.0
        self.took = Took(1, 0, prompt, completion, cost)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


class Spending:
    """Spending of one pass, and whether its cap allows more calls. Thread-safe."""

    def __init__(self, prices: Prices | None = None, cap: Cap | None = None) -> None:
        self.prices = prices or Prices()
        self.cap = cap or Cap()
        self.taken = Took()
        self.reached = ""
        """Why the cap blocks further calls; empty if it does not."""
        self._capped = 0
        """Number of calls that count towards the cap."""
        self._held = 0.0
        """Maximum cost of the calls in flight."""
        self._changed = Condition()
        self._busy = 0
        self._since = 0.0

    def check(self, model: ChatModel) -> None:
        """Raise UsageError if the cost is capped and the model has no price."""
        if self.cap.cost is not None and not model.baseline and self.prices.find(model) is None:
            raise UsageError(
                f"no price is set for {model.model}, so its cost cannot be capped; add to settings.toml: "
                + EXAMPLE
            )

    @contextmanager
    def call(self, model: ChatModel, request: ChatRequest, stop: Event) -> Iterator[Call]:
        """Track one call. Raises Stopped before it is sent if the cap blocks it.

        The cost cap is never exceeded: a call starts only if its maximum cost still fits. Near the cap, calls
        wait until those in flight have reported their cost.
        """
        price = None if model.baseline else self.prices.find(model)
        most = price.of(tokens_of(request), request.max_tokens) if price else 0.0
        one = Call(price)
        with self._changed:
            if not model.baseline:
                self._admit(most, stop)
            self._held += most
        try:
            yield one
        finally:
            with self._changed:
                self._held -= most
                self.taken += one.took
                self._changed.notify_all()

    def _admit(self, most: float, stop: Event) -> None:
        """Wait until the call is allowed. Raises Stopped."""
        cap = self.cap
        while not self.reached:
            if cap.calls is not None and self._capped >= cap.calls:
                self.reached = f"the cap of {cap.calls:,} calls is reached"
            elif cap.cost is None or self.taken.cost + self._held + most <= cap.cost + 1e-12:
                self._capped += 1
                return
            elif self._held < 1e-12:
                spent = cost_words(self.taken.cost)
                self.reached = f"the cap of {cost_words(cap.cost)} {self.prices.currency}".rstrip() + (
                    f" does not allow another call ({spent} spent)"
                )
            elif stop.is_set():
                raise Stopped("stopped")
            else:
                self._changed.wait(POLL_S)
        self._changed.notify_all()
        raise Stopped(self.reached)

    @contextmanager
    def clock(self) -> Iterator[list[float]]:
        """Measure the time of a run's calls. After the block, the list has the seconds not yet counted
        elsewhere.
        """
        seconds: list[float] = []
        with self._changed:
            if not self._busy:
                self._since = time.monotonic()
            self._busy += 1
        try:
            yield seconds
        finally:
            with self._changed:
                now = time.monotonic()
                self._busy -= 1
                seconds.append(now - self._since)
                self._since = now
                self.taken += Took(seconds=seconds[0])
