"""What goes into the audit log by itself: every change that is asked for, and every refusal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import FastAPI, Request, Response
from starlette.concurrency import run_in_threadpool

from annotation import accounts
from ui.auth import address_of
from ui.routes.deps import anyone, parts

WRITING = ("/api/edit", "/api/text", "/api/undo", "/api/redo", "/api/assignments/begin")
"""Each change of a text has its author and its time in the history already, at every pause in typing."""
LOOKING_AWAY = ("/api/accounts", "/api/password")
"""Their own lines say more."""
TAKING = ("/api/export",)
"""What goes out is worth a line, although nothing changes."""


def install(app: FastAPI) -> None:
    """Note who asked for what, from where, and how it ended."""

    @app.middleware("http")
    async def audit(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        response = await call_next(request)
        if _worth_a_line(request, response.status_code):
            await run_in_threadpool(_note, request, response.status_code)
        return response


def _worth_a_line(request: Request, status: int) -> bool:
    path = request.url.path
    if not path.startswith("/api/") or status == 404:
        return False
    if status == 403:
        return True
    if request.method == "GET":
        return path.startswith(TAKING)
    return not path.startswith(WRITING + LOOKING_AWAY)


def _note(request: Request, status: int) -> None:
    here, person = parts(request), anyone(request)
    what = f"{request.method} {getattr(request.scope.get('route'), 'path', request.url.path)}"
    about = " ".join(f"{name}={value}" for name, value in request.path_params.items())
    ended = "" if status < 400 else f"refused ({status})"
    accounts.note(
        here.store, person.id if person else None, what, " ".join(x for x in (about, ended) if x)[:200],
        address_of(request),
    )  # fmt: skip
