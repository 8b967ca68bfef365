"""A server whose replies take a fixed time, with a fixed number of slots: what surrounds a model, alone.

    with JudgeServer() as server:
        server.url      # http://127.0.0.1:PORT/v1, as vLLM would be asked
        server.calls()  # requests that were answered

It runs in a process of its own and costs a fraction of a millisecond a request, so that the figures are
those of the client. Requests beyond the slots wait, as they do at vLLM and SGLang. It speaks the OpenAI
chat API and what SGLang's own front end asks (`/generate`). Replies depend on the request alone.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import urllib.request
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any
from zlib import crc32

MODEL = "fixed-time"
HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n"


def reply_to(text: str) -> str:
    """A verdict for a judge's prompt, else an answer. Verdicts differ, so that no score is trivial."""
    if "Correct Answer:" not in text:
        return f"answer {crc32(text.encode()) % 1000}"
    score = crc32(text.encode()) % 6
    return str({"pred": "yes" if score >= 3 else "no", "score": score})


class _Server:
    """HTTP/1.1 with kept connections, by hand: a framework would take more time than the client."""

    def __init__(self, seconds: float, slots: int) -> None:
        self.seconds = seconds
        self.slots = asyncio.Semaphore(slots)
        self.calls = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                body = await reader.readexactly(_length(head))
                content = json.dumps(await self.answer(path, body)).encode()
                writer.write(HEAD.format(len(content)).encode() + content)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def answer(self, path: str, body: bytes) -> Any:
        if path.endswith("/chat/completions"):
            return _completion(await self._reply(body))
        if path.endswith("/generate"):
            return {"text": await self._reply(body), "meta_info": {"finish_reason": {"type": "stop"}}}
        if path.endswith("/models"):
            return {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
        if path.endswith("/get_model_info"):
            return {"model_path": MODEL, "is_generation": True}
        return {"calls": self.calls}

    async def _reply(self, body: bytes) -> str:
        """After the time that a model would take; a wait begins when a slot is free."""
        async with self.slots:
            await asyncio.sleep(self.seconds)
        self.calls += 1
        return reply_to(json.dumps(json.loads(body).get("messages", body.decode())))


def _length(head: bytes) -> int:
    named = (line.partition(b":") for line in head.lower().split(b"\r\n"))
    return next((int(value) for name, _, value in named if name == b"content-length"), 0)


def _completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "fixed",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _serve(seconds: float, slots: int, port: int, ready: Connection) -> None:
    async def main() -> None:
        server = _Server(seconds, slots)
        listening = await asyncio.start_server(server.talk, "127.0.0.1", port, backlog=1024)
        ready.send(listening.sockets[0].getsockname()[1])
        await listening.serve_forever()

    asyncio.run(main())


class JudgeServer:
    """The server, while the `with` block is open."""

    def __init__(self, seconds: float = 0.2, slots: int = 64, port: int = 0) -> None:
        """`port` 0 takes a free one."""
        spawning = multiprocessing.get_context("spawn")
        ours, theirs = spawning.Pipe()
        arguments = (seconds, slots, port, theirs)
        self._process = spawning.Process(target=_serve, args=arguments, daemon=True)
        self._ready = ours
        self.port = 0

    def __enter__(self) -> JudgeServer:
        self._process.start()
        if not self._ready.poll(30):
            raise RuntimeError("the server did not start; is its port taken?")
        self.port = self._ready.recv()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def spec(self) -> str:
        """What `--judge` is given."""
        return f"{self.url}#{MODEL}"

    def calls(self) -> int:
        """Requests that were answered so far."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/calls", timeout=10) as answer:
            return int(json.load(answer)["calls"])
