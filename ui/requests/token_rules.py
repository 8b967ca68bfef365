"""What a request with a personal token may do, checked before the rest of the request is read.

`may` enforces the token's scope; this module covers requests that `may` does not check.
"""

from __future__ import annotations

import re

from fastapi import Request
from fastapi.responses import JSONResponse

from annotation.people.login_attempts import note_refused_token
from annotation.people.permissions import TokenPerson
from annotation.people.personal_tokens import RefusedToken
from backends.text.storable_text import mended
from ui.auth.current_person import address_of
from ui.requests.audit_requests import quietly
from ui.requests.dependencies import parts

READS_BY_POST = re.compile(r"/gradio_api/|/mcp(/|$)|/api/split/[^/]+/check$")
"""Requests that change nothing, or that check each of their actions with `may`."""
OF_PEOPLE = re.compile(r"/log(in|out)|/api/(me|password|tokens)($|/)")
"""Routes about identity and login."""
LONGEST = 200


def refused(request: Request, token: str) -> JSONResponse | None:
    """The refusal if the token is not valid, or not for this request; None if the request is allowed."""
    here = parts(request)
    try:
        person = here.door.token_person(token)
    except RefusedToken as error:
        return _answer(request, 401, str(error), error.person_id)
    why = _why_not(request.method, request.url.path, person)
    return _answer(request, 403, why, person.id) if why else None


def _why_not(method: str, path: str, person: TokenPerson) -> str:
    """Why a valid token does not allow this request; empty if it does."""
    if method in ("GET", "HEAD"):
        return ""
    if OF_PEOPLE.match(path):
        return "tokens cannot change people or logins; do this on the pages"
    if person.scope == "read" and not READS_BY_POST.match(path):
        return f"the token {person.token_name!r} may only read; use one with the scope write"
    return ""


def _answer(request: Request, status: int, why: str, person_id: str | None) -> JSONResponse:
    about = mended(f"{request.method} {request.url.path}: {why}")[:LONGEST]
    quietly(note_refused_token, parts(request).store, person_id, about, address_of(request))
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return JSONResponse({"error": why}, status, headers)
