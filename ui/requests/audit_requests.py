"""Requests that are written to the audit log automatically: changes, refusals and uses of a token."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable

from fastapi import Request
from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotation.people import audit_log
from annotation.people.permissions import TokenPerson
from annotation.records.decisions import Person
from backends.errors import DailiesError
from ui.auth.current_person import address_of, token_in
from ui.requests.dependencies import Parts

log = logging.getLogger(__name__)
NOT_LOGGED = "cannot write to the audit log: %s"
WRITING = ("/api/edit", "/api/text", "/api/undo", "/api/redo", "/api/assignments/begin")
"""Not logged: the history has author and time of each text change, and a save follows every pause in typing.
"""
LOOKING_AWAY = ("/api/accounts", "/api/password", "/api/tokens", "/api/opinion-rule")
"""Not logged here: these routes write more detailed entries."""
TAKING = ("/api/export",)
"""Downloads are logged although they change nothing."""
PROTOCOL = re.compile(r"/gradio_api/(?!upload$|file=)")
"""Gradio's clients make a call with two or three requests; only the call is logged (`note_call`)."""


class Audit:
    """ASGI middleware that logs the person, request, address and status, before the response is sent."""

    def __init__(self, app: ASGIApp, parts: Parts) -> None:
        self.app, self.parts = app, parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                await _noted(self.parts, Request(scope), message["status"])
            await send(message)

        await self.app(scope, receive, answer if scope["type"] == "http" else send)


def note_call(here: Parts, request: Request, endpoint: str, *, refused: bool = False) -> None:
    """Log that a program called an endpoint of Gradio's API."""
    person = here.door.person(request)
    about = " ".join(x for x in (_token(person), "refused" if refused else "") if x)
    quietly(audit_log.note, here.store, _id(person), f"API /{endpoint}", about, address_of(request))


def quietly(note: Callable[..., None], *words: object) -> None:
    """Write an entry; if it cannot be written, log a warning, and let the request proceed."""
    try:
        note(*words)
    except (DailiesError, SQLAlchemyError) as error:
        log.warning(NOT_LOGGED, error)


async def _noted(here: Parts, request: Request, status: int) -> None:
    if _worth_a_line(request, status):
        await run_in_threadpool(quietly, _note, here, request, status)


def _token(person: Person | None) -> str:
    """The token of the request; empty: none."""
    return f"token {person.token_name!r}" if isinstance(person, TokenPerson) else ""


def _id(person: Person | None) -> str | None:
    return person.id if person else None


def _worth_a_line(request: Request, status: int) -> bool:
    path = request.url.path
    if token_in(request) is not None:
        return not PROTOCOL.match(path)
    if not path.startswith("/api/") or status == 404:
        return False
    if status == 403:
        return True
    if request.method == "GET":
        return path.startswith(TAKING)
    return not path.startswith(WRITING + LOOKING_AWAY)


def _note(here: Parts, request: Request, status: int) -> None:
    person = here.door.person(request)
    what = f"{request.method} {getattr(request.scope.get('route'), 'path', request.url.path)}"
    about = " ".join(f"{name}={value}" for name, value in request.path_params.items())
    ended = "" if status < 400 else f"refused ({status})"
    about = " ".join(x for x in (_token(person), about, ended) if x)[:200]
    audit_log.note(here.store, _id(person), what, about, address_of(request))
