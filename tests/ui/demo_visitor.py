"""Somebody on the Demo page, by the requests that it makes."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

FILE = {"_type": "gradio.FileData"}


class Visitor:
    """One open Demo page."""

    def __init__(self, url: str, **more: Any) -> None:
        """`more` goes to the client: cookies of a login."""
        self.client = httpx.Client(base_url=url, timeout=300, **more)
        self.session = secrets.token_hex(6)

    def config(self) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get("/demo/config").json()
        return found

    def upload(self, file: Path) -> httpx.Response:
        with file.open("rb") as content:
            return self.client.post("/demo/gradio_api/upload", files={"files": (file.name, content)})

    def join(self, name: str, data: list[Any]) -> httpx.Response:
        """Call one of the page's functions."""
        number = next(one["id"] for one in self.config()["dependencies"] if one["api_name"] == name)
        words = {"data": data, "fn_index": number, "session_hash": self.session}
        return self.client.post("/demo/gradio_api/queue/join", json=words)

    def run(self, clip: str, *model: str) -> httpx.Response:
        """`model`: address, name and key of the visitor's own."""
        own = model or ("", "", "")
        return self.join("_run", [{"path": clip, "meta": FILE}, None, *own])

    @contextmanager
    def open(self) -> Iterator[None]:
        """The page is open: a browser keeps a connection to its heartbeat."""
        with self.client.stream("GET", f"/demo/gradio_api/heartbeat/{self.session}") as answer:
            lines = answer.iter_lines()  # the connection ends with it
            next(lines)
            yield

    def told(self) -> Iterator[dict[str, Any]]:
        """What comes until the call is over."""
        words = {"session_hash": self.session}
        with self.client.stream("GET", "/demo/gradio_api/queue/data", params=words) as answer:
            for line in answer.iter_lines():
                if line.startswith("data:"):
                    yield json.loads(line[5:])

    def outcome(self) -> dict[str, Any]:
        """The last word of a call: `success`, and what it ends with."""
        return [one for one in self.told() if one["msg"] == "process_completed"][-1]
