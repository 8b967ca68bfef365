"""The routes of the pages: documents, drawn by `ui/lib/page_router.js`, with their first answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, RedirectResponse, StreamingResponse

from ui.lib.page_spec import PageSpec
from ui.pages.html_documents import ICON, document
from ui.pages.page_list import PAGES, path_of
from ui.pages.page_table import UI
from ui.requests.dependencies import packed_json
from ui.requests.first_answers import first_answers, page_answers

router = APIRouter()
ANSWERS_PLACE = "<!-- first answers -->"


def _add(page: PageSpec) -> None:
    @router.api_route(path_of(page), methods=["GET", "HEAD"], name=page.name, include_in_schema=False)
    def answer(request: Request) -> StreamingResponse:
        # Not cached: the document contains current answers for the person who requests it.
        return StreamingResponse(
            _chunks(request, page), media_type="text/html", headers={"Cache-Control": "no-store"}
        )

    @router.get(f"/api/first/{page.name}", include_in_schema=False)
    async def answers(request: Request) -> Response:
        """What the document at the same query includes for its page, for a change of page."""
        return packed_json(request, (await page_answers(request, page.first_answers)).encode())


for page in PAGES:
    _add(page)


@router.api_route(f"/{PAGES[0].name}", methods=["GET", "HEAD"], include_in_schema=False)
def first_page_by_name(request: Request) -> RedirectResponse:
    query = request.url.query
    return RedirectResponse(f"/?{query}" if query else "/")


async def _chunks(request: Request, page: PageSpec) -> AsyncIterator[str]:
    """The document in two parts.

    While the answers are computed, the browser fetches the files named at its start.
    """
    before, after = page_document(page.name, page.label)
    yield before
    if request.method == "GET":
        yield await first_answers(request, page.first_answers) + after


@cache
def page_document(name: str, label: str) -> tuple[str, str]:
    """The document before and after its first answers."""
    body = f'<div class="dl-root" data-page="{name}"></div>{ANSWERS_PLACE}'
    scripts = ("lib/page_router.js", f"pages/{name}/scripts/page_{name}.js")
    before, _, after = document(f"{label} · Dailies", body, scripts).partition(ANSWERS_PLACE)
    return before, after


@router.get("/favicon.ico")
def icon() -> FileResponse:
    return FileResponse(UI / ICON)
