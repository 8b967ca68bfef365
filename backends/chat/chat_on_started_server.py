"""`vllm:MODEL`, `llama:MODEL`: a chat model on a server that Dailies finds or starts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event

from backends.chat.defaults import DEFAULT_CONCURRENCY, DEFAULT_TIMEOUT_S, LONGEST_REPLY
from backends.chat.model_server_process import Running, ServerKind, ServerProcess, server_of
from backends.chat.openai_chat import OpenAiChat
from backends.chat.retries import ServerLost
from backends.errors import RequestFailed
from backends.protocols import ChatReply, ChatRequest, Tell, ignore_progress

ASKED = 3
"""Number of servers that may crash during one request before it fails: it may be the cause."""


class StartedChat:
    """Implements `ChatModel`. Thread-safe. The server starts on first use."""

    baseline = False

    def __init__(
        self,
        spec: str,
        kind: ServerKind,
        folder: Path,
        *,
        timeout_s: float = DEFAULT_TIMEOUT_S,
        concurrency: int = DEFAULT_CONCURRENCY,
        longest_reply: int = LONGEST_REPLY,
    ) -> None:
        self.backend = spec
        self.model, self.endpoint = kind.model, kind.endpoint
        self.concurrency = min(concurrency, kind.most_at_once or concurrency)
        self.on_pressure: Callable[[], None] = lambda: None
        self._timeout_s = max(timeout_s, kind.patience_s)
        self._longest_reply = longest_reply
        self._server: ServerProcess = server_of(spec, kind, folder)
        self._tell: Tell = ignore_progress
        self._stop = Event()
        self._client: tuple[Running, OpenAiChat] | None = None
        self._lock = threading.Lock()

    def check(self) -> str:
        """Describe the server without starting it. Raises BackendUnavailable if its program is missing."""
        running = self._server.look()
        if running:
            return f"{self.model} runs at {running.url}/v1"
        return f"{self._server.kind.program()} starts it when a run needs it; log: {self._server.log}"

    def prepare(self, *, pictures: bool, tell: Tell, stop: Event) -> None:
        """Start the server and wait for it. Raises as `ChatModel.prepare`."""
        self._tell, self._stop = tell, stop
        client = self._now()
        client.prepare(pictures=pictures, tell=lambda said: tell(replace(said, what=self.backend)), stop=stop)

    def complete(self, request: ChatRequest, stop: Event | None = None) -> ChatReply:
        """Return the reply; if the server crashes meanwhile, send the request again to the next server."""
        for _ in range(ASKED):
            client = self._now()
            try:
                return client.complete(request, stop)
            except ServerLost as error:
                why = error
        raise RequestFailed(
            f"{self.backend}: the server crashed {ASKED} times during this request ({why}); see its log "
            f"{self._server.log}"
        )

    def running(self) -> OpenAiChat | None:
        """Return a client of the running server, if any; starts nothing."""
        return self._client_of(running) if (running := self._server.look()) else None

    def close(self) -> None:
        """Close the connections; the server runs until this program ends, for the next run."""
        with self._lock:
            client, self._client = self._client, None
        if client:
            client[1].close()

    def _now(self) -> OpenAiChat:
        """Return a client of the current server; wait while the server starts."""
        return self._client_of(self._server.ready(self._tell, self._stop))

    def _client_of(self, running: Running) -> OpenAiChat:
        with self._lock:
            if self._client is None or self._client[0] != running:
                client = OpenAiChat(
                    f"{running.url}/v1#{self.model}",
                    timeout_s=self._timeout_s,
                    concurrency=self.concurrency,
                    on_pressure=lambda: self.on_pressure(),
                    lost=lambda: self._server.lost(running),
                    longest_reply=self._longest_reply,
                )
                client.served_models()  # also reads the context length
                self._client = (running, client)
            return self._client[1]
