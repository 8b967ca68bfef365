"""Requests that are still running when the server stops: 503 in place of a traceback in the log."""

from __future__ import annotations

import asyncio

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class EndWithServer:
    """The outermost ASGI middleware. uvicorn cancels requests that outlast its graceful shutdown."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self.app(scope, receive, answer if scope["type"] == "http" else send)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            if not started:
                await JSONResponse({"error": "the server is stopping"}, 503)(scope, receive, send)
