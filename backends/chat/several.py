"""Several servers of one model as one: the least busy is asked, one that fails is left out for a while."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event

from annotation.errors import BackendUnavailable, RequestFailed, UsageError
from backends.protocols import ChatModel, ChatReply, ChatRequest, Tell

FIRST_REST_S = 15.0
"""How long a server that failed is left out; doubles with every failure in a row."""
LONGEST_REST_S = 300.0


@dataclass(slots=True)
class _Place:
    model: ChatModel
    in_flight: int = 0
    failures: int = 0
    """In a row."""
    back_at: float = 0.0


class SeveralChats:
    """Implements `ChatModel`. Thread-safe.

    What is recorded names all the addresses, in one order whatever was typed. A request that one server
    could not answer is given to the next; one that was refused is not, since the others would refuse it too.
    """

    baseline = False

    def __init__(self, models: Sequence[ChatModel]) -> None:
        """Raises UsageError for models of different names, or the baseline among them."""
        names = sorted({model.model for model in models})
        if len(names) > 1 or any(model.baseline for model in models):
            raise UsageError(
                f"several servers for one role must serve the same model, not {' and '.join(names)}; figures "
                "from different models do not belong into one run"
            )
        self.model = names[0]
        self.backend = ",".join(sorted(model.backend for model in models))
        self.endpoint = ",".join(sorted({model.endpoint for model in models}))
        self.concurrency = sum(model.concurrency for model in models)
        self._places = [_Place(model) for model in models]
        self._lock = threading.Lock()
        self._on_pressure: Callable[[], None] = lambda: None

    @property
    def models(self) -> list[ChatModel]:
        return [place.model for place in self._places]

    @property
    def on_pressure(self) -> Callable[[], None]:
        return self._on_pressure

    @on_pressure.setter
    def on_pressure(self, hear: Callable[[], None]) -> None:
        self._on_pressure = hear
        for model in self.models:
            if hasattr(model, "on_pressure"):
                model.on_pressure = hear

    def check(self) -> str:
        """One line on all; raises BackendUnavailable when none of them answers."""
        said, down = [], []
        for place in self._places:
            try:
                said.append(place.model.check())
            except BackendUnavailable as error:
                down.append(str(error))
                self._rest(place)
        if not said:
            raise BackendUnavailable("; ".join(down))
        return "; ".join([*said, *(f"left out for now: {why}" for why in down)])

    def prepare(self, *, pictures: bool, tell: Tell, stop: Event) -> None:
        """Each in turn; one that cannot is left out, unless it is the last."""
        trouble: BackendUnavailable | None = None
        ready = 0
        for place in self._awake():
            try:
                place.model.prepare(pictures=pictures, tell=tell, stop=stop)
                ready += 1
            except BackendUnavailable as error:
                trouble = error
                self._rest(place)
        if trouble and not ready:
            raise trouble

    def complete(self, request: ChatRequest) -> ChatReply:
        """Of the least busy server. Raises what the last one said when all of them fail."""
        tried: list[_Place] = []
        while True:
            place = self._take(tried)
            try:
                reply = place.model.complete(request)
            except (RequestFailed, BackendUnavailable):
                self._rest(place)
                tried.append(place)
                if len(tried) == len(self._places):
                    raise
            else:
                place.failures = 0
                return reply
            finally:
                with self._lock:
                    place.in_flight -= 1

    def close(self) -> None:
        for model in self.models:
            model.close()

    def _take(self, tried: Sequence[_Place]) -> _Place:
        with self._lock:
            left = [place for place in self._places if place not in tried]
            awake = [place for place in left if place.back_at <= time.monotonic()] or left
            place = min(awake, key=lambda place: place.in_flight / place.model.concurrency)
            place.in_flight += 1
            return place

    def _awake(self) -> list[_Place]:
        now = time.monotonic()
        return [place for place in self._places if place.back_at <= now] or self._places

    def _rest(self, place: _Place) -> None:
        with self._lock:
            place.failures += 1
            rest = min(LONGEST_REST_S, FIRST_REST_S * 2.0 ** (place.failures - 1))
            place.back_at = time.monotonic() + rest
