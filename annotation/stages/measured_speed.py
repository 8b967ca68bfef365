"""Measures the tokens and the speed of a model from its latest replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from annotation.stages.spending import tokens_of
from annotation.store import tables as t
from annotation.store.store import Store
from backends.protocols import ChatModel, ChatRequest

RECENT = 1000
"""Number of a model's latest replies that are read."""
FEW = 3
"""Below this number of replies of a kind, its speed is unknown."""


@dataclass(frozen=True, slots=True)
class _Habit:
    """Averages of one kind of request."""

    completion: float
    """Mean number of tokens in a reply."""
    seconds: float | None
    """Mean seconds between replies while the model was busy; None if there are too few replies."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Tokens and speed of a model, from its latest replies."""

    kinds: Mapping[str, _Habit]
    """Key: `ChatRequest.stage`."""
    tokens_for_guess: float
    """Measured prompt tokens per token estimated by `tokens_of`; 1 if there are no measurements."""

    def prompt_tokens(self, request: ChatRequest) -> int:
        return round(tokens_of(request) * self.tokens_for_guess)

    def completion_tokens(self, request: ChatRequest) -> int:
        """Return the mean of earlier replies, or the request's limit if there are none."""
        known = self.kinds.get(request.stage)
        return round(known.completion) if known and known.completion else request.max_tokens

    def seconds(self, request: ChatRequest) -> float | None:
        known = self.kinds.get(request.stage)
        return known.seconds if known else None


def habits(store: Store, model: ChatModel) -> Habits:
    """Read the latest replies of the same model at the same address."""
    c = t.model_call.c
    query = select(c.request, c.usage, c.seconds, c.created_at).where(
        c.model == model.model, c.backend == model.backend
    )
    with store.reading() as conn:
        rows = conn.execute(query.order_by(c.created_at.desc()).limit(RECENT)).all()
    by_kind: dict[str, list[Any]] = {}
    for row in rows:
        by_kind.setdefault(str(row.request.get("stage", "")), []).append(row)
    kinds = {kind: _Habit(_mean_completion(calls), _pace(calls)) for kind, calls in by_kind.items()}
    return Habits(kinds, _guess_factor(rows))


def _mean_completion(calls: Sequence[Any]) -> float:
    told = [call.usage["completion_tokens"] for call in calls if call.usage.get("completion_tokens")]
    return sum(told) / len(told) if told else 0.0


def _pace(calls: Sequence[Any]) -> float | None:
    """Return the seconds per reply: the time with at least one request in flight, divided by their number."""
    if len(calls) < FEW:
        return None
    spans = sorted((call.created_at - call.seconds, call.created_at) for call in calls)
    busy, end = 0.0, spans[0][0]
    for start, stop in spans:
        busy += max(0.0, stop - max(start, end))
        end = max(end, stop)
    return busy / len(calls)


def _guess_factor(calls: Sequence[Any]) -> float:
    """Return the factor for `tokens_of`, from requests without pictures, which models count differently."""
    told = guessed = 0
    for call in calls:
        parts = call.request.get("user") or ()
        if call.usage.get("prompt_tokens") and all("text" in part for part in parts):
            told += call.usage["prompt_tokens"]
            guessed += _guess(call.request)
    return told / guessed if guessed else 1.0


def _guess(kept: Mapping[str, Any]) -> int:
    from_text = ChatRequest("", str(kept.get("system", "")), ())
    return tokens_of(from_text) + sum(
        tokens_of(ChatRequest("", str(part["text"]), ())) for part in kept["user"]
    )
