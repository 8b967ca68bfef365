"""A model server that does everything wrong, one way at a time.

    with HostileServer("echo of the prompt's end") as server:
        ...                                   # server.spec is what a run is given as its judge

It writes its replies byte by byte onto the socket, so that it can also break HTTP. What must come of each
way for a judge's reply is in `MODES`.
"""

from __future__ import annotations

import gzip
import itertools
import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

GOOD = "{'pred': 'no', 'score': 1}"
EXAMPLE = "{'pred': 'yes', 'score': 4.8}"
TRICKLE_S = 0.2
_numbers = itertools.count()


class Talk:
    """One request, and the socket that it came by."""

    def __init__(
        self, server: HostileServer, sock: socket.socket, body: Mapping[str, Any], number: int
    ) -> None:
        self.server = server
        self.sock = sock
        self.body = body
        self.number = number
        """How often this very request came, from 1."""

    @property
    def user(self) -> str:
        return str(self.body["messages"][-1]["content"])

    @property
    def prompt(self) -> str:
        return "\n".join(str(message["content"]) for message in self.body["messages"])

    def text(self, text: str | None, finish_reason: object = "stop", **message: Any) -> None:
        """A completion with this text."""
        choice: dict[str, Any] = {"index": 0, "message": {"role": "assistant", "content": text, **message}}
        if finish_reason != "leave out":
            choice["finish_reason"] = finish_reason
        self.document({"object": "chat.completion", "choices": [choice], "usage": {"total_tokens": 18}})

    def document(self, value: Any) -> None:
        self.raw(json.dumps(value).encode())

    def raw(self, body: bytes, status: str = "200 OK", length: int | None = None, **headers: str) -> None:
        named = {
            "Content-Type": "application/json",
            "Content-Length": str(len(body) if length is None else length),
        }
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
        self.sock.sendall(f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body)

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def forever(self, piece: bytes, pause_s: float = 0.0) -> None:
        """Until the client is gone or the server ends."""
        while not self.server.over.wait(pause_s):
            self.sock.sendall(piece)


Behave = Callable[[Talk], None]


@dataclass(frozen=True)
class Mode:
    """One way to go wrong."""

    behave: Behave
    state: str
    """What a verdict must become: `unparsed`, `failed`, or `done` where the reply is a good one after all."""
    slow: bool = False
    """Whether each try runs into a time-out or moves many megabytes."""


def says(text: str, finish_reason: object = "stop", **message: Any) -> Behave:
    return lambda talk: talk.text(text, finish_reason, **message)


def _first_bad(times: int, status: str) -> Behave:
    def behave(talk: Talk) -> None:
        if talk.number <= times:
            talk.raw(b'{"error": {"message": "later"}}', status)
        else:
            talk.text(GOOD)

    return behave


def _huge(size: int) -> Behave:
    def behave(talk: Talk) -> None:
        around = b'{"choices": [{"index": 0, "message": {"role": "assistant", "content": "', b'"}}]}'
        head = f"HTTP/1.1 200 OK\r\nContent-Length: {size + sum(map(len, around))}\r\n\r\n".encode()
        talk.send(head + around[0])
        for _ in range(size // (1 << 20)):
            talk.send(b"y" * (1 << 20))
        talk.send(b"y" * (size % (1 << 20)) + around[1])

    return behave


def _endless(talk: Talk) -> None:
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + b'{"choices": [{"message": "')
    talk.forever(b"y" * 65_536)


def _endless_events(talk: Talk) -> None:
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    event = b'data: {"choices": [{"delta": {"content": "yes"}}]}\n\n'
    talk.forever(b"%x\r\n%s\r\n" % (len(event), event), 0.01)


def _endless_error(talk: Talk) -> None:
    talk.send(b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n")
    talk.forever(b"no " * 20_000)


def _trickle(talk: Talk) -> None:
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n{")
    talk.forever(b" ", TRICKLE_S)


def _slow_headers(talk: Talk) -> None:
    talk.send(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    talk.forever(b"a", TRICKLE_S)


def _continue_forever(talk: Talk) -> None:
    talk.forever(b"HTTP/1.1 100 Continue\r\n\r\n", 0.001)


def _hang(talk: Talk) -> None:
    talk.server.over.wait()


def _reset(talk: Talk) -> None:
    talk.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b'{"choices": [{"message"')
    talk.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise ConnectionAbortedError  # the socket is closed, and says so with a reset


def _bomb(talk: Talk) -> None:
    talk.raw(_bomb_bytes(), Content_Encoding="gzip")


@cache
def _bomb_bytes() -> bytes:
    return gzip.compress(b'{"choices": [{"message": {"content": "' + b"y" * 50_000_000 + b'"}}]}', 6)


def _wrong_length(talk: Talk) -> None:
    body = json.dumps({"choices": [{"message": {"content": GOOD}}]}).encode()
    talk.raw(body, length=len(body) - 20)
    talk.sock.shutdown(socket.SHUT_RDWR)


def _too_much_promised(talk: Talk) -> None:
    body = json.dumps({"choices": [{"message": {"content": GOOD}}]}).encode()
    talk.raw(body, length=len(body) + 100)
    talk.sock.shutdown(socket.SHUT_RDWR)


def _redirect(talk: Talk) -> None:
    talk.raw(b"", "302 Found", Location="http://127.0.0.2:9/v1/chat/completions")


MODES: dict[str, Mode] = {
    # Words that are no verdict
    "echo of the whole prompt": Mode(lambda talk: talk.text(talk.prompt), "unparsed"),
    "echo of the prompt's end": Mode(lambda talk: talk.text(talk.prompt[-400:]), "unparsed"),
    "echo of the last 45 characters": Mode(lambda talk: talk.text(talk.prompt[-45:]), "unparsed"),
    "echo behind words of its own": Mode(
        lambda talk: talk.text("Sure! " + talk.prompt[-80:] + " I hope this helps."), "unparsed"
    ),
    "example named": Mode(says(f"An example of the format would be {EXAMPLE}."), "unparsed"),
    "example named behind": Mode(says("{'pred': 'yes', 'score': 5} is just an example."), "unparsed"),
    "refusal": Mode(says("I'm sorry, but I cannot judge this pair."), "unparsed"),
    "refusal with a dictionary": Mode(says("I cannot judge this. {'pred': 'yes', 'score': 5}"), "unparsed"),
    "refusal inside the dictionary": Mode(
        says("{'pred': 'no', 'score': 0, 'reason': 'I am unable to evaluate this'}"), "unparsed"
    ),
    "refusal with an example": Mode(
        says("I cannot judge this. An example would be {'pred': 'yes', 'score': 5}."), "unparsed"
    ),
    "two verdicts": Mode(says("{'pred': 'yes', 'score': 5} or {'pred': 'no', 'score': 0}"), "unparsed"),
    "length inside the dictionary": Mode(says("{'pred': 'yes', 'sco", "length"), "unparsed"),
    "length before the dictionary": Mode(says("Let me think. The score may be", "length"), "unparsed"),
    "length behind a verdict in words": Mode(says("Pred: yes Score: 4", "length"), "unparsed"),
    "line breaks until cut off": Mode(says('{"pred":' + "\n" * 5000, "length"), "unparsed"),
    "reasoning alone": Mode(says("<think>{'pred': 'yes', 'score': 5}"), "unparsed"),
    "empty content": Mode(says(""), "unparsed"),
    "null content": Mode(lambda talk: talk.text(None), "unparsed"),
    "tool calls alone": Mode(
        lambda talk: talk.text(
            None,
            "tool_calls",
            tool_calls=[
                {
                    "id": "1",
                    "type": "function",
                    "function": {"name": "verdict", "arguments": '{"pred": "yes", "score": 5}'},
                }
            ],
        ),
        "unparsed",
    ),
    "reasoning_content alone": Mode(
        lambda talk: talk.text(None, "stop", reasoning_content="{'pred': 'yes', 'score': 5}"), "unparsed"
    ),
    "content is a list": Mode(
        lambda talk: talk.document({"choices": [{"message": {"content": [{"text": GOOD}]}}]}), "unparsed"
    ),
    "braces": Mode(says("{" * 200_000), "unparsed"),
    "content_filter": Mode(says("{'pred': 'yes', 'score': 5}", "content_filter"), "failed"),
    "content_filter without a word": Mode(says("", "content_filter"), "failed"),
    # Good verdicts in odd wrapping
    "the bare example": Mode(says(EXAMPLE), "done"),
    "a contradiction": Mode(says("{'pred': 'no', 'score': 5}"), "done"),
    "no finish_reason": Mode(says(GOOD, "leave out"), "done"),
    "unknown finish_reason": Mode(says(GOOD, "eos_token_" + "x" * 5000), "done"),
    "finish_reason is a dictionary": Mode(says(GOOD, {"type": "stop", "matched": 2}), "done"),
    "length behind the dictionary": Mode(says(GOOD + " The predicted", "length"), "done"),
    "lone surrogate": Mode(says(GOOD + " half a \ud83d character"), "done"),
    "NUL": Mode(says(GOOD + " \0 and \\u0000"), "done"),
    "usage of another world": Mode(
        lambda talk: talk.raw(
            b'{"choices": [{"message": {"content": "%s"}}], '
            b'"usage": {"a\\u0000": NaN, "b": 1e999, "c": [[[]]]}}' % GOOD.encode()
        ),
        "done",
    ),
    "429 without Retry-After": Mode(_first_bad(2, "429 Too Many Requests"), "done"),
    "500 twice, then well": Mode(_first_bad(2, "500 Internal Server Error"), "done"),
    # No reply at all
    "no choices": Mode(lambda talk: talk.document({"choices": []}), "failed"),
    "choices null": Mode(lambda talk: talk.document({"choices": None}), "failed"),
    "wrong JSON": Mode(lambda talk: talk.raw(b'{"choices": [{"message": '), "failed"),
    "deep JSON": Mode(lambda talk: talk.raw(b"[" * 200_000), "failed"),
    "HTML": Mode(lambda talk: talk.raw(b"<html>Sign in</html>", Content_Type="text/html"), "failed"),
    "connection reset midway": Mode(_reset, "failed"),
    "content-length too small": Mode(_wrong_length, "failed"),
    "content-length too large": Mode(_too_much_promised, "failed"),
    "redirect to another host": Mode(_redirect, "failed"),
    "header without end": Mode(
        lambda talk: talk.send(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 200_000 + b"\r\n\r\n"), "failed"
    ),
    "two megabytes of text": Mode(_huge(2 << 20), "failed"),
    "gzip bomb": Mode(_bomb, "failed", slow=True),
    "20 MB": Mode(_huge(20 << 20), "failed", slow=True),
    "100 MB": Mode(_huge(100 << 20), "failed", slow=True),
    "endless": Mode(_endless, "failed", slow=True),
    "endless events": Mode(_endless_events, "failed", slow=True),
    "endless error": Mode(_endless_error, "failed", slow=True),
    "endless 100 Continue": Mode(_continue_forever, "failed", slow=True),
    "trickle": Mode(_trickle, "failed", slow=True),
    "slow headers": Mode(_slow_headers, "failed", slow=True),
    "never answers": Mode(_hang, "failed", slow=True),
}


class HostileServer:
    """Serves `/v1/models` honestly and chat completions in one mode, or per request as `choose` says."""

    def __init__(self, mode: str, choose: Callable[[str], str] | None = None) -> None:
        self.mode = mode
        self.choose = choose or (lambda _user: mode)
        self.over = threading.Event()
        self.asked = 0
        """Chat requests that came."""
        self._times: dict[str, int] = {}
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self._number = next(_numbers)
        self._thread = threading.Thread(target=self._accept, daemon=True)

    @property
    def spec(self) -> str:
        """Of a model that no other server had: ports come back, and calls are cached by port and model."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1#hostile-{self._number}"

    def __enter__(self) -> HostileServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.over.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _accept(self) -> None:
        while not self.over.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        with sock, sock.makefile("rb") as stream, suppress(OSError, ValueError):
            while (line := stream.readline()) and not self.over.is_set():
                length = 0
                while header := stream.readline().strip():
                    name, _, value = header.partition(b":")
                    length = int(value) if name.lower() == b"content-length" else length
                self._answer(line.split()[0], sock, stream.read(length))

    def _answer(self, method: bytes, sock: socket.socket, body: bytes) -> None:
        if method == b"GET":
            listed = {"object": "list", "data": [{"id": f"hostile-{self._number}", "object": "model"}]}
            Talk(self, sock, {}, 1).document(listed)
            return
        asked = json.loads(body)
        user = str(asked["messages"][-1]["content"])
        with self._lock:
            self.asked += 1
            number = self._times[user] = self._times.get(user, 0) + 1
        MODES[self.choose(user)].behave(Talk(self, sock, asked, number))
