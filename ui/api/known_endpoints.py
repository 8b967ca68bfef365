"""Answers calls of unknown endpoints with 404 and one line of JSON; Gradio would answer 500."""

from __future__ import annotations

import json
import re
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

NAMED = re.compile(r"/gradio_api/(?:run|api|call(?:/v2)?)/(?P<name>[^/]+)/?$")
JOIN = re.compile(r"/gradio_api/queue/join/?$")


class KnownEndpoints:
    """ASGI middleware around Gradio's app of these blocks."""

    def __init__(self, app: ASGIApp, blocks: Any) -> None:
        self.app, self.blocks = app, blocks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = NAMED.search(scope.get("path", ""))
        if scope["type"] != "http" or scope["method"] != "POST" or not (named or JOIN.search(scope["path"])):
            await self.app(scope, receive, send)
            return
        try:
            body = json.loads(await Request(scope, receive).body())
        except (ValueError, RecursionError):
            await JSONResponse({"error": "the body is not JSON"}, 400)(scope, receive, send)
            return
        missing = self._missing(named["name"] if named else None, body)
        if missing:
            words = f"endpoint {missing[:80]!r} not found; gradio_api/info lists all endpoints"
            await JSONResponse({"error": words}, 404)(scope, receive, send)
            return
        await self.app(*with_body(scope, receive, body), send)

    def _missing(self, name: str | None, body: object) -> str:
        """The name of the called endpoint if it does not exist; empty if it exists or none is named."""
        fns = self.blocks.fns
        index = body.get("fn_index") if isinstance(body, dict) else None
        if isinstance(index, int) and index not in fns:
            return str(index)
        by_name = index is None and name is not None
        return str(name) if by_name and all(fn.api_name != name for fn in fns.values()) else ""


def with_body(scope: Scope, receive: Receive, body: object) -> tuple[Scope, Receive]:
    """The request with this JSON as its body; later messages come from `receive`, so disconnects are seen."""
    content = json.dumps(body).encode()
    changed = {**scope, "headers": list(scope["headers"])}
    MutableHeaders(scope=changed)["content-length"] = str(len(content))
    chunks = iter((content,))

    async def again() -> Message:
        for part in chunks:
            return {"type": "http.request", "body": part, "more_body": False}
        return await receive()

    return changed, again
