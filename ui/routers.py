"""All routers, in the order in which their routes are matched."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Depends
from starlette.routing import BaseRoute

from ui.api import (
    accounts,
    edits,
    events,
    files_of_programs,
    findings,
    health_and_metrics,
    import_uploads,
    jobs_and_exports,
    joins,
    me,
    media,
    models,
    openid_login,
    remote_videos,
    tokens,
    undo,
)
from ui.pages import api_reference, page_routes
from ui.pages.login import login_page
from ui.pages.page_list import PAGES
from ui.requests import dependencies
from ui.requests.http_errors import UNREADABLE
from ui.systems.system_list import SYSTEMS

ROUTERS: tuple[APIRouter, ...] = (
    page_routes.router,
    api_reference.router,
    login_page.router,
    *(router for system in SYSTEMS for router in system.routers),
    *(router for page in PAGES for router in page.routers),
    me.router,
    events.router,
    edits.router,
    media.router,
    files_of_programs.router,
    import_uploads.router,
    jobs_and_exports.router,
    joins.router,
    undo.router,
    findings.router,
    health_and_metrics.router,
    accounts.router,
    tokens.router,
    openid_login.router,
    remote_videos.router,
    models.router,
)


@cache
def routes() -> tuple[BaseRoute, ...]:
    """All routes, each with the checks that run on every request.

    Cached: building the types of parameters and responses takes half a second, and they are the same for
    every app.
    """
    whole = APIRouter()
    checks = [Depends(dependencies.storable_words)]
    for router in ROUTERS:
        whole.include_router(router, dependencies=checks, responses=UNREADABLE)
    return tuple(whole.routes)
