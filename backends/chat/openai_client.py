"""Any server that speaks the OpenAI chat API: vLLM, SGLang, llama.cpp, Ollama, or a hosted one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event
from typing import Any

from annotation.errors import RequestFailed, RequestRefused, RequestTooLarge
from annotation.records import digest
from backends.chat.json_http import StatusError
from backends.chat.openai_server import OpenAiServer
from backends.chat.openai_wire import content, response_format, said
from backends.chat.probe_picture import LOOK
from backends.chat.registry import DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT_S
from backends.chat.retries import Again, Retries
from backends.protocols import ChatReply, ChatRequest, Loading, Tell

_about_schema = re.compile(r"response_format|json_schema|schema|grammar|guided|structured", re.IGNORECASE)


class OpenAiChat(OpenAiServer):
    """A chat model behind `http(s)://host:port/v1#model`: see `OpenAiServer` for key, tries, pressure."""

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
        super().__init__(spec, timeout_s=timeout_s, retries=retries, on_pressure=on_pressure, lost=lost)
        self.concurrency = concurrency
        self._sees = False
        self._without_schema: set[str] = set()
        self._limit_name = "max_tokens"

    # --- asking -------------------------------------------------------------------------

    def complete(self, request: ChatRequest) -> ChatReply:
        """One reply. Raises RequestRefused (the server said no) or RequestFailed (after all tries)."""
        return self.insist(lambda timeout_s: self._whole(request, self._adapted(request, timeout_s)))

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
        answer = self.post("/chat/completions", body, timeout_s)
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

    # --- for `doctor` -------------------------------------------------------------------

    def as_model(self, name: str) -> OpenAiChat:
        """The same server asked for another model."""
        return OpenAiChat(
            f"{self.endpoint}#{name}", timeout_s=self._timeout_s, concurrency=1, retries=self._retries
        )

    def refused_schema(self, schema: Mapping[str, Any]) -> bool:
        """Whether the server has refused this schema, so that it is no longer sent."""
        return digest(dict(schema)) in self._without_schema


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
