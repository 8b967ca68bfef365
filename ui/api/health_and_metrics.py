"""Monitoring: `/healthz` reports whether the server works, `/metrics` has counters for Prometheus.

`/healthz` is public and reports only that. If people log in, `/metrics` needs a person who may start runs, or
the token of DAILIES_METRICS_TOKEN as `Authorization: Bearer ...`.
"""

from __future__ import annotations

import hmac
import os
import shutil
import tempfile
import time
from collections import Counter as Tally
from collections.abc import Callable, Iterator

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotation.people.permissions import require
from annotation.records.errors import DiskFull
from annotation.records.runs import RunVideo
from annotation.records.videos import Video
from annotation.store.tables import TABLE_OF
from annotation.workspace.limit_settings import size
from ui.requests.dependencies import Parts, PartsOf, anyone, parts

router = APIRouter()
TOKEN = "DAILIES_METRICS_TOKEN"  # noqa: S105  # name of the variable
OPEN = ("/healthz", "/metrics")
"""Paths that need no login; `/metrics` checks the caller itself."""
BLOCK = 1 << 14
"""Bytes written to test the disk."""
OTHERS = "other"
"""Label of requests that match none of our routes: paths sent by clients are not used as labels."""


class Counts:
    """The counters of one app."""

    def __init__(self, shown: Callable[[], Parts]) -> None:
        self.last_request = 0.0
        """When the last request came (`time.monotonic`)."""
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "dailies_requests", "Requests answered.", ("route", "method", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "dailies_request_seconds",
            "Seconds to the first byte of the response.",
            ("route",),
            registry=self.registry,
        )
        self.registry.register(_Stored(shown))


class _Stored(Collector):
    """Read from the database when `/metrics` is requested."""

    def __init__(self, shown: Callable[[], Parts]) -> None:
        self._parts = shown

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        here = self._parts()
        yield GaugeMetricFamily("dailies_videos", "Videos in the workspace.", here.store.count(Video))
        jobs = GaugeMetricFamily("dailies_jobs", "Runs known to this process.", labels=["state"])
        for state, n in Tally(job.state for job in here.jobs.own()).items():
            jobs.add_metric([state], n)
        yield jobs
        yield _stages(here)


def _stages(here: Parts) -> Metric:
    """The progress of the stages with the videos, over all runs."""
    found = GaugeMetricFamily(
        "dailies_stage_videos", "Videos of runs by stage and state.", labels=["stage", "state"]
    )
    table = TABLE_OF[RunVideo]
    keys = (table.c.stage, table.c.state)
    with here.store.engine.connect() as conn:
        for stage, state, n in conn.execute(select(*keys, func.count()).group_by(*keys)):
            found.add_metric([stage, state], n)
    return found


class Counted:
    """ASGI middleware that counts every request of the app."""

    def __init__(self, app: ASGIApp, counts: Counts) -> None:
        self.app, self.counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status, took = time.perf_counter(), 500, 0.0
        self.counts.last_request = time.monotonic()

        async def answer(message: Message) -> None:
            nonlocal status, took
            if message["type"] == "http.response.start":
                status, took = message["status"], time.perf_counter() - began
            await send(message)

        try:
            await self.app(scope, receive, answer)
        finally:
            route = getattr(scope.get("route"), "path", OTHERS) or OTHERS
            self.counts.requests.labels(route, scope["method"], status).inc()
            self.counts.seconds.labels(route).observe(took or time.perf_counter() - began)


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz")
def health(here: PartsOf) -> JSONResponse:
    """200 if the database responds and the workspace is writable, else 503 with the reason."""
    try:
        with here.store.engine.connect() as conn:
            conn.execute(select(1))
    except SQLAlchemyError:
        return JSONResponse({"status": "the database does not respond"}, 503)
    if why := _disk(here):
        return JSONResponse({"status": why}, 503)
    return JSONResponse({"status": "ok"})


def _disk(here: Parts) -> str:
    """Why the workspace cannot be written, or will soon be full; empty if it is fine."""
    home, least = here.workspace.path, here.workspace.limits.free
    try:
        with tempfile.TemporaryFile(dir=home) as file:
            file.write(bytes(BLOCK))
        free = shutil.disk_usage(home).free
    except OSError as error:
        return "the disk is full" if DiskFull.of(error) else "the workspace is not writable"
    return f"less than {size(least)} free on the disk of the workspace" if free < least else ""


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
