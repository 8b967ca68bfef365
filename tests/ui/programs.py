"""What programs send to the endpoints of Gradio's API, without its client in between."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from typing import Any

import httpx

from ui.api.endpoints.registry import READING, WRITING

ENDPOINTS = {endpoint.__name__: endpoint for endpoint in (*READING, *WRITING)}


def data_of(name: str, given: Mapping[str, Any]) -> list[Any]:
    """Arguments by name, in their order, the rest as they are when they are left out."""
    parameters = list(inspect.signature(ENDPOINTS[name]).parameters.values())[1:]
    return [given.get(p.name, None if p.default is p.empty else p.default) for p in parameters]


def call(client: httpx.Client, name: str, given: Mapping[str, Any]) -> tuple[str, Any]:
    """`complete` and the (last) answer, `error` and its line, or the status and what was said."""
    asked = client.post(f"/gradio_api/call/{name}", json={"data": data_of(name, given)})
    if asked.status_code != 200:
        return str(asked.status_code), asked.json()
    answered = client.get(f"/gradio_api/call/{name}/{asked.json()['event_id']}")
    last = [block for block in answered.text.split("\n\n") if block and "heartbeat" not in block][-1]
    event, data = (line.partition(": ")[2] for line in last.split("\n"))
    told = json.loads(data)
    return event, told[0] if event == "complete" else told


def upload(client: httpx.Client, name: str, content: bytes) -> dict[str, Any]:
    """A file as an endpoint takes it."""
    (path,) = client.post("/gradio_api/upload", files=[("files", (name, content))]).json()
    return {"path": path, "meta": {"_type": "gradio.FileData"}}
