"""The six pages: documents that `ui/lib/main.js` draws in the browser."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter
from fastapi.responses import FileResponse, HTMLResponse

from ui.lib.documents import ICON, UI, document

router = APIRouter()
PAGES = ("library", "script", "verdicts", "split", "keyframes", "scores")
"""The first is at `/`, the others at their names."""


def _add(name: str) -> None:
    path = "/" if name == PAGES[0] else f"/{name}"

    @router.api_route(path, methods=["GET", "HEAD"], name=name, include_in_schema=False)
    def page() -> HTMLResponse:
        # The files that it names are kept by browsers for good, so it is itself asked for each time.
        return HTMLResponse(page_document(name), headers={"Cache-Control": "no-cache"})


for name in PAGES:
    _add(name)


@cache
def page_document(name: str) -> str:
    body = f'<div class="dl-root" data-page="{name}"></div>'
    scripts = ("lib/main.js", f"pages/{name}/scripts/page_{name}.js")
    return document(f"{name.capitalize()} · Dailies", body, scripts)


@router.get("/favicon.ico")
def icon() -> FileResponse:
    return FileResponse(UI / ICON)
