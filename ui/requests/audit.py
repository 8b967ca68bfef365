"""What goes into the audit log by itself: every change that is asked for, and every refusal."""

from __future__ import annotations

import logging

from fastapi import Request
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotation.people import audit_log
from backends.errors import DailiesError
from ui.auth.current_person import address_of
from ui.requests.dependencies import Parts, anyone, parts

log = logging.getLogger(__name__)
NOT_NOTED = "nothing could be written into the audit log: %s"
WRITING = ("/api/edit", "/api/text", "/api/undo", "/api/redo", "/api/assignments/begin")
"""Each change of a text has its author and its time in the history already, at every pause in typing."""
LOOKING_AWAY = ("/api/accounts", "/api/password", "/api/opinion-rule")
"""Their own lines say more."""
TAKING = ("/api/export",)
"""What goes out is worth a line, although nothing changes."""


class Audit:
    """ASGI: notes who asked for what, from where, and how it ended, before it is answered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                await _noted(Request(scope), message["status"])
            await send(message)

        await self.app(scope, receive, answer if scope["type"] == "http" else send)


def note_call(here: Parts, request: Request, endpoint: str, *, refused: bool = False) -> None:
    """A program called an endpoint of Gradio's API."""
    person = here.door.person(request)
    try:
        audit_log.note(
            here.store,
            person.id if person else None,
            f"API /{endpoint}",
            "refused" if refused else "",
            address_of(request),
        )
    except (DailiesError, SQLAlchemyError) as error:
        log.warning(NOT_NOTED, error)


async def _noted(request: Request, status: int) -> None:
    if not _worth_a_line(request, status):
        return
    try:
        await run_in_threadpool(_note, request, status)
    except (DailiesError, SQLAlchemyError) as error:  # what was asked for is done, or refused, already
        log.warning(NOT_NOTED, error)


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
    audit_log.note(
        here.store,
        person.id if person else None,
        what,
        " ".join(x for x in (about, ended) if x)[:200],
        address_of(request),
    )
