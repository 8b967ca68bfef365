"""Every module that answers requests, in the order in which their routes are tried."""

from __future__ import annotations

from functools import cache
from types import ModuleType

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
from ui.pages.keyframes import labels_routes
from ui.pages.keyframes import routes as keyframes
from ui.pages.library import assignments_routes
from ui.pages.library import routes as library
from ui.pages.login import login_page
from ui.pages.scores import evaluation_passes_routes, prompt_routes
from ui.pages.scores import routes as scores
from ui.pages.script import cuts_routes, replace_routes, speech_routes
from ui.pages.script import routes as script
from ui.pages.split import aspects_routes
from ui.pages.split import routes as split
from ui.pages.verdicts import elements_routes, evidence_routes, items_routes, questions_routes
from ui.pages.verdicts import routes as verdicts
from ui.requests import dependencies
from ui.requests.http_errors import UNREADABLE

MODULES: tuple[ModuleType, ...] = (
    page_routes,
    api_reference,
    cuts_routes,
    me,
    library,
    script,
    split,
    verdicts,
    events,
    evaluation_passes_routes,
    questions_routes,
    evidence_routes,
    edits,
    elements_routes,
    media,
    files_of_programs,
    import_uploads,
    jobs_and_exports,
    joins,
    login_page,
    assignments_routes,
    aspects_routes,
    speech_routes,
    replace_routes,
    undo,
    findings,
    keyframes,
    health_and_metrics,
    items_routes,
    accounts,
    tokens,
    labels_routes,
    openid_login,
    remote_videos,
    models,
    prompt_routes,
    scores,
)
SHOWS_VERDICTS = (scores,)
"""Not for people who label without seeing the judge."""


@cache
def routes() -> tuple[BaseRoute, ...]:
    """All of them with what each request is checked for.

    Made once: the types of parameters and replies take half a second, and are the same for every app.
    """
    router = APIRouter()
    for module in MODULES:
        blind = [Depends(dependencies.open_eyes)] if module in SHOWS_VERDICTS else []
        checks = [Depends(dependencies.storable_words), *blind]
        router.include_router(module.router, dependencies=checks, responses=UNREADABLE)
    return tuple(router.routes)
