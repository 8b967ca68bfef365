"""Gradio's API engine, imported and made when it is first called."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.requests.dependencies import Parts


class GradioOnDemand:
    """ASGI: answers every path that is none of ours.

    Importing Gradio and making its routes is most of what a start would take, and pages need none of it.
    """

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.app: ASGIApp | None = None
        self.making = asyncio.Lock()
        self.running = AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self.making:
            if self.app is None:
                made = await run_in_threadpool(_made, self.parts)
                await self.running.enter_async_context(made.router.lifespan_context(made))
                self.app = made
        await self.app(scope, receive, send)

    async def close(self) -> None:
        """Ends it, where it was made."""
        await self.running.aclose()


def _made(parts: Parts) -> FastAPI:
    from ui.api.endpoints.registry import READING, WRITING
    from ui.api.gradio_api import api_app

    return api_app(parts, READING, WRITING)
