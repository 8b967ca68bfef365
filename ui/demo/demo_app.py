"""The Demo page as an app: beside the other pages, or alone for the public (`serve --demo-only`)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path
from threading import Thread

import gradio as gr
from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, RedirectResponse
from gradio.utils import get_upload_folder
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from annotation.people.permissions import require
from annotation.stages.stage_context import Engines
from annotation.systems.carebench.split_checks import tagging
from annotation.workspace.limit_settings import Limits
from ui.api.idle_queue import IdleQueue
from ui.api.known_endpoints import KnownEndpoints
from ui.api.own_calls import OwnCalls
from ui.demo.clips.demo_clips import DemoClips
from ui.demo.clips.demo_files import OwnFiles, Uploads
from ui.demo.demo_page import STYLE, DemoPage
from ui.requests.dependencies import Parts
from ui.requests.request_size_limits import DEMO, ShortRequests

FAVICON = Path(__file__).resolve().parents[1] / "lib" / "favicon.png"
HEARTBEAT = "/gradio_api/heartbeat/"
SWEEP_S = 60.0
"""Longest time between two sweeps."""
FONTS = ("system-ui", "sans-serif")
"""Gradio's default fonts come from an outside host."""


def demo_app(
    engines: Callable[[], Engines],
    limits: Limits,
    who: Callable[[Request], str],
    *,
    public: bool,
    pages: bool,
) -> tuple[FastAPI, DemoPage]:
    """An app with only the page at /demo. The arguments are those of `DemoPage`."""
    files = OwnFiles(Path(get_upload_folder()).resolve(), limits)
    page = DemoPage(engines, limits, files, who, public=public, pages=pages)
    Thread(target=tagging.PIPELINE.get, daemon=True).start()

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(_sweep(page))
        yield
        sweeping.cancel()
        await run_in_threadpool(page.close)
        files.close()

    app: FastAPI = gr.mount_gradio_app(
        FastAPI(openapi_url=None, lifespan=lifespan),
        page.blocks,
        path=DEMO,
        root_path=DEMO,  # otherwise the addresses of files in answers without the queue lack it
        max_file_size=limits.demo,
        theme=_theme(),
        css=STYLE,
        footer_links=[],
        run_history=False,
        enable_monitoring=False,
        show_error=True,
        ssr_mode=False,
    )
    IdleQueue(page.blocks._queue)
    app.add_middleware(KnownEndpoints, blocks=page.blocks)
    app.add_middleware(Uploads, files=files, who=who)
    app.add_middleware(OpenPages, clips=page.clips)
    return app, page


class OpenPages:
    """ASGI middleware that follows which pages are open: each has a connection to Gradio's heartbeat.

    Gradio's own `unload` event does not run if the connection breaks.
    """

    def __init__(self, app: ASGIApp, clips: DemoClips) -> None:
        self.app, self.clips = app, clips

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, is_heartbeat, session = scope.get("path", "").partition(HEARTBEAT)
        with self.clips.open_page(session) if is_heartbeat else nullcontext():
            await self.app(scope, receive, send)


async def _sweep(page: DemoPage) -> None:
    while True:
        await asyncio.sleep(min(SWEEP_S, 60 * page.limits.demo_minutes))
        await run_in_threadpool(page.clips.sweep)


def _theme() -> gr.themes.Default:
    """Gradio's theme with the blue of the pages, and contrasts of at least 4.5 to 1."""
    theme = gr.themes.Default(primary_hue="blue", font=FONTS, font_mono=FONTS)
    return theme.set(
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_800",
        body_text_color_subdued="*neutral_600",
        body_text_color_subdued_dark="*neutral_300",
    )


def demo_beside_pages(parts: Parts) -> FastAPI:
    """The Demo page for people who may run stages; their clips and calls are private."""

    def who(request: Request) -> str:
        return require(parts.door.person(request), "run").id

    app, page = demo_app(parts.engines, parts.workspace.limits, who, public=parts.door.locked, pages=True)
    app.add_middleware(OwnCalls, door=parts.door, queue=page.blocks._queue)
    return app


def demo_alone(engines: Callable[[], Engines], limits: Limits, *, public: bool = True) -> FastAPI:
    """The Demo page for everyone: without login and workspace videos; nothing is stored.

    `public`: visitors' own models must have public addresses.
    """
    app, _ = demo_app(engines, limits, lambda _request: "", public=public, pages=False)
    app.add_middleware(ShortRequests, limits=limits)

    @app.api_route("/healthz", methods=["GET", "HEAD"])
    def healthz() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/favicon.ico")
    def favicon() -> FileResponse:
        return FileResponse(FAVICON)

    @app.get("/")
    def start() -> RedirectResponse:
        return RedirectResponse(f"{DEMO}/")

    return app
