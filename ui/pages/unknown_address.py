"""The error page for unknown addresses; programs, and requests of pages, get JSON."""

from __future__ import annotations

import re
from functools import cache

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.pages.html_documents import document
from ui.pages.page_list import PAGES, path_of

NO_PAGE = re.compile(r"/(api|media|app|gradio_api|mcp|demo/(gradio_api|assets|static|svelte))/")
"""Addresses for programs: an unknown one is answered in JSON."""
TITLES = {400: "Invalid address", 404: "Page not found"}
NO_ROUTE = (b'{"detail":"Not Found"}', b'{"detail":"Method Not Allowed"}')
"""FastAPI's response for an address without a route, or without one for the method."""
IN_JSON = {
    404: "address not found; /docs lists the addresses of the API",
    405: "this address does not support this method",
}


class UnknownAddress:
    """ASGI middleware: an unknown address returns a page to people, and one line of JSON to programs.

    Error responses of the routes themselves are not changed for programs.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        held: Message | None = None
        replaced = False

        async def answer(message: Message) -> None:
            nonlocal held, replaced
            if message["type"] == "http.response.start" and _may_be_unknown(message):
                held = message
            elif held is None:
                if not replaced:
                    await send(message)
            elif instead := _instead(held["status"], message.get("body", b""), typed=_is_typed(scope)):
                held, replaced = None, True
                await instead(scope, receive, send)
            else:
                start, held = held, None
                await send(start)
                await send(message)

        await self.app(scope, receive, answer)


def _may_be_unknown(start: Message) -> bool:
    kind = Headers(raw=start["headers"]).get("content-type", "")
    return start["status"] in TITLES.keys() | IN_JSON.keys() and "json" in kind


def _instead(status: int, body: bytes, *, typed: bool) -> Response | None:
    """The response in place of an answer in JSON; None: it is not replaced."""
    if typed and status in TITLES:
        return HTMLResponse(unknown_address(status), status, headers={"Cache-Control": "no-store"})
    return JSONResponse({"error": IN_JSON[status]}, status) if body in NO_ROUTE else None


def _is_typed(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and not NO_PAGE.match(scope["path"])
        and "text/html" in Headers(scope=scope).get("accept", "")
    )


@cache
def unknown_address(status: int) -> str:
    links = "".join(f'<a class="dl-button" href="{path_of(page)}">{page.label}</a>' for page in PAGES)
    return document(
        "Page not found · Dailies",
        '<div class="dl-root dl-login-root"><main class="dl-empty dl-welcome"><h1>'
        f"{TITLES[status]}</h1><p>The address may be mistyped, or the page was removed.</p>"
        f'<nav class="dl-row" aria-label="Pages">{links}</nav></main></div>',
    )
