"""The page for an address that leads nowhere; programs, and what pages ask for, get JSON."""

from __future__ import annotations

import re
from functools import cache

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.lib.html_documents import document
from ui.pages.page_routes import PAGES, address_of

NO_PAGE = re.compile(r"/(api|media|app|gradio_api|demo|mcp)/")
"""Behind these an answer says itself what is missing."""
SAID = {400: "This address cannot be read", 404: "There is no such page"}


class UnknownAddress:
    """ASGI: puts the page in the place of "not found" or "not readable" for whoever typed an address."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        missing = 0

        async def answer(message: Message) -> None:
            nonlocal missing
            if message["type"] == "http.response.start":
                kind = Headers(raw=message["headers"]).get("content-type", "")
                missing = message["status"] if message["status"] in SAID and "json" in kind else 0
            if not missing:
                await send(message)

        if not _is_typed(scope):
            await self.app(scope, receive, send)
            return
        await self.app(scope, receive, answer)
        if missing:
            page = HTMLResponse(unknown_address(missing), missing, headers={"Cache-Control": "no-store"})
            await page(scope, receive, send)


def _is_typed(scope: Scope) -> bool:
    return (
        scope["type"] == "http"
        and scope["method"] == "GET"
        and not NO_PAGE.match(scope["path"])
        and "text/html" in Headers(scope=scope).get("accept", "")
    )


@cache
def unknown_address(status: int) -> str:
    links = "".join(
        f'<a class="dl-button" href="{address_of(page)}">{page.capitalize()}</a>' for page in PAGES
    )
    return document(
        "No such page · Dailies",
        '<div class="dl-root dl-login-root"><main class="dl-empty dl-welcome"><h1>'
        f"{SAID[status]}</h1><p>The address may be mistyped, or what it led to has gone.</p>"
        f'<nav class="dl-row" aria-label="Pages">{links}</nav></main></div>',
    )
