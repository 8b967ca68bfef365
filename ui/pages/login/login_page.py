"""The login page, for apps that require a login."""

from __future__ import annotations

from html import escape
from typing import Annotated
from urllib.parse import quote, urlsplit

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from annotation.people.login_attempts import TooManyTries
from annotation.people.login_sessions import SESSION_S
from annotation.records.errors import NotAllowed
from ui.auth.current_person import COOKIE, Door, address_of
from ui.pages.html_documents import document
from ui.requests.dependencies import parts

router = APIRouter()
LONGEST = 2000
"""Longest address to return to, in characters; it is stored in a cookie."""
LOGO = (
    '<svg class="dl-login-logo" viewBox="0 0 20 20" width="36" height="36" aria-hidden="true">'
    '<g fill="none" stroke="currentColor"><rect x="1.5" y="3.5" width="17" height="13" rx="2.5" '
    'stroke-width="1.6"/><path d="M6 3.5v13M14 3.5v13M1.5 7.8H6M1.5 12.2H6M14 7.8h4.5M14 12.2h4.5" '
    'stroke-width="1.3"/></g></svg>'
)


def own_path(wanted: str) -> str:
    """The page to open after the login: a path of this app, or the first page.

    Browsers interpret `//host`, `/\\host` and control characters as addresses of other sites.
    """
    fine = wanted.startswith("/") and len(wanted) <= LONGEST and wanted.isprintable() and "\\" not in wanted
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return "/"
    if not fine or wanted.startswith("//") or parts.scheme or parts.netloc:
        return "/"
    return "/" if parts.path.startswith(("/login", "/logout")) else wanted


def address(path: str, query: str = "") -> str:
    """The login page that returns to this address."""
    wanted = own_path(f"{path}?{query}" if query else path)
    return "/login" if wanted == "/" else f"/login?next={quote(wanted, safe='')}"


def page(request: Request, message: str = "", to: str = "/", status: int = 200, note: str = "") -> Response:
    """The page, with an error message; it leads to the path `to` of this app. `note` is HTML."""
    door = parts(request).door
    alert = f'<p class="dl-saved-failed" role="alert">{escape(message)}</p>' if message else ""
    ways = [_provider(request, door, to), _password(door, to)]
    body = '<p class="dl-login-or">or</p>'.join(way for way in ways if way)
    return HTMLResponse(_document(f"{alert}{note}{body}"), status)


def _document(body: str) -> str:
    """The whole page around `body`, which is HTML."""
    main = f'<main class="dl-login">{LOGO}<h1>Dailies</h1>{body}</main>'
    root = f'<div class="dl-root dl-login-root">{main}</div>'
    return document("Dailies: log in", root)


def _provider(request: Request, door: Door, to: str) -> str:
    if door.provider is None:
        return ""
    host, looks = (
        escape(door.provider.host),
        "dl-button dl-login-way" + (" dl-button-main" if not door.takes_passwords else ""),
    )
    if in_frame(request):  # providers do not allow frames
        return (
            f'<a class="{looks}" target=_blank rel=noopener href="{escape(address(to))}">'
            f"Log in with {host} in a new tab</a>"
        )
    return f'<a class="{looks}" href="/login/provider?next={quote(to, safe="")}">Log in with {host}</a>'


def _password(door: Door, to: str) -> str:
    if not door.takes_passwords:
        return ""
    return (
        f'<form method=post action="/login"><input type=hidden name=next value="{escape(to)}">'
        '<input class="dl-input" name=name aria-label=Name placeholder=Name autocomplete=username '
        "required autofocus>"
        '<input class="dl-input" name=password type=password aria-label=Password placeholder=Password '
        "autocomplete=current-password required>"
        '<button class="dl-button dl-button-main dl-login-way">Log in</button></form>'
    )


def in_frame(request: Request) -> bool:
    """Whether another page requests this page for a frame."""
    return request.headers.get("sec-fetch-dest") in ("iframe", "frame")


@router.get("/login")
def show(request: Request, next: str = "/", left: bool = False) -> Response:  # its standard name
    """`left`: the person has just logged out."""
    here = parts(request)
    if not here.door.takes_passwords and here.door.provider is None:
        if not here.door.locked or here.door.person(request):
            return RedirectResponse(own_path(next), 303)
        return page(
            request, "The reverse proxy did not name a person. Open the app through the proxy.", status=401
        )
    return page(request, to=own_path(next), note=_left(request) if left else "")


def _left(request: Request) -> str:
    """The message after logging out; the provider's own session may continue."""
    here = parts(request)
    provider = here.door.provider
    url = provider.logout_url(f"{here.site.base(request)}/login") if provider else None
    more = f' <a href="{escape(url)}">Log out of {escape(provider.host)} too</a>' if provider and url else ""
    return f'<p class="dl-login-left" role="status">You are logged out.{more}</p>'


@router.post("/login")
def check(
    request: Request,
    name: Annotated[str, Form()],
    password: Annotated[str, Form()],
    next: Annotated[str, Form()] = "/",
) -> Response:
    """Start a session and set its cookie.

    A dialog over an open page requests JSON, and the page stays open.
    """
    to, in_page = own_path(next), "application/json" in request.headers.get("accept", "")
    try:
        cookie = parts(request).door.login(name.strip(), password, address_of(request))
    except NotAllowed as error:
        status = 429 if isinstance(error, TooManyTries) else 401
        refusal = JSONResponse({"error": str(error)}, status)
        return refusal if in_page else page(request, str(error), to, status)
    return let_in(request, cookie, to, JSONResponse({}) if in_page else None)


def let_in(request: Request, cookie: str, to: str, response: Response | None = None) -> Response:
    """Redirect to the requested page, with the session's cookie; `response` replaces the redirect."""
    response = response or RedirectResponse(own_path(to), 303)
    parts(request).site.set_cookie(request, response, COOKIE, cookie, SESSION_S)
    return response


@router.get("/logged-in")
def logged_in() -> Response:
    """End of a login in a separate window that an open page started. Others log in first."""
    return HTMLResponse(
        _document(
            '<p role="status">You are logged in. Continue in the other window; you can close this one.</p>'
            "<script>close()</script>"
        )
    )


@router.post("/logout")
def leave(request: Request) -> Response:
    """End the session for all holders of its cookie; links and pictures cannot trigger it."""
    parts(request).door.logout(request)
    response = RedirectResponse("/login?left=1", 303)
    parts(request).site.drop_cookie(request, response, COOKIE)
    return response
