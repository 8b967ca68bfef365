"""Any server that speaks the OpenAI chat API: vLLM, SGLang, llama.cpp, Ollama, or a hosted one.

Waiting and trying again is done here, so that `Retry-After`, the total time and the number of
tries are bounded and the pipeline hears of an overloaded server.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event
from typing import Any
from urllib.parse import urlsplit

from annotation.errors import (
    BackendError,
    BackendUnavailable,
    RequestFailed,
    RequestRefused,
    RequestTooLarge,
)
from annotation.records import digest
from backends.chat.complaints import complaint, is_blind
from backends.chat.json_http import JsonServer, NoAnswer, NoConnection, StatusError
from backends.chat.openai_wire import (
    content,
    one_line,
    response_format,
    said,
    serve_command,
    some,
    split_spec,
)
from backends.chat.probe_picture import LOOK
from backends.chat.registry import DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT_S
from backends.chat.retries import Again, Retries, ServerLost, overloaded, wait_s
from backends.protocols import ChatReply, ChatRequest, Loading, Tell

_about_schema = re.compile(r"response_format|json_schema|schema|grammar|guided|structured", re.IGNORECASE)


class OpenAiChat:
    """A chat model behind `http(s)://host:port/v1#model`. Thread-safe.

    The key is taken from DAILIES_API_KEY, else OPENAI_API_KEY. Without `#model` the server is asked
    at once and must serve exactly one (else BackendUnavailable). `on_pressure` is called, in the
    requesting thread, on every 429, 503 and time-out: set it to a limiter's `back_off`. What it takes
    is not counted as time of the request. `lost` is asked after every try that failed: when it says that
    the server is gone for good, ServerLost is raised at once.
    """

    baseline = False

    def __init__(
        self,
        spec: str,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        concurrency: int = DEFAULT_CONCURRENCY,
        retries: Retries | None = None,
        on_pressure: Callable[[], None] | None = None,
        lost: Callable[[], bool] | None = None,
    ) -> None:
        self.backend = spec
        self.endpoint, model = split_spec(spec)
        self.concurrency = concurrency
        self.on_pressure = on_pressure or _nothing
        self._lost = lost or _never
        self._sees = False
        self._context: int | None = None
        """Tokens of prompt and reply together, where the server says so."""
        self._timeout_s = timeout_s
        self._retries = retries or Retries()
        self._closed = threading.Event()
        self._without_schema: set[str] = set()
        self._limit_name = "max_tokens"
        key = os.environ.get("DAILIES_API_KEY") or os.environ.get("OPENAI_API_KEY") or "none"
        self._server = JsonServer(self.endpoint, key)
        self.model = model or self._only_model()

    # --- asking -------------------------------------------------------------------------

    def complete(self, request: ChatRequest) -> ChatReply:
        """One reply. Raises RequestRefused (the server said no) or RequestFailed (after all tries)."""
        policy = self._retries
        began = time.monotonic()
        for attempt in range(policy.tries):
            left = policy.total_s - (time.monotonic() - began)
            try:
                return self._whole(request, self._adapted(request, min(self._timeout_s, max(left, 0.001))))
            except Again as trouble:
                why = trouble
            if self._lost():
                raise ServerLost(f"{self.endpoint}: {why}; the server is gone") from why
            if why.pressure:
                before = time.monotonic()
                self.on_pressure()
                began += time.monotonic() - before
            wait = wait_s(policy, attempt, why.retry_after_s)
            left = policy.total_s - (time.monotonic() - began)
            if attempt + 1 == policy.tries or wait >= left or self._closed.wait(wait):
                break
        raise RequestFailed(
            f"{self.endpoint}: {why} ({attempt + 1} tries in {time.monotonic() - began:.1f} s); "
            "check the server, then run again: what failed is asked again"
        ) from why

    def _whole(self, request: ChatRequest, reply: ChatReply) -> ChatReply:
        """The reply. Raises RequestTooLarge when several pictures left no room for the rest of it."""
        total = reply.usage.get("total_tokens")
        full = self._context is not None and isinstance(total, int) and total >= self._context
        if full and reply.finish_reason == "length" and sum(bool(part.jpeg) for part in request.user) > 1:
            raise RequestTooLarge(
                f"{self.endpoint}: {self.model} came to the end of its context of {self._context} tokens "
                "before the end of its reply; start the server with a longer one"
            )
        return reply

    def _adapted(self, request: ChatRequest, timeout_s: float) -> ChatReply:
        """One try, with what the server is known not to take left out."""
        body = self._body(request)
        try:
            return self._ask(body, timeout_s)
        except StatusError as error:
            less = self._less(body, request, error)
            if less is None:
                raise self._refused(error) from error
        try:
            reply = self._ask(less, timeout_s)
        except StatusError as error:
            raise self._refused(error) from error
        self._remember(body, less, request)
        return reply

    def _ask(self, body: dict[str, Any], timeout_s: float) -> ChatReply:
        began = time.monotonic()
        try:
            answer = self._server.post("/chat/completions", body, timeout_s)
        except NoAnswer as error:
            raise Again(f"no answer within {timeout_s:g} s", pressure=True) from error
        except NoConnection as error:
            raise Again(f"no connection: {one_line(error)}") from error
        except StatusError as error:
            if error.status in (408, 429) or (error.status >= 500 and not is_blind(said(error))):
                raise overloaded(error) from error
            raise
        except ValueError as error:
            raise Again("the reply is not a chat completion") from error
        return _reply_of(answer, time.monotonic() - began)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        messages: list[dict[str, Any]] = []
        if request.system:
            messages.append({"role": "system", "content": request.system})
        messages.append({"role": "user", "content": content(request.user)})
        body: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "temperature": request.temperature,
            "seed": request.seed + request.sample,
            self._limit_name: request.max_tokens,
        }
        if request.schema is not None and digest(dict(request.schema)) not in self._without_schema:
            body["response_format"] = response_format(request.stage, request.schema)
        return body

    # --- what servers refuse ------------------------------------------------------------

    def _less(self, body: dict[str, Any], request: ChatRequest, error: StatusError) -> dict[str, Any] | None:
        """The request without what the server says it does not take; None when that is not the cause."""
        message = said(error)
        if error.status not in (400, 422):
            return None
        if "max_tokens" in body and "max_completion_tokens" in message:
            less = {key: value for key, value in body.items() if key != "max_tokens"}
            return {**less, "max_completion_tokens": request.max_tokens}
        if "response_format" in body and _about_schema.search(message):
            return {key: value for key, value in body.items() if key != "response_format"}
        return None

    def _remember(self, body: Mapping[str, Any], less: Mapping[str, Any], request: ChatRequest) -> None:
        if "max_completion_tokens" in less:
            self._limit_name = "max_completion_tokens"
        if "response_format" in body and "response_format" not in less:
            self._without_schema.add(digest(dict(request.schema or {})))

    def _refused(self, error: StatusError) -> BackendError:
        advice = {
            401: "; set DAILIES_API_KEY to a key of this server",
            403: "; set DAILIES_API_KEY to a key that may use this model",
            404: f"; see what is served with: curl {self.endpoint}/models",
        }.get(error.status, "")
        model = getattr(self, "model", "")
        return complaint(self.endpoint, model, error.status, said(error), advice)

    # --- before a run -------------------------------------------------------------------

    def prepare(self, *, pictures: bool, tell: Tell, stop: Event) -> None:
        """With `pictures`, one request with a small picture and one token of reply.

        Raises BackendUnavailable when the model takes no pictures. Any other trouble is left to the run.
        """
        if pictures and not self._sees and not stop.is_set():
            tell(Loading(self.backend, "looking whether it takes pictures", None, 0.0))
            with suppress(RequestRefused, RequestFailed):
                self.complete(LOOK)
            self._sees = True
            tell(Loading(self.backend, "ready", 1.0, 0.0, ready=True))

    def check(self) -> str:
        """Whether the model can be asked; one line for `doctor`.

        Raises BackendUnavailable with the command that starts a server, or with the models that
        this one serves, and RequestRefused when the key is not taken.
        """
        served = self.served_models()
        if served and not any(name in (self.model, f"{self.model}:latest") for name in served):
            raise BackendUnavailable(
                f"{self.endpoint} does not serve {self.model}; "
                f"write {self.endpoint}#MODEL with one of: {some(served)}"
            )
        return f"{self.model} at {self.endpoint} answers"

    def served_models(self) -> list[str]:
        """Model names that the server lists; empty when it has no list."""
        try:
            page = self._server.get("/models", min(10.0, self._timeout_s))
            models = page["data"] or []
            lengths = {str(model["id"]): model.get("max_model_len") for model in models}
            length = lengths.get(getattr(self, "model", "")) or (
                lengths.popitem()[1] if len(lengths) == 1 else None
            )
            self._context = length if isinstance(length, int) else None
            return [str(model["id"]) for model in models]
        except (NoAnswer, NoConnection) as error:
            raise BackendUnavailable(self._how_to_start(error)) from error
        except StatusError as error:
            if error.status in (404, 405):
                return []
            if error.status < 500:
                raise self._refused(error) from error
            raise BackendUnavailable(f"{self._how_to_start(error)}") from error
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BackendUnavailable(
                f"{self.endpoint} is not an OpenAI-compatible server; the address usually ends with /v1"
            ) from error

    def _only_model(self) -> str:
        served = self.served_models()
        if len(served) == 1:
            return served[0]
        lists = f"serves {some(served)}" if served else "does not say what it serves"
        raise BackendUnavailable(f"{self.endpoint} {lists}; name the model: {self.endpoint}#MODEL")

    def _how_to_start(self, error: Exception) -> str:
        model = getattr(self, "model", "") or "MODEL"
        port = urlsplit(self.endpoint).port or 8000
        return (
            f"no server answers at {self.endpoint} ({one_line(error)}); "
            f"start one with: {serve_command(model, port)}"
        )

    # --- for `doctor` -------------------------------------------------------------------

    def as_model(self, name: str) -> OpenAiChat:
        """The same server asked for another model."""
        return OpenAiChat(
            f"{self.endpoint}#{name}", timeout_s=self._timeout_s, concurrency=1, retries=self._retries
        )

    def refused_schema(self, schema: Mapping[str, Any]) -> bool:
        """Whether the server has refused this schema, so that it is no longer sent."""
        return digest(dict(schema)) in self._without_schema

    def close(self) -> None:
        """Ends waiting between tries; requests in flight run to their end."""
        self._closed.set()
        self._server.close()


def _nothing() -> None:
    return None


def _never() -> bool:
    return False


def _reply_of(answer: Any, seconds: float) -> ChatReply:
    """The first choice. Reasoning that the server sends apart (`reasoning_content`) is not the reply."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        raise Again("the reply is not a chat completion")
    text, usage = message.get("content"), answer.get("usage")
    return ChatReply(
        text=text if isinstance(text, str) else "",
        finish_reason=str(first.get("finish_reason") or ""),
        seconds=seconds,
        usage={name: n for name, n in usage.items() if n is not None} if isinstance(usage, dict) else {},
    )
