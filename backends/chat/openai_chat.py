"""Client of any server with the OpenAI chat API: vLLM, SGLang, llama.cpp, Ollama, or a hosted one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event
from typing import Any

from backends.chat.defaults import DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT_S, LONGEST_REPLY
from backends.chat.error_messages import next_step
from backends.chat.kept_json_connections import StatusError
from backends.chat.openai_connection import OpenAiServer
from backends.chat.openai_messages import content, response_format, said
from backends.chat.probe_picture import LOOK
from backends.chat.retries import Again, Retries
from backends.digest import digest
from backends.errors import BackendError, RequestFailed, RequestRefused, RequestTooLarge
from backends.protocols import ChatReply, ChatRequest, Loading, Tell

BYTES_PER_CHARACTER = 6
"""Maximum size of a character in JSON, when it is escaped."""
AROUND = 1 << 20
"""Bytes for the rest of a reply: usage, and reasoning sent separately."""
_MOST_COUNTS = 50
_about_schema = re.compile(r"response_format|json_schema|schema|grammar|guided|structured", re.IGNORECASE)


class OpenAiChat(OpenAiServer):
    """A chat model at `http(s)://host:port/v1#model`; `OpenAiServer` handles key, retries and overload."""

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
        longest_reply: int = LONGEST_REPLY,
        key: str | None = None,
        public: bool = False,
    ) -> None:
        self._longest_reply = longest_reply
        self.longest = BYTES_PER_CHARACTER * longest_reply + AROUND
        super().__init__(
            spec,
            timeout_s=timeout_s,
            retries=retries,
            on_pressure=on_pressure,
            lost=lost,
            key=key,
            public=public,
        )
        self.concurrency = concurrency
        self._sees = False
        self._without_schema: set[str] = set()
        self._limit_name = "max_tokens"

    # --- requests -----------------------------------------------------------------------

    def complete(self, request: ChatRequest, stop: Event | None = None) -> ChatReply:
        """Return the reply. Raises RequestRefused (by the server), RequestFailed (after all attempts or for a
        reply that is too long), Stopped."""
        return self.with_retries(
            lambda timeout_s: self._whole(request, self._adapted(request, timeout_s, stop)), stop
        )

    def _whole(self, request: ChatRequest, reply: ChatReply) -> ChatReply:
        """Return the reply. Raises RequestTooLarge if it is truncated because several pictures filled the
        context, RequestFailed if its text is too long."""
        if len(reply.text) > self._longest_reply:
            raise RequestFailed(
                f"{self.endpoint}: the reply has {len(reply.text):,} characters, more than the limit of "
                f"{self._longest_reply:,} (settings.toml: [limits] reply_characters)"
            )
        total = reply.usage.get("total_tokens")
        full = self._context is not None and isinstance(total, int) and total >= self._context
        if full and reply.finish_reason == "length" and sum(bool(part.jpeg) for part in request.user) > 1:
            raise RequestTooLarge(
                f"{self.endpoint}: {self.model} reached the end of its context of {self._context} tokens "
                "before the end of its reply; start the server with a longer context"
            )
        return reply

    def _adapted(self, request: ChatRequest, timeout_s: float, stop: Event | None) -> ChatReply:
        """Send a request without features that the server is known not to support."""
        body = self._body(request)
        try:
            return self._ask(body, timeout_s, stop)
        except StatusError as error:
            less = self._less(body, request, error)
            if less is None:
                raise self._refused(error) from error
        try:
            reply = self._ask(less, timeout_s, stop)
        except StatusError as error:
            raise self._refused(error) from error
        self._remember(body, less, request)
        return reply

    def _ask(self, body: dict[str, Any], timeout_s: float, stop: Event | None) -> ChatReply:
        began = time.monotonic()
        answer = self.post("/chat/completions", body, timeout_s, stop)
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

    # --- unsupported features -----------------------------------------------------------

    def _less(self, body: dict[str, Any], request: ChatRequest, error: StatusError) -> dict[str, Any] | None:
        """Return the request without the feature named in the error; None if the error has another cause."""
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

    def _complaint(self, model: str, status: int, message: str, advice: str) -> BackendError:
        return super()._complaint(model, status, message, advice or next_step(status, message))

    # --- before a run -------------------------------------------------------------------

    def prepare(self, *, pictures: bool, tell: Tell, stop: Event) -> None:
        """With `pictures`, send one request with a small picture and a reply of one token.

        Raises BackendUnavailable if the model does not accept pictures. Other errors are left to the run.
        """
        if pictures and not self._sees and not stop.is_set():
            tell(Loading(self.backend, "checking whether it accepts pictures", None, 0.0))
            with suppress(RequestRefused, RequestFailed):
                self.complete(LOOK, stop)
            self._sees = True
            tell(Loading(self.backend, "ready", 1.0, 0.0, ready=True))

    # --- for `doctor` -------------------------------------------------------------------

    def as_model(self, name: str) -> OpenAiChat:
        """Return a client of another model on the same server."""
        return OpenAiChat(
            f"{self.endpoint}#{name}", timeout_s=self._timeout_s, concurrency=1, retries=self._retries
        )

    def refused_schema(self, schema: Mapping[str, Any]) -> bool:
        """Return whether the server has refused this schema, so that it is no longer sent."""
        return digest(dict(schema)) in self._without_schema


def _reply_of(answer: Any, seconds: float) -> ChatReply:
    """Return the first choice, without reasoning that the server sends separately (`reasoning_content`)."""
    choices = answer.get("choices") if isinstance(answer, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        raise Again("the reply is not a chat completion")
    text = message.get("content")
    return ChatReply(
        text=text if isinstance(text, str) else "",
        finish_reason=_finish_reason(first.get("finish_reason")),
        seconds=seconds,
        usage=_counts(answer.get("usage")),
    )


def _finish_reason(said: Any) -> str:
    """Return the reason as a short string; SGLang sends a dictionary with a `type`."""
    if isinstance(said, dict):
        said = said.get("type")
    return "".join(char for char in said[:40] if char.isprintable()) if isinstance(said, str) else ""


def _counts(usage: Any) -> dict[str, Any]:
    """Return the numbers of a server's `usage`, including nested ones."""
    found: dict[str, Any] = {}
    for name, value in list(usage.items())[:_MOST_COUNTS] if isinstance(usage, dict) else ():
        if isinstance(value, dict):
            found[name] = {k: v for k, v in list(value.items())[:_MOST_COUNTS] if _is_count(k, v)}
        elif _is_count(name, value):
            found[name] = value
    return found


def _is_count(name: str, value: Any) -> bool:
    return name.isascii() and name.isprintable() and type(value) in (int, float) and abs(value) < 1e15
