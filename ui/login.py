"""The login page, for apps that ask for a password."""

from __future__ import annotations

from html import escape
from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from annotation.accounts import TooManyTries
from annotation.errors import NotAllowed
from ui.auth import COOKIE, SESSION_S, address_of
from ui.pages import static_version
from ui.routes.deps import parts

router = APIRouter()


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
    return HTMLResponse(page()) if door.asks else RedirectResponse("/", 303)


@router.post("/login")
def check(request: Request, name: Annotated[str, Form()], password: Annotated[str, Form()]) -> Response:
    """Begins a session and sets its cookie."""
    try:
        cookie = parts(request).door.login(name.strip(), password, address_of(request))
    except TooManyTries as error:
        return HTMLResponse(page(str(error)), 429)
    except NotAllowed as error:
        return HTMLResponse(page(str(error)), 401)
    response = RedirectResponse("/", 303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie, max_age=SESSION_S, httponly=True, samesite="lax", secure=secure)
    return response


@router.get("/logout")
def leave(request: Request) -> Response:
    """Ends the session, here and for whoever else holds its cookie."""
    parts(request).door.logout(request)
    response = RedirectResponse("/login", 303)
    response.delete_cookie(COOKIE)
    return response
