"""The login page, for apps that ask for a password."""

from __future__ import annotations

import time
from html import escape
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from ui.auth import COOKIE, SESSION_S
from ui.pages import static_version
from ui.routes.deps import parts

router = APIRouter()

TRIES = 10
WITHIN_S = 60.0
_recent: dict[str, list[float]] = {}


def page(message: str = "") -> str:
    note = f'<p class="dl-saved-failed" role="alert">{escape(message)}</p>' if message else ""
    return (
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Dailies: log in</title>"
        f'<link rel=stylesheet href="/app/{static_version()}/dailies.css"></head><body>'
        '<div class="dl-root"><div></div><form class="dl-empty" method=post action="/login">'
        f"<h1>Dailies</h1>{note}"
        '<input class="dl-input" name=name aria-label=Name placeholder=Name autocomplete=username '
        "required autofocus>"
        '<input class="dl-input" name=password type=password aria-label=Password placeholder=Password '
        "autocomplete=current-password required>"
        '<button class="dl-button dl-button-main">Log in</button></form></div></body></html>'
    )


@router.get("/login")
def show(request: Request) -> Response:
    door = parts(request).door
    return HTMLResponse(page()) if door.locked else RedirectResponse("/", 303)


@router.post("/login")
def check(request: Request, name: Annotated[str, Form()], password: Annotated[str, Form()]) -> Response:
    """Sets the cookie; at most TRIES wrong passwords per minute and address."""
    host = request.client.host if request.client else "?"
    now = time.monotonic()
    _recent[host] = [t for t in _recent.get(host, []) if now - t < WITHIN_S]
    if len(_recent[host]) >= TRIES:
        return HTMLResponse(page("too many tries; wait a minute"), 429)
    cookie = parts(request).door.login(name, password)
    if cookie is None:
        _recent[host].append(now)
        return HTMLResponse(page("wrong name or password"), 401)
    response = RedirectResponse("/", 303)
    response.set_cookie(COOKIE, cookie, max_age=SESSION_S, httponly=True, samesite="lax")
    return response


@router.get("/logout")
def leave() -> Response:
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE)
    return response
