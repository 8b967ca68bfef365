"""The complete app: pages, their routes and Gradio's API engine, with one access check."""

from __future__ import annotations

import re
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotation.intake.files_of_one_person import remove_left_folders
from annotation.pipeline.background_jobs import Jobs
from annotation.pipeline.cut_jobs import CutWork
from annotation.pipeline.model_connections import ModelConnections
from annotation.records.videos import Video
from annotation.reports.flagged_questions import suspect_questions
from annotation.stages.media_library import MediaLibrary
from annotation.stages.stage_context import Engines
from annotation.store.benchmark_of_evaluation import plain_evaluations
from annotation.store.verdicts.cached_score_items import kept_items
from annotation.store.verdicts.verdict_columns_cache import index_of
from annotation.store.videos.library_index import videos_of
from annotation.workspace.workspace import Workspace
from ui.api import health_and_metrics
from ui.auth.current_person import ANYBODY, AuthRules, open_door, token_in
from ui.auth.host_names import NamesOnly, OwnNames
from ui.auth.site_address_and_cookies import ANYWHERE, Site
from ui.lib.chosen_evaluation import pick_evaluation
from ui.on_demand import demo, gradio, mcp
from ui.pages.html_documents import StaticFirst, static_version
from ui.pages.library.video_list import job_json
from ui.pages.login import login_page
from ui.pages.page_list import PAGES
from ui.pages.unknown_address import UnknownAddress
from ui.requests import audit_requests, dependencies, http_errors, page_owner, token_rules
from ui.requests.event_watch import EventWatch
from ui.requests.models_ahead import ModelsAhead
from ui.requests.request_size_limits import DEMO, ShortRequests
from ui.routers import routes

OURS = ("/api/", "/media/")
GRADIO_FILES = re.compile(
    r"/gradio_api/(upload(?!$)|file(?!=)|stream|proxy|component_server|deep_link|process_recording|dev/)"
)
"""Gradio's own file routes, which would let people read files of others.

`ui.api.files_of_programs` replaces `upload` and `file=`. `dev/` is an endless stream.
"""
WARM = 3
"""Number of evaluations whose verdicts are read when the server starts."""


def build_app(
    workspace: Workspace,
    engines: Callable[[], Engines],
    rules: AuthRules = ANYBODY,
    *,
    site: Site = ANYWHERE,
    names: OwnNames | None = None,
    for_agents: bool = False,
) -> FastAPI:
    """The complete app for one workspace. `engines` is called when a job starts.

    `names` are the host names that the server accepts without a login; None: any. With `for_agents` MCP is
    served at /mcp. Raises UsageError.
    """
    library = MediaLibrary(workspace.media)
    jobs = Jobs(workspace, library, engines)
    door = open_door(workspace, rules)
    cut_work = CutWork(workspace, library)
    waits = dependencies.Waits()
    counts = health_and_metrics.Counts(lambda: app.state.parts)
    ahead = ModelsAhead([model for page in PAGES for model in page.models], lambda: counts.last_request)
    events = EventWatch(
        workspace.store,
        lambda: [job_json(job) for job in jobs.list()],
        lambda: waits.loading,
        static_version(),
        ahead.wanted,
    )

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        warm = threading.Thread(target=_warm_up, args=(workspace, ahead), daemon=True)
        warm.start()
        yield
        events.close()
        warm.join()
        ahead.close()
        jobs.close()
        cut_work.close()
        library.close()
        await engine.close()
        await agents.close()
        await demos.close()

    app = FastAPI(
        title="Dailies", lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/openapi.json"
    )
    app.state.parts = dependencies.Parts(
        workspace,
        library,
        jobs,
        door,
        engines,
        cut_work,
        site,
        ModelConnections(workspace),
        events,
        waits,
    )
    engine, agents = gradio(app.state.parts), mcp(app.state.parts)
    demos = demo(app.state.parts)
    http_errors.install_errors(app)
    app.add_middleware(UnknownAddress)
    app.add_middleware(audit_requests.Audit, parts=app.state.parts)
    app.add_middleware(Guard, parts=app.state.parts)
    app.add_middleware(StaticFirst)
    app.add_middleware(ShortRequests, limits=workspace.limits)
    if names is not None and not door.locked:
        app.add_middleware(NamesOnly, names=names)
    app.state.counts = counts
    app.add_middleware(health_and_metrics.Counted, counts=counts)
    app.router.routes.extend(routes())
    if for_agents:
        app.router.routes.append(Route("/mcp", agents))
    app.router.routes.append(Route(f"{DEMO}{{rest:path}}", demos))
    app.mount("/", engine)
    return app


def _warm_up(workspace: Workspace, ahead: ModelsAhead) -> None:
    """Read videos and the most likely verdicts into the caches, before the first request."""
    remove_left_folders(workspace)
    store = workspace.store
    videos_of(store)
    if store.count(Video):
        ahead.wanted()
    chosen = pick_evaluation(store)
    if not chosen:
        return
    index_of(store).table(chosen)
    kept_items(store, chosen)
    suspect_questions(store)
    for evaluation in plain_evaluations(store)[-WARM:]:
        index_of(store).table(evaluation.id)


class Guard:
    """ASGI middleware that redirects to the login page and checks the origin of changes.

    Changes are accepted from our own pages, or with a token.
    """

    def __init__(self, app: ASGIApp, parts: dependencies.Parts) -> None:
        self.app = app
        self.headers = {"X-Content-Type-Options": "nosniff"} | parts.site.headers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    headers.setdefault(name, value)
            await send(message)

        refused = await _refused(Request(scope)) if scope["type"] == "http" else None
        await (refused or self.app)(scope, receive, answer)


async def _refused(request: Request) -> Response | None:
    """The refusal of a request; None if it is allowed."""
    token = token_in(request)
    # Browsers send cookies with requests of any site's page, but they do not send tokens.
    if token is None and request.method not in ("GET", "HEAD") and _foreign(request):
        return JSONResponse({"error": "this request came from another site"}, 403)
    if GRADIO_FILES.match(request.url.path):
        return JSONResponse({"error": "this route is not available; send files to /api/files"}, 404)
    # Each use of a token is written to the database, and waits for other writers.
    if token is not None and (refused := await run_in_threadpool(token_rules.refused, request, token)):
        return refused
    if request.url.path.startswith("/api/") and (refused := page_owner.refused(request)):
        return refused
    return None if token is not None else _stranger(request)


def _stranger(request: Request) -> Response | None:
    """The response to a person who must log in first; None if that is not needed."""
    path, door = request.url.path, dependencies.parts(request).door
    open_to_all = path.startswith(("/app/", "/login", "/favicon")) or path in health_and_metrics.OPEN
    if not door.locked or open_to_all or door.person(request) is not None:
        return None
    if path.startswith(OURS) or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse({"error": "log in first"}, 401)
    return RedirectResponse(login_page.address(request.url.path, request.url.query), 303)


def _foreign(request: Request) -> bool:
    """Whether the browser reports that another site's page made the request."""
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = request.headers.get("origin")
    return origin is not None and origin.split("://", 1)[-1] != request.headers.get("host")
