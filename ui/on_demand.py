"""Apps that are imported and created on the first call, so that serving pages does not import them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

from fastapi.concurrency import run_in_threadpool
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from ui.requests.dependencies import Parts


class OnDemand:
    """ASGI app that forwards requests to the app that `make` creates on the first one."""

    def __init__(self, make: Callable[[], Starlette]) -> None:
        self.make = make
        self.app: Starlette | None = None
        self.making = asyncio.Lock()
        self.running = AsyncExitStack()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self.making:
            if self.app is None:
                made = await run_in_threadpool(self.make)
                await self.running.enter_async_context(made.router.lifespan_context(made))
                self.app = made
        await self.app(scope, receive, send)

    async def close(self) -> None:
        """Close the app, if it was created."""
        await self.running.aclose()


def gradio(parts: Parts) -> OnDemand:
    """Gradio's API engine: importing Gradio and creating its routes would take most of the startup time."""

    def make() -> Starlette:
        from ui.api.endpoints.registry import READING, WRITING
        from ui.api.gradio_api import api_app

        return api_app(parts, READING, WRITING)

    return OnDemand(make)


def mcp(parts: Parts) -> OnDemand:
    """The MCP server, for agents."""

    def make() -> Starlette:
        from ui.api.endpoints.registry import READING
        from ui.api.mcp_server import mcp_app

        return mcp_app(parts, READING)

    return OnDemand(make)


def demo(parts: Parts) -> OnDemand:
    """The Demo page."""

    def make() -> Starlette:
        from ui.demo.demo_app import demo_beside_pages

        return demo_beside_pages(parts)

    return OnDemand(make)
