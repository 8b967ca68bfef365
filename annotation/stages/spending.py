"""What a pass may ask of models, and what it took: prices, a cap, and the sums of calls, tokens and cost."""

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
"""UTF-8 bytes: English has four to five a token, other scripts about three, so that no prompt is taken too
short."""
TOKENS_A_PICTURE = 1500
"""More than open models and the usual sizes of hosted ones make of a picture."""
LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Price:
    """Of a model's tokens, per million."""

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
        """Raises UsageError for a price that is none."""
        given = settings.get(TABLE, {})
        if not isinstance(given, Mapping):
            raise UsageError(f"settings.toml: {TABLE} is a table; write {EXAMPLE}")
        currency = given.get("currency", "")
        if not isinstance(currency, str):
            raise UsageError(f'settings.toml: currency in [{TABLE}] is a text, like "USD"')
        return cls({n: _price(n, v) for n, v in given.items() if n != "currency"}, currency)

    def find(self, model: ChatModel) -> Price | None:
        """By the model's name, or by what was typed for it."""
        return self.models.get(model.model) or self.models.get(model.backend)


def _price(name: str, value: object) -> Price:
    parts = value if isinstance(value, Mapping) else {}
    numbers = [finite_float(parts.get(side)) for side in ("input", "output")]
    amounts = [number for number in numbers if number is not None and number >= 0]
    if set(parts) != {"input", "output"} or len(amounts) != 2:
        raise UsageError(f"settings.toml: the price of {name!r} has an input and an output, like {EXAMPLE}")
    return Price(*amounts)


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that a pass may take of models that are not the embedded baseline; None: no bound."""

    calls: int | None = None
    cost: float | None = None
    """In the unit of `[prices]`."""


@dataclass(frozen=True, slots=True)
class Took:
    """What calls took."""

    calls: int = 0
    """Requests that were sent, also those that failed; one that is tried again counts once."""
    untold: int = 0
    """Those of them of whose tokens the server did not say anything."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    """Of the tokens that have a price, in the unit of `[prices]`."""
    seconds: float = 0.0
    """While at least one of them was being worked on."""

    def __add__(self, other: Took) -> Took:
        return Took(*(a + b for a, b in zip(asdict(self).values(), asdict(other).values(), strict=True)))

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Took:
        """From what a run keeps."""
        return cls(**kept)


NOTHING = Took()


def took_words(took: Took, currency: str = "", call: str = "call") -> str:
    """`85 calls, 120,000 + 3,400 tokens, 192 s, 0.42 USD`; tokens as prompt + reply."""
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
    """Two digits behind the point, or as many as show something."""
    return f"{cost:,.2f}" if cost >= 0.1 or not cost else f"{cost:.2g}"


def tokens_of(request: ChatRequest) -> int:
    """How many tokens a request's prompt is taken to have before a server has counted them."""
    words = sum(len(part.text.encode()) for part in request.user) + len(request.system.encode())
    pictures = sum(bool(part.jpeg) for part in request.user)
    return -(-words // BYTES_A_TOKEN) + pictures * TOKENS_A_PICTURE


class Call:
    """One call while it goes on."""

    def __init__(self, price: Price | None) -> None:
        self._price = price
        self.took = Took(calls=1, untold=1)

    def answered(self, reply: ChatReply) -> None:
        """Count what the server says of its tokens."""
        prompt, completion = (_count(reply.usage.get(f"{side}_tokens")) for side in ("prompt", "completion"))
        if prompt is None and completion is None:
            return
        prompt, completion = prompt or 0, completion or 0
        cost = self._price.of(prompt, completion) if self._price else 0.0
        self.took = Took(1, 0, prompt, completion, cost)


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


class Spending:
    """What one pass has taken of its models, and whether more may be asked. Thread-safe."""

    def __init__(self, prices: Prices | None = None, cap: Cap | None = None) -> None:
        self.prices = prices or Prices()
        self.cap = cap or Cap()
        self.taken = Took()
        self.reached = ""
        """Why the cap lets no further call out; empty while it does."""
        self._capped = 0
        """Calls that count for the cap."""
        self._held = 0.0
        """The most that the calls in flight may cost."""
        self._room = Condition()
        self._busy = 0
        self._since = 0.0

    def check(self, model: ChatModel) -> None:
        """Raises UsageError where a cap on the cost meets a model without a price."""
        if self.cap.cost is not None and not model.baseline and self.prices.find(model) is None:
            raise UsageError(
                f"no price is set for {model.model}, so its cost cannot be capped; write into settings.toml: "
                + EXAMPLE
            )

    @contextmanager
    def call(self, model: ChatModel, request: ChatRequest, stop: Event) -> Iterator[Call]:
        """Around a call; whoever may not make it gets Stopped before it is sent.

        A cap on the cost is never passed: a call is let out when what it may cost at most still fits, so near
        the end it waits until those in flight have told what they did cost.
        """
        price = None if model.baseline else self.prices.find(model)
        most = price.of(tokens_of(request), request.max_tokens) if price else 0.0
        one = Call(price)
        with self._room:
            if not model.baseline:
                self._admit(most, stop)
            self._held += most
        try:
            yield one
        finally:
            with self._room:
                self._held -= most
                self.taken += one.took
                self._room.notify_all()

    def _admit(self, most: float, stop: Event) -> None:
        """Raises Stopped."""
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
                    f" leaves no room for another call ({spent} spent)"
                )
            elif stop.is_set():
                raise Stopped("stopped")
            else:
                self._room.wait(LOOK_S)
        self._room.notify_all()
        raise Stopped(self.reached)

    @contextmanager
    def clock(self) -> Iterator[list[float]]:
        """Around work on a run's calls; then holds the seconds that nobody beside has counted yet."""
        seconds: list[float] = []
        with self._room:
            if not self._busy:
                self._since = time.monotonic()
            self._busy += 1
        try:
            yield seconds
        finally:
            with self._room:
                now = time.monotonic()
                self._busy -= 1
                seconds.append(now - self._since)
                self._since = now
                self.taken += Took(seconds=seconds[0])
