"""`vllm-engine:MODEL`: vLLM inside this process, for batch runs without a server or HTTP.

Dailies must run in an environment that has vLLM. Requests from several threads are collected for a moment
and passed to the engine together, which processes them in parallel.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from queue import Empty, SimpleQueue
from threading import Event
from typing import Any

from backends.chat.defaults import DEFAULT_CONCURRENCY
from backends.chat.error_messages import complaint, next_step
from backends.chat.http_exchange_with_deadline import GRACE_S
from backends.chat.openai_messages import content, one_line
from backends.chat.probe_picture import LOOK
from backends.chat.vllm_arguments import engine_arguments, environment, read_spec
from backends.errors import BackendUnavailable, RequestFailed, Stopped
from backends.protocols import ChatReply, ChatRequest, Loading, Tell

GATHER_S = 0.05
"""How long the first request of a batch waits for others."""
END_S = 10.0
"""How long running requests may take when the program ends."""
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class _Asked:
    request: ChatRequest
    reply: Future[ChatReply]


class VllmEngine:
    """Implements `ChatModel`. Thread-safe. The model is loaded on first use."""

    baseline = False
    endpoint = "vllm-engine"

    def __init__(self, spec: str, *, concurrency: int = DEFAULT_CONCURRENCY) -> None:
        self.backend = spec
        self._wanted = read_spec(spec)
        self.model = self._wanted.model
        self.concurrency = concurrency
        self._queue: SimpleQueue[_Asked | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._loaded: Future[Any] = Future()
        self._lock = threading.Lock()
        self._sees = False

    def check(self) -> str:
        """Describe the engine without loading it. Raises BackendUnavailable if this Python has no vLLM."""
        if find_spec("vllm") is None:
            raise BackendUnavailable(
                f"{self.backend} needs vLLM in the environment of Dailies itself: pip install -r "
                f"requirements-vllm.txt; if vLLM has a separate environment, use vllm:{self.model}"
            )
        return f"{self.model} is loaded into this process when a run needs it"

    def prepare(self, *, pictures: bool, tell: Tell, stop: Event) -> None:
        """Load the model. Raises as `ChatModel.prepare`."""
        self.check()
        began = time.monotonic()
        loaded = self._start()
        while not loaded.done():
            tell(Loading(self.backend, "loading into this process", None, time.monotonic() - began))
            if stop.wait(_LOOK_S):
                raise Stopped("stopped while the model was loading; no request was sent")
        loaded.result()
        tell(Loading(self.backend, "ready", 1.0, time.monotonic() - began, ready=True))
        if pictures and not self._sees:
            self.complete(LOOK, stop)
            self._sees = True

    def complete(self, request: ChatRequest, stop: Event | None = None) -> ChatReply:
        """Return the reply. Raises RequestRefused if the engine does not accept the request, Stopped."""
        self.check()
        self._start()
        asked = _Asked(request, Future())
        self._queue.put(asked)
        while True:
            try:
                return asked.reply.result(GRACE_S)
            except TimeoutError:
                if stop is not None and stop.is_set():
                    raise Stopped("stopped while a request was in flight") from None

    def close(self) -> None:
        """End the engine and its thread; call it after the last request."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread:
            self._queue.put(None)
            thread.join(END_S)

    # --- the thread that owns the engine --------------------------------------------------

    def _start(self) -> Future[Any]:
        with self._lock:
            if self._thread is None:
                self._loaded = Future()
                self._thread = threading.Thread(target=self._work, name="vllm-engine", daemon=True)
                self._thread.start()
                atexit.register(self.close)
            return self._loaded

    def _work(self) -> None:
        try:
            engine = self._load()
        except Exception as error:  # noqa: BLE001 - every error is passed to the waiting threads
            why = BackendUnavailable(f"vLLM could not load {self.model}: {one_line(error)}")
            self._loaded.set_exception(why)
            self._refuse_all(why)
            return
        self._loaded.set_result(engine)
        while batch := self._next_batch():
            self._answer(engine, batch)
        engine.llm_engine.engine_core.shutdown()

    def _load(self) -> Any:
        os.environ.update({name: environment()[name] for name in ("VLLM_NO_USAGE_STATS", "DO_NOT_TRACK")})
        return import_module("vllm").LLM(**engine_arguments(self._wanted))

    def _refuse_all(self, why: BackendUnavailable) -> None:
        """Fail the waiting requests; the next request tries to load the model again."""
        with self._lock:
            self._thread = None
        while True:
            try:
                asked = self._queue.get(timeout=_LOOK_S)
            except Empty:
                return
            if asked:
                asked.reply.set_exception(why)

    def _next_batch(self) -> list[_Asked]:
        """Return requests that arrive almost together; empty at the end."""
        first = self._queue.get()
        if first is None:
            return []
        batch = [first]
        until = time.monotonic() + GATHER_S
        while len(batch) < self.concurrency and (left := until - time.monotonic()) > 0:
            try:
                more = self._queue.get(timeout=left)
            except Empty:
                break
            if more is None:
                self._queue.put(None)
                break
            batch.append(more)
        return batch

    def _answer(self, engine: Any, batch: Sequence[_Asked]) -> None:
        """Answer a batch; if the engine refuses it, answer each request alone."""
        began = time.monotonic()
        try:
            outputs = engine.chat(
                [_messages(asked.request) for asked in batch],
                [_sampling(asked.request) for asked in batch],
                use_tqdm=False,
            )
        except Exception as error:  # noqa: BLE001 - vLLM refuses requests with errors of many kinds
            if len(batch) > 1:
                for asked in batch:
                    self._answer(engine, [asked])
            else:
                batch[0].reply.set_exception(self._refusal(error))
            return
        seconds = time.monotonic() - began
        for asked, output in zip(batch, outputs, strict=True):
            asked.reply.set_result(_reply_of(output, seconds))

    def _refusal(self, error: Exception) -> Exception:
        message = one_line(error)
        if type(error).__name__ == "EngineDeadError":
            return RequestFailed(f"{self.backend}: the engine crashed ({message}); run again")
        return complaint(self.backend, self.model, 400, message, next_step(400, message))


def _messages(request: ChatRequest) -> list[dict[str, Any]]:
    system = [{"role": "system", "content": request.system}] if request.system else []
    return [*system, {"role": "user", "content": content(request.user)}]


def _sampling(request: ChatRequest) -> Any:
    made = import_module("vllm.sampling_params")
    form: Mapping[str, Any] = {}
    if request.schema is not None:
        form = {"structured_outputs": made.StructuredOutputsParams(json=dict(request.schema))}
    return made.SamplingParams(
        temperature=request.temperature,
        seed=request.seed + request.sample,
        max_tokens=request.max_tokens,
        **form,
    )


def _reply_of(output: Any, seconds: float) -> ChatReply:
    first = output.outputs[0]
    asked, said = len(output.prompt_token_ids or ()), len(first.token_ids)
    usage = {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}
    return ChatReply(first.text, str(first.finish_reason or ""), seconds, usage)
