"""A real OpenAI-compatible HTTP server in a thread, that behaves as a test wants.

    with ChatServer(normal("{'pred': 'yes', 'score': 4}")) as server:
        model = chat_model(server.spec)
        ...
        assert server.seen[0].images == [jpeg]

A behaviour is a function from what was asked (`Seen`) to a `Reply`, or to a text for short.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Seen:
    """One request."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    number: int
    """Chat requests are counted from 1."""

    @property
    def system(self) -> str:
        return "\n".join(m["content"] for m in self.body["messages"] if m["role"] == "system")

    @property
    def parts(self) -> list[Mapping[str, Any]]:
        """Content parts of the user messages, in order."""
        found: list[Mapping[str, Any]] = []
        for message in self.body["messages"]:
            if message["role"] == "user":
                content = message["content"]
                found += [{"type": "text", "text": content}] if isinstance(content, str) else content
        return found

    @property
    def user(self) -> str:
        return "\n".join(part["text"] for part in self.parts if part["type"] == "text")

    @property
    def images(self) -> list[bytes]:
        """Pictures of the request, decoded from their data URLs, in order."""
        urls = [part["image_url"]["url"] for part in self.parts if part["type"] == "image_url"]
        return [base64.b64decode(url.partition(",")[2], validate=True) for url in urls]

    @property
    def schema(self) -> Mapping[str, Any] | None:
        given = self.body.get("response_format")
        return given["json_schema"]["schema"] if given else None


@dataclass(frozen=True)
class Reply:
    """What the server does with one request."""

    text: str | None = ""
    finish_reason: str = "stop"
    status: int = 200
    error: str = ""
    """The server's message, for a status that is not 200."""
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    """Sent instead of a completion."""
    delay_s: float = 0.0
    drop: bool = False
    """Cut the connection in the middle of the body."""
    message: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the message, such as `reasoning_content`."""
    usage: Mapping[str, int] = field(default_factory=dict)
    """What differs from the usual counts of tokens."""


Behaviour = Callable[[Seen], Reply | str]


# --- behaviours ---------------------------------------------------------------------------


def normal(text: str) -> Behaviour:
    return lambda seen: text


def empty() -> Behaviour:
    """A reply whose content is null; what the model thought is beside it."""
    return lambda seen: Reply(text=None, message={"reasoning_content": "hm, {'pred': 'yes', 'score': 5}"})


def slow(seconds: float, then: Behaviour) -> Behaviour:
    def behave(seen: Seen) -> Reply | str:
        time.sleep(seconds)
        return then(seen)

    return behave


def cut_off(text: str) -> Behaviour:
    return lambda seen: Reply(text=text, finish_reason="length")


def always(reply: Reply) -> Behaviour:
    return lambda seen: reply


def first(times: int, reply: Reply, then: Behaviour) -> Behaviour:
    """`reply` to the first `times` requests, then as `then`."""
    return lambda seen: reply if seen.number <= times else then(seen)


def rate_limited(times: int, retry_after: str, then: Behaviour) -> Behaviour:
    headers = {"Retry-After": retry_after} if retry_after else {}
    return first(times, Reply(status=429, error="Too many requests", headers=headers), then)


def failing(status: int = 500, error: str = "Internal server error") -> Behaviour:
    return always(Reply(status=status, error=error))


def refusing(error: str, status: int = 400) -> Behaviour:
    return always(Reply(status=status, error=error))


def schema_refusing(then: Behaviour) -> Behaviour:
    def behave(seen: Seen) -> Reply | str:
        if seen.schema is not None:
            return Reply(status=400, error="response_format of type json_schema is not supported")
        return then(seen)

    return behave


def blind(then: Behaviour) -> Behaviour:
    """A model without vision, in vLLM's words."""

    def behave(seen: Seen) -> Reply | str:
        return Reply(status=400, error="tiny is not a multimodal model") if seen.images else then(seen)

    return behave


def few_images(most: int, then: Behaviour) -> Behaviour:
    def behave(seen: Seen) -> Reply | str:
        if len(seen.images) > most:
            return Reply(status=400, error=f"At most {most} image(s) may be provided in one prompt.")
        return then(seen)

    return behave


def small_context(images: int, then: Behaviour) -> Behaviour:
    """So many pictures fit; how many is not said, as by vLLM."""

    def behave(seen: Seen) -> Reply | str:
        if len(seen.images) > images:
            error = "The prompt (9000 tokens) is longer than the maximum model length of 4096. Shorten it."
            return Reply(status=400, error=error)
        return then(seen)

    return behave


def counting_tokens(per_image: int, text: str = "fine", most: int = 1 << 30) -> Behaviour:
    """Pictures cost `per_image` tokens; what goes over `most` is thrown away without a word."""

    def behave(seen: Seen) -> Reply:
        return Reply(text=text, usage={"prompt_tokens": min(most, 20 + per_image * len(seen.images))})

    return behave


def white_space_loops(then: Behaviour) -> Behaviour:
    """With a schema, line breaks until the reply is cut off."""

    def behave(seen: Seen) -> Reply | str:
        if seen.schema is not None:
            return Reply(text='{"pred":' + "\n" * 40, finish_reason="length")
        return then(seen)

    return behave


def scripted(*cases: tuple[Callable[[Seen], bool], Behaviour]) -> Behaviour:
    """The first case whose test is true answers; a request that none takes is refused."""

    def behave(seen: Seen) -> Reply | str:
        for takes, answer in cases:
            if takes(seen):
                return answer(seen)
        return Reply(status=400, error=f"nothing is scripted for: {seen.user[:80]}")

    return behave


def mentions(words: str) -> Callable[[Seen], bool]:
    return lambda seen: words in seen.system or words in seen.user


def has_images(seen: Seen) -> bool:
    return bool(seen.images)


# --- the server ---------------------------------------------------------------------------


class ChatServer:
    """Serves `/v1/models` and `/v1/chat/completions`; `behaviour` may be changed while it runs."""

    def __init__(
        self,
        behaviour: Behaviour,
        *,
        models: Sequence[str] = ("tiny",),
        key: str = "",
        any_model: bool = False,
        context: int | None = None,
        port: int = 0,
    ) -> None:
        self.behaviour = behaviour
        self.models = list(models)
        self.any_model = any_model
        """Whether it answers under names that it does not list."""
        self.context = context
        """Tokens of prompt and reply, as vLLM's list of models says them."""
        self.key = key
        """When set, requests without it get 401."""
        self.seen: list[Seen] = []
        """Chat requests in the order of their arrival."""
        self.probes: list[Seen] = []
        """Requests for a single token: they find out what the server takes, and are not among `seen`."""
        self.paths: list[str] = []
        """Every request's path, `/v1/models` too."""
        self.most_in_flight = 0
        self._in_flight = 0
        self._lock = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"chat": self}))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def spec(self) -> str:
        return f"{self.url}#{self.models[0]}"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> Reply:
        with self._lock:
            seen = Seen(path, headers, body, len(self.seen) + 1)
            (self.probes if body.get("max_tokens") == 1 else self.seen).append(seen)
            self._in_flight += 1
            self.most_in_flight = max(self.most_in_flight, self._in_flight)
        try:
            if body.get("model") not in self.models and not self.any_model:
                return Reply(status=404, error=f"The model `{body.get('model')}` does not exist.")
            reply = self.behaviour(seen)
            return Reply(text=reply) if isinstance(reply, str) else reply
        finally:
            with self._lock:
                self._in_flight -= 1


def _completion(seen_model: str, reply: Reply) -> bytes:
    message = {"role": "assistant", "content": reply.text, **reply.message}
    choice = {"index": 0, "message": message, "finish_reason": reply.finish_reason}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18, **reply.usage}
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": seen_model,
        "choices": [choice],
        "usage": usage,
    }
    return json.dumps(document).encode()


class _Handler(BaseHTTPRequestHandler):
    chat: ChatServer
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else an answer on a connection that was used before takes 40 ms more

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""

    def do_GET(self) -> None:
        self.chat.paths.append(self.path)
        if not self._allowed():
            return
        if self.path != "/v1/models":
            self._send(Reply(status=404, error="Not Found"), b"")
            return
        more = {"max_model_len": self.chat.context} if self.chat.context else {}
        data = [
            {"id": m, "object": "model", "created": 0, "owned_by": "test"} | more for m in self.chat.models
        ]
        self._send(Reply(), json.dumps({"object": "list", "data": data}).encode())

    def do_POST(self) -> None:
        self.chat.paths.append(self.path)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self._allowed():
            return
        reply = self.chat.answer(self.path, dict(self.headers), body)
        time.sleep(reply.delay_s)
        self._send(reply, _completion(str(body.get("model")), reply))

    def _allowed(self) -> bool:
        if self.chat.key and self.headers.get("Authorization") != f"Bearer {self.chat.key}":
            self._send(Reply(status=401, error="Incorrect API key provided"), b"")
            return False
        return True

    def _send(self, reply: Reply, document: bytes) -> None:
        if reply.status != 200:
            error = {"message": reply.error, "type": "error", "param": None, "code": reply.status}
            document = json.dumps({"error": error}).encode()
        document = reply.raw if reply.raw is not None else document
        try:
            self._write(reply, document)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client gave up waiting

    def _write(self, reply: Reply, document: bytes) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(document)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.drop:
            self.wfile.write(document[: len(document) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        else:
            self.wfile.write(document)
