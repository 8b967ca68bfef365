"""The routes of the six pages: documents, drawn by `ui/lib/page_router.js`, with their first answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import cache

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, RedirectResponse, StreamingResponse

from ui.lib.html_documents import ICON, UI, document
from ui.pages.script.first_answers import script_first
from ui.pages.verdicts.first_answers import verdicts_first
from ui.requests.first_answers import PageAnswers, first_answers

router = APIRouter()
PAGES = ("library", "script", "verdicts", "split", "keyframes", "scores")
"""The first is at `/`, to which its name leads; the others are at their names."""
FIRST_ANSWERS: dict[str, PageAnswers] = {"verdicts": verdicts_first, "script": script_first}
"""Of pages that ask for more at first than the bar on top does."""
ANSWERS_PLACE = "<!-- first answers -->"


def address_of(page: str) -> str:
    return "/" if page == PAGES[0] else f"/{page}"


def _add(name: str) -> None:
    @router.api_route(address_of(name), methods=["GET", "HEAD"], name=name, include_in_schema=False)
    def page(request: Request) -> StreamingResponse:
        # Each time another one: it holds answers of this moment, for whoever asks for it.
        return StreamingResponse(
            _chunks(request, name), media_type="text/html", headers={"Cache-Control": "no-store"}
        )


for name in PAGES:
    _add(name)


@router.api_route(f"/{PAGES[0]}", methods=["GET", "HEAD"], include_in_schema=False)
def first_page_by_name(request: Request) -> RedirectResponse:
    query = request.url.query
    return RedirectResponse(f"/?{query}" if query else "/")


async def _chunks(request: Request, name: str) -> AsyncIterator[str]:
    """While the answers are made the browser fetches what the beginning of the document names."""
    before, after = page_document(name)
    yield before
    if request.method == "GET":
        yield await first_answers(request, FIRST_ANSWERS.get(name)) + after


@cache
def page_document(name: str) -> tuple[str, str]:
    """The document before and after its first answers."""
    body = f'<div class="dl-root" data-page="{name}"></div>{ANSWERS_PLACE}'
    scripts = ("lib/page_router.js", f"pages/{name}/scripts/page_{name}.js")
    before, _, after = document(f"{name.capitalize()} · Dailies", body, scripts).partition(ANSWERS_PLACE)
    return before, after


@router.get("/favicon.ico")
def icon() -> FileResponse:
    return FileResponse(UI / ICON)
