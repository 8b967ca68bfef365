"""A real web server in a thread that holds files, and behaves as badly as a test wants.

with FileServer({"/clips/a.mp4": content}) as server:
    server.url("/clips/a.mp4"), server.place
    server.behave["/clips/a.mp4"] = cut_after(1000)
    server.seen  # (path, headers) of every request
"""

from __future__ import annotations

import hashlib
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[["Handler", bytes], None]


class Handler(BaseHTTPRequestHandler):
    """Answers ranges and If-Range as a good server does."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else an answer on a connection that was used before takes 40 ms more
    server: Any

    def log_message(self, *_: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        owner: FileServer = self.server.owner
        owner.seen.append((self.path, dict(self.headers)))
        path = self.path.partition("?")[0]
        behaviour = owner.behave.get(path)
        content = owner.files.get(path)
        if behaviour:
            behaviour(self, content or b"")
        elif content is None:
            self.answer(404, b"<html><body>secret error page</body></html>")
        else:
            self.give(content)

    def etag(self, content: bytes) -> str:
        return f'"{hashlib.md5(content).hexdigest()}"'

    def give(self, content: bytes, *, upto: int | None = None, etag: bool = True) -> None:
        """The file, or the part that was asked for; cut off at byte `upto` of the whole."""
        start, tag = 0, self.etag(content) if etag else ""
        asked = self.headers.get("Range", "")
        if asked and self.headers.get("If-Range") == tag:
            start = int(asked.removeprefix("bytes=").rstrip("-"))
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(len(content) - start))
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        self.wfile.write(content[start:upto])
        if upto is not None:
            self.wfile.flush()
            self.close_connection = True

    def answer(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def redirect(to: str, status: int = 302) -> Behaviour:
    return lambda handler, _content: handler.answer(status, Location=to)


def status(code: int, body: bytes = b"") -> Behaviour:
    return lambda handler, _content: handler.answer(code, body)


def once(first: Behaviour, then: Behaviour | None = None) -> Behaviour:
    """`first` for the first request, then as `then` or as a good server."""
    asked: list[int] = []

    def behave(handler: Handler, content: bytes) -> None:
        asked.append(1)
        chosen = first if len(asked) == 1 else then
        if chosen:
            chosen(handler, content)
        else:
            handler.give(content)

    return behave


def cut_after(count: int, *, etag: bool = True) -> Behaviour:
    """The connection ends when `count` bytes of the file were sent."""
    return lambda handler, content: handler.give(content, upto=count, etag=etag)


def slow(pause_s: float, piece: int) -> Behaviour:
    """A few bytes now and then."""

    def behave(handler: Handler, content: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        try:
            for start in range(0, len(content), piece):
                handler.wfile.write(content[start : start + piece])
                handler.wfile.flush()
                time.sleep(pause_s)
        except OSError:
            return

    return behave


def endless(handler: Handler, _content: bytes) -> None:
    """Chunks without an end and without a length."""
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"10000\r\n" + bytes(0x10000) + b"\r\n")
    except OSError:
        handler.close_connection = True


class FileServer:
    """Serves `files` ({path: content}) on 127.0.0.1 while the block runs."""

    def __init__(self, files: Mapping[str, bytes], tls: ssl.SSLContext | None = None) -> None:
        self.files = dict(files)
        self.behave: dict[str, Behaviour] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # type: ignore[method-assign]
        self._server.owner = self  # type: ignore[attr-defined]

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self._server.server_port}"

    @property
    def port(self) -> int:
        return self._server.server_port

    def url(self, path: str) -> str:
        return f"http://{self.place}{path}"

    def settings(self, prefix: str = "/", **more: Any) -> dict[str, Any]:
        """Settings of a workspace that allow this server."""
        return {"remote": {"allow": [self.url(prefix)], "private": [self.place], **more}}

    def settings_text(self, prefix: str = "/") -> str:
        return f'[remote]\nallow = ["{self.url(prefix)}"]\nprivate = ["{self.place}"]\n'

    def __enter__(self) -> FileServer:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
