"""The app: our FastAPI routes and the Gradio pages behind one door."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

# Gradio looks these up while it is imported; without them it calls outside hosts.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

import gradio as gr
from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.staticfiles import StaticFiles

from annotation.cut_work import CutWork
from annotation.jobs import Jobs
from annotation.pipeline.context import Engines
from annotation.pipeline.media import MediaLibrary
from annotation.store.kept_items import kept_items
from annotation.store.store import Store
from annotation.store.systems import plain_evaluations
from annotation.store.verdict_index import index_of
from annotation.workspace import Workspace
from exports.doubts import suspect_questions
from ui import auditing, login, pages
from ui.auth import Account, ProxyRule, open_door
from ui.oidc import OidcRule
from ui.public_site import ANYWHERE, Site
from ui.routes import accounts as routes_accounts
from ui.routes import (
    aspects,
    assignments,
    cuts,
    data,
    deps,
    edits,
    elements,
    filling,
    findings,
    framecap,
    items,
    keyframes,
    media,
    oidc_login,
    questions,
    remote,
    replace,
    scores,
    speech,
    undo,
    watching,
    work,
)
from ui.views.verdicts import pick_evaluation

FAVICON = Path(__file__).parent / "static" / "favicon.png"
OURS = ("/api/", "/media/")
WARM = 3
"""Evaluations whose verdicts are read when the server starts."""


def build_app(
    workspace: Workspace,
    engines: Callable[[], Engines],
    accounts: list[Account] | None = None,
    *,
    passwords: bool = False,
    proxy: ProxyRule | None = None,
    oidc: OidcRule | None = None,
    site: Site = ANYWHERE,
) -> FastAPI:
    """The whole app for one workspace. `engines` is called when a job starts.

    `accounts`, `passwords`, `proxy` and `oidc` are `open_door`'s. Raises UsageError.
    """
    library = MediaLibrary(workspace.media)
    jobs = Jobs(workspace, library, engines)
    door = open_door(workspace, accounts, passwords=passwords, proxy=proxy, oidc=oidc)
    cut_work = CutWork(workspace, library)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        warm = threading.Thread(target=_warm_up, args=(workspace.store,), daemon=True)
        warm.start()
        yield
        warm.join()
        jobs.close()
        cut_work.close()
        library.close()

    app = FastAPI(title="Dailies", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url=None)
    app.state.parts = deps.Parts(workspace, library, jobs, door, engines, cut_work, site)
    deps.install_errors(app)
    auditing.install(app)
    _guard(app)
    watching.install(app)
    modules = (
        cuts, data, filling, questions, edits, elements, media, work, login, assignments, aspects, speech,
        replace, undo, findings, keyframes, watching, items, routes_accounts, framecap, oidc_login,
        remote,
    )  # fmt: skip
    for module in modules:
        app.include_router(module.router)
    app.include_router(scores.router, dependencies=[Depends(deps.open_eyes)])
    app.mount(f"/app/{pages.static_version()}", StaticFiles(directory=pages.STATIC), name="static")
    with warnings.catch_warnings():
        # Said for every app with several pages, also when server-side rendering is off.
        warnings.filterwarnings("ignore", "SSR mode is not supported")
        mounted: FastAPI = gr.mount_gradio_app(
            app, pages.build_pages(), path="/", auth_dependency=door.user_name, footer_links=[],
            run_history=False, enable_monitoring=False, show_error=True, ssr_mode=False, head=pages.head(),
            favicon_path=str(FAVICON),
        )  # fmt: skip
    return mounted


def _warm_up(store: Store) -> None:
    """Read the verdicts that are likely to be looked at first, before somebody waits for them."""
    chosen = pick_evaluation(store)
    others = [evaluation.id for evaluation in plain_evaluations(store)[-WARM:]]
    for evaluation_id in dict.fromkeys([chosen, *others] if chosen else ()):
        index_of(store).table(evaluation_id)
    if chosen:
        kept_items(store, chosen)
        suspect_questions(store)


def _guard(app: FastAPI) -> None:
    """Strangers go to the login page; changes must come from our own pages."""

    @app.middleware("http")
    async def guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        # Asked before: a mounted app puts itself in the place of this one.
        headers = {"X-Content-Type-Options": "nosniff"} | deps.parts(request).site.headers()
        response = _refused(request) or await call_next(request)
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        return response


def _refused(request: Request) -> Response | None:
    """The answer to those who do not get in; None: they do."""
    if request.method not in ("GET", "HEAD") and _foreign(request):
        return JSONResponse({"error": "this request came from another site"}, 403)
    path, door = request.url.path, deps.parts(request).door
    open_to_all = path.startswith(("/app/", "/login", "/favicon")) or path in watching.OPEN
    if not door.locked or open_to_all or door.person(request) is not None:
        return None
    if path.startswith(OURS) or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": "log in first"}, 401)
    return RedirectResponse(login.address(request.url.path, request.url.query), 303)


def _foreign(request: Request) -> bool:
    """Whether a browser says that the request was made by another site's page."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and origin.split("://", 1)[-1] != request.headers.get("host")
