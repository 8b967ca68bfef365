"""For those who run Dailies: `/healthz` says whether it works, `/metrics` counts for Prometheus.

`/healthz` is open to everyone and tells nothing but that. `/metrics` needs, where passwords are asked
for, somebody who may start runs, or the token of DAILIES_METRICS_TOKEN as `Authorization: Bearer ...`.
"""

from __future__ import annotations

import hmac
import os
import time
from collections import Counter as Tally
from collections.abc import Awaitable, Callable, Iterator

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError

from annotation.permissions import require
from annotation.records import RunVideo, Video
from annotation.store.tables import TABLE_OF
from ui.routes.deps import Parts, PartsOf, anyone, parts

router = APIRouter()
TOKEN = "DAILIES_METRICS_TOKEN"  # noqa: S105  # the variable's name
OPEN = ("/healthz", "/metrics")
"""Paths that let strangers in; `/metrics` looks at them itself."""
OTHERS = "other"
"""What requests are counted as that no route of ours answers: paths of clients are not labels."""


class Counts:
    """What one app counts."""

    def __init__(self, shown: Callable[[], Parts]) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "dailies_requests", "Requests answered.", ("route", "method", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "dailies_request_seconds", "Seconds to the answer's first byte.", ("route",),
            registry=self.registry,
        )  # fmt: skip
        self.registry.register(_Stored(shown))


class _Stored(Collector):
    """Counted when somebody asks."""

    def __init__(self, shown: Callable[[], Parts]) -> None:
        self._parts = shown

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        here = self._parts()
        yield GaugeMetricFamily("dailies_videos", "Videos in the workspace.", here.store.count(Video))
        jobs = GaugeMetricFamily("dailies_jobs", "Runs that this process knows of.", labels=["state"])
        for state, n in Tally(job.state for job in here.jobs.own()).items():
            jobs.add_metric([state], n)
        yield jobs
        yield _stages(here)


def _stages(here: Parts) -> Metric:
    """How far the stages are with the videos, over all runs."""
    found = GaugeMetricFamily("dailies_stage_videos", "Videos of runs by stage and state.",
                              labels=["stage", "state"])  # fmt: skip
    table = TABLE_OF[RunVideo]
    keys = (table.c.stage, table.c.state)
    with here.store.engine.connect() as conn:
        for stage, state, n in conn.execute(select(*keys, func.count()).group_by(*keys)):
            found.add_metric([stage, state], n)
    return found


def install(app: FastAPI) -> None:
    """Count every request of the app."""
    counts = app.state.counts = Counts(lambda: app.state.parts)

    @app.middleware("http")
    async def count(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        began = time.perf_counter()
        status = 500
        try:
            response = await call_next(request)
            status = response.status_code
            return response
        finally:
            route = getattr(request.scope.get("route"), "path", OTHERS)
            counts.requests.labels(route or OTHERS, request.method, status).inc()
            counts.seconds.labels(route or OTHERS).observe(time.perf_counter() - began)


@router.get("/healthz")
def health(here: PartsOf) -> JSONResponse:
    """200 while the database answers, 503 when it does not."""
    try:
        with here.store.engine.connect() as conn:
            conn.execute(select(1))
    except SQLAlchemyError:
        return JSONResponse({"status": "the database does not answer"}, 503)
    return JSONResponse({"status": "ok"})


@router.get("/metrics")
def metrics(request: Request) -> Response:
    here = parts(request)
    if here.door.locked and not _has_token(request):
        require(anyone(request), "run")
    return Response(generate_latest(request.app.state.counts.registry), media_type=CONTENT_TYPE_LATEST)


def _has_token(request: Request) -> bool:
    wanted = os.environ.get(TOKEN, "")
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    return bool(wanted) and hmac.compare_digest(wanted.encode(), given.encode())
