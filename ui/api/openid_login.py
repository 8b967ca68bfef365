"""Login through an OpenID provider: the redirect there, and the callback.

The data of one login (state, nonce, the PKCE verifier, the page to open afterwards) is kept in a cookie of
the browser that started it, one cookie per login, and deleted at the callback. Therefore a link with an
attacker's code does not log anyone in.
"""

from __future__ import annotations

import hmac

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from annotation.people import login_attempts
from annotation.records.errors import NotAllowed
from backends.errors import DailiesError
from ui.auth.current_person import OidcDoor, address_of
from ui.auth.openid import Attempt, ProviderDown
from ui.pages.login.login_page import address, in_frame, let_in, own_path, page
from ui.requests.dependencies import parts

router = APIRouter()
BACK = "/login/callback"
"""The redirect URI; it has to be registered with the provider."""
WAITS_S = 900
TOO_LATE = "this login has expired, or was started in another browser; try again"


@router.get("/login/provider")
def begin(request: Request, next: str = "/") -> Response:
    """Redirect to the provider's page."""
    here, to = parts(request), own_path(next)
    if here.door.provider is None or in_frame(request):
        return RedirectResponse(address(to), 303)
    attempt = Attempt.new(to)
    try:
        url = here.door.provider.login_url(attempt, _redirect_uri(request))
    except ProviderDown as error:
        return page(request, str(error), to, 502)
    response = RedirectResponse(url, 303)
    _keep(request, response, attempt.state, attempt.packed(), WAITS_S)
    return response


@router.get(BACK)
def come_back(
    request: Request,
    code: str = "",
    state: str = "",
    error: str = "",
    error_description: str = "",
    iss: str = "",
) -> Response:
    """The callback from the provider's page: starts a session, or shows a one-line reason for the refusal."""
    door = parts(request).door
    if not isinstance(door, OidcDoor):
        return RedirectResponse("/login", 303)
    attempt = Attempt.read(request.cookies.get(_name(request, state), ""))
    to = attempt.to if attempt else "/"
    try:
        if attempt is None or not hmac.compare_digest(attempt.state.encode(), state.encode()):
            raise NotAllowed(TOO_LATE)
        if error or not code:
            raise NotAllowed(
                f"{door.identity_provider.host} reports: {_plain(error_description or error or 'no code')}"
            )
        cookie = door.enter(attempt, code, iss, _redirect_uri(request), address_of(request))
        response = let_in(request, cookie, to)
    except DailiesError as problem:
        login_attempts.note_failure(
            door.store, _plain(f"{door.identity_provider.host}: {problem}"), address_of(request)
        )
        response = page(
            request, str(problem), own_path(to), 502 if isinstance(problem, ProviderDown) else 403
        )
    if attempt:
        _keep(request, response, attempt.state, "", 0)
    return response


def _redirect_uri(request: Request) -> str:
    return parts(request).site.base(request) + BACK


def _name(request: Request, state: str) -> str:
    """The cookie's name. `__Host-`: browsers accept it only from this exact host, over https."""
    prefix = "__Host-" if parts(request).site.is_secure(request) else ""
    return f"{prefix}dailies_login_{state[:12]}"


def _keep(request: Request, response: Response, state: str, value: str, seconds: int) -> None:
    """Always `Lax`: the provider redirects to a page that is not in a frame."""
    secure = parts(request).site.is_secure(request)
    response.set_cookie(_name(request, state), value, seconds, httponly=True, samesite="lax", secure=secure)


def _plain(text: str) -> str:
    return "".join(c for c in text if c.isprintable())[:200]
