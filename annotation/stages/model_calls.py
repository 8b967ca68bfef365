"""Sends requests to chat models: cached, concurrent, stoppable. Every request and raw reply is kept."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, replace
from threading import Event, Lock
from typing import Any
from weakref import WeakValueDictionary

from sqlalchemy import select

from annotation.records.errors import FormatError
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import ModelCall
from annotation.stages.shrink_frames import fewer_frames, frames_note
from annotation.stages.spending import NOTHING, Spending, Took
from annotation.store import tables as t
from annotation.store.store import Store
from backends.chat.limiter import AdaptiveLimiter
from backends.errors import DailiesError, RequestFailed, RequestRefused, RequestTooLarge, Stopped
from backends.protocols import ChatModel, ChatReply, ChatRequest, Part
from backends.text import storable_text

log = logging.getLogger(__name__)
FILTERED = "content_filter"
"""The `finish_reason` of a reply that the server's content filter ended."""
GATHER_S = 0.1
"""Seconds that results wait for others to share a transaction; requests continue meanwhile."""


GATHER_CALLS_S = 0.03
"""The same for records that many threads write, mainly replies."""
MANY = 8
"""From this number of requests in flight on, several replies often arrive at nearly the same time."""


@dataclass(frozen=True, slots=True)
class Called:
    """The result of one request."""

    reply: ChatReply | None
    """None if the request failed."""
    call_id: str | None
    failure: str = ""
    """Why there is no reply, in one line."""
    fewer: str = ""
    """Explains that the model received fewer frames than the stage requested; else empty."""
    frames: tuple[int, ...] = ()
    """The frames that the model received."""
    raw: str = ""
    """The model's output, even if it is not a valid reply."""
    took: Took = NOTHING
    """`NOTHING` if the reply came from the cache."""


def request_json(model: ChatModel, request: ChatRequest) -> dict[str, Any]:
    """Return the request as stored evidence, with hashes in place of pictures.

    Facts are included only for the engine that uses them.
    """
    return {
        "stage": request.stage,
        "system": request.system,
        "user": [_part_json(part) for part in request.user],
        "facts": request.facts if model.baseline else {},
        "schema": request.schema,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
        "sample": request.sample,
    }


def _part_json(part: Part) -> dict[str, str]:
    if part.jpeg:
        return {"jpeg_sha256": hashlib.sha256(part.jpeg).hexdigest()}
    return {"text": part.text}


def call_id(model: ChatModel, request: ChatRequest) -> str:
    """Return the cache key: a hash of model, endpoint, full request and sample number."""
    return record_id("call", model.model, model.endpoint, request_json(model, request))


class _Turn:
    """A lock for one request: equal requests wait for it, then read the stored reply."""

    def __init__(self) -> None:
        self.lock = Lock()


@dataclass(slots=True)
class _PendingWrite:
    records: Sequence[Record]
    done: bool = False
    new: bool = False
    error: Exception | None = None


class WriteBatcher:
    """Combines writes of many threads into few transactions: one thread writes for all that wait.

    Many replies arrive at the same moment, and a transaction costs more than a row.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[_PendingWrite] = []
        self._lock = Lock()
        self._turn = Lock()

    def add(self, records: Sequence[Record], gather_s: float = 0.0) -> bool:
        """Write records as `Store.add` does, and return when they are stored.

        Waits `gather_s` seconds for records of other threads. Returns False if some records of the
        transaction existed before.
        """
        mine = _PendingWrite(records)
        with self._lock:
            self._waiting.append(mine)
        with self._turn:
            if not mine.done:
                time.sleep(gather_s)
                self._write_all()
        if mine.error:
            raise mine.error
        return mine.new

    def _write_all(self) -> None:
        with self._lock:
            batch, self._waiting = self._waiting, []
        try:
            self._write(batch)
        except FormatError as error:
            batch[0].error = error
            if len(batch) > 1:  # Retry separately, so that an invalid record only fails its own request.
                for one in batch:
                    one.error = None
                    self._write_one(one)
        except Exception as error:  # noqa: BLE001 - raised again in each waiting thread
            for one in batch:
                one.error = error
        for one in batch:
            one.done = True

    def _write_one(self, one: _PendingWrite) -> None:
        try:
            self._write([one])
        except Exception as error:  # noqa: BLE001 - as above
            one.error = error

    def _write(self, batch: Sequence[_PendingWrite]) -> None:
        records = {(type(record), record.id): record for one in batch for record in one.records}
        new = self._store.add(records.values()) == len(records)
        for one in batch:
            one.new = new


class Caller:
    """Sends requests to models for the stages. Thread-safe."""

    def __init__(self, store: Store, stop: Event | None = None, spending: Spending | None = None) -> None:
        self.store = store
        self.stop = stop or Event()
        self.spending = spending or Spending()
        self._writes = WriteBatcher(store)
        self._limiters: dict[int, AdaptiveLimiter] = {}
        self._pools: dict[int, ThreadPoolExecutor] = {}
        self._kept: set[str] | None = None
        self._lock = Lock()
        self._turns: WeakValueDictionary[str, _Turn] = WeakValueDictionary()

    def raise_if_stopped(self) -> None:
        """Raise Stopped if no new work may start: the work was stopped, or its cap is reached."""
        if self.stop.is_set() or self.spending.reached:
            why = self.spending.reached or "stopped"
            raise Stopped(f"{why}; finished work is kept, and the next run continues from there")

    def ask(self, model: ChatModel, request: ChatRequest) -> Called:
        """Send one request, or return its cached reply.

        Equal requests in flight are sent once. Raises BackendUnavailable if the model cannot be reached, and
        Stopped when the cap is reached.
        """
        called = self._in_turn(model, lambda: request, Event())
        if called is None:
            self.raise_if_stopped()
        assert called
        return called

    def keep(self, records: Sequence[Record]) -> bool:
        """Write records; faster than the store's own `add` if many threads write.

        Returns True if all records were new, False if some may have existed. Do not call it inside
        `Store.writing`, because records of other threads are written in the same transaction.
        """
        busy = any(limiter.in_flight > MANY for limiter in list(self._limiters.values()))
        return self._writes.add(records, GATHER_CALLS_S if busy else 0.0)

    def _in_turn(self, model: ChatModel, build: Callable[[], ChatRequest], stop: Event) -> Called | None:
        """Return the result, or None if the work was stopped before the reply arrived."""
        with ExitStack() as turns:
            with self._limiter(model):
                if stop.is_set():
                    return None
                request = build()
                key = call_id(model, request)
                with self._lock:
                    turn = self._turns.setdefault(key, _Turn())
                turns.enter_context(turn.lock)
                if kept := self._kept_call(key):
                    return kept
                try:
                    called, took = self._sent(key, model, request, stop)
                except Stopped:
                    return None
            # Written outside the slot, so that the server can work on the next request meanwhile.
            done = self._written(called) if isinstance(called, ModelCall) else called
            return replace(done, took=took)

    def _written(self, call: ModelCall) -> Called:
        """Store the reply and return it."""
        try:
            if not self.keep([call]):  # Another process stored its reply first; use that one.
                call = self.store.get(ModelCall, call.id)
        except FormatError as error:
            return Called(None, None, f"cannot store the reply: {error}")
        self._known().add(call.id)
        return _as_called(call)

    def _kept_call(self, key: str) -> Called | None:
        found = self.store.find(ModelCall, id=key) if key in self._known() else []
        return _as_called(found[0]) if found else None

    def _sent(
        self, key: str, model: ChatModel, request: ChatRequest, stop: Event
    ) -> tuple[ModelCall | Called, Took]:
        """Return the reply to be stored, or why there is none. Raises BackendUnavailable, Stopped."""
        with self.spending.call(model, request, stop) as call:
            try:
                reply, given, most = _fitting(model, request, stop)
            except (RequestFailed, RequestRefused) as error:
                return Called(None, None, storable_text.mended(str(error))), call.took
            except DailiesError:
                raise
            except Exception as error:  # Any error in a reply fails only this request.
                log.exception("%s: a reply", model.backend)
                why = f"a bug in Dailies ({type(error).__name__}); the log has the traceback"
                return Called(None, None, why), call.took
            call.answered(reply)
        return _as_call(key, model, given, reply, of=len(request.frames), most=most), call.took

    def _known(self) -> set[str]:
        """Return ids of stored calls, read once: looking up each one costs as much as sending it."""
        if self._kept is None:
            with self._lock:
                if self._kept is None:
                    with self.store.reading() as conn:
                        self._kept = set(conn.scalars(select(t.model_call.c.id)))
        return self._kept

    def _limiter(self, model: ChatModel) -> AdaptiveLimiter:
        with self._lock:
            limiter = self._limiters.get(id(model))
            if limiter is None:
                limiter = self._limiters[id(model)] = AdaptiveLimiter(model.concurrency)
                if hasattr(model, "on_pressure"):
                    model.on_pressure = limiter.back_off
            return limiter

    def _pool(self, model: ChatModel) -> ThreadPoolExecutor:
        """Return the thread pool of this model, shared by all callers. Requests are sent in order."""
        with self._lock:
            pool = self._pools.get(id(model))
            if pool is None:
                workers = max(1, model.concurrency)
                pool = self._pools[id(model)] = ThreadPoolExecutor(workers, thread_name_prefix="ask")
            return pool

    def ask_all(
        self, model: ChatModel, requests: Sequence[Callable[[], ChatRequest]]
    ) -> Iterator[list[tuple[int, Called]]]:
        """Send many requests; yield lists of `(position, result)` that finished at the same time.

        Requests are given as functions, so that pictures are read only when a request is sent. The model's
        limiter limits the requests in flight over all callers. When `stop` is set, or the cap is reached,
        requests in flight are finished and kept, then Stopped is raised.
        """
        waiting = iter(range(len(requests)))
        flying: dict[Future[Called | None], int] = {}
        pool = self._pool(model)
        try:
            while True:
                while len(flying) < model.concurrency and not (self.stop.is_set() or self.spending.reached):
                    position = next(waiting, None)
                    if position is None:
                        break
                    flying[pool.submit(self._in_turn, model, requests[position], self.stop)] = position
                if not flying:
                    break
                finished, left = wait(flying, return_when=FIRST_COMPLETED)
                if left:  # Requests that finish at nearly the same time are written together.
                    finished, _ = wait(flying, GATHER_S)
                results = [(flying.pop(future), future.result()) for future in finished]
                yield [(position, called) for position, called in results if called]
        finally:
            for future in flying:
                future.cancel()
            wait(flying)
        self.raise_if_stopped()


def _fitting(
    model: ChatModel, request: ChatRequest, stop: Event
) -> tuple[ChatReply, ChatRequest, int | None]:
    """Return the reply and the request that was answered: with fewer frames if the model limits them.

    The third value is the server's maximum number of pictures, if it determined the number of frames.
    """
    most: int | None = None
    while True:
        try:
            return model.complete(request, stop), request, most
        except RequestTooLarge as error:
            less = fewer_frames(request, error.most)
            if less is None:
                raise
            request, most = less, error.most if error.most == len(less.frames) else None


def _as_called(call: ModelCall) -> Called:
    """Convert a stored call to a result. A filtered reply is a failure; its text is kept as evidence."""
    of = call.request.get("frames_of")
    fewer = frames_note(len(call.frames), of, call.request.get("most_pictures")) if of else ""
    if call.finish_reason == FILTERED:
        why = f"the server's content filter ended the reply (finish_reason {FILTERED})"
        return Called(None, call.id, why, fewer, call.frames, call.reply)
    reply = ChatReply(call.reply, call.finish_reason, call.seconds, call.usage, _prompt_of(call.request))
    return Called(reply, call.id, fewer=fewer, frames=call.frames, raw=call.reply)


def _prompt_of(request: Mapping[str, Any]) -> str:
    """Return the text of a request in the format of `request_json`."""
    user = request.get("user") or ()
    return "\n".join([str(request.get("system", "")), *(part["text"] for part in user if "text" in part)])


def _as_call(
    key: str, model: ChatModel, request: ChatRequest, reply: ChatReply, *, of: int, most: int | None
) -> ModelCall:
    """Build the record of a call: `request` is the one answered, `of` the number of frames in the first one,
    `most` as returned by `_fitting`.

    A filtered reply gets a different id, so that the next run sends the request again.
    """
    sent = request_json(model, request)
    if len(request.frames) < of:
        sent |= {"frames_of": of, **({"most_pictures": most} if most else {})}
    now = time.time()
    replaced = storable_text.count(reply.text)
    return ModelCall(
        id=record_id("call", key, now) if reply.finish_reason == FILTERED else key,
        backend=model.backend,
        model=model.model,
        request=sent,
        reply=storable_text.mended(reply.text),
        created_at=now,
        finish_reason=reply.finish_reason,
        seconds=reply.seconds,
        usage=dict(reply.usage),
        frames=request.frames,
        note=f"{replaced} characters that cannot be stored were replaced by U+FFFD" if replaced else "",
    )
