"""Endpoints for runs of the pipeline: start, follow, list and stop them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool

from annotation.records.errors import NotFound
from ui.api import jobs_and_exports
from ui.api.gradio_api import Asker
from ui.pages.library.video_list import job_json

PROGRESS_INTERVAL_S = 0.5
"""Between two progress messages. They are sent even if nothing changed, so that an abandoned stream ends."""


async def run(
    asker: Asker, videos: list[str], stages: list[str] | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Runs the pipeline on videos and streams its progress until it ends.

    The run waits in the server's queue and belongs to it: it continues if the connection is lost or the call
    is cancelled. Use /progress to follow it again and /stop to stop it. Finished work is not repeated.

    Args:
        videos: ids of videos, as in /videos
        stages: names such as scenes, captions, verdicts; required stages are added; none: the usual ones

    Returns:
        A stream with two messages a second: id of the run, state (queued, running, done, failed, stopped),
        video, stage, done of total, videos_done of videos, left_s, problems. `predict` returns the last
        message.
    """
    body = jobs_and_exports.JobBody(videos=videos, stages=stages or [])
    started = await run_in_threadpool(jobs_and_exports.start, body, asker.parts, asker.person)
    yield dict(started)
    async for state in progress(asker, started["id"]):
        yield state


async def progress(asker: Asker, run: str) -> AsyncIterator[dict[str, Any]]:
    """Follows an existing run until it ends. Closing the stream does not stop the run.

    Args:
        run: id of the run, as in /runs

    Returns:
        A stream like that of /run.
    """
    while True:
        found = await run_in_threadpool(_now, asker, run)
        yield found
        if found["finished"]:
            return
        await asyncio.sleep(PROGRESS_INTERVAL_S)


def _now(asker: Asker, run: str) -> dict[str, Any]:
    for job in asker.parts.jobs.list():
        if job.id == run:
            return dict(job_json(job))
    raise NotFound(f"run {run!r} not found; /runs lists all runs")


def runs(asker: Asker) -> list[dict[str, Any]]:
    """Lists the runs of the pipeline, newest first: queued, running and recently finished ones.

    Returns:
        Per run the same fields as a message of /progress.
    """
    return [dict(row) for row in jobs_and_exports.jobs(asker.parts, asker.person)]


def stop(asker: Asker, run: str) -> dict[str, Any]:
    """Stops a run. Requests to models that are in flight are finished, and all results are kept.

    Args:
        run: id of the run, as in /runs

    Returns:
        The state of the run: stopping or stopped.
    """
    return dict(jobs_and_exports.stop(run, asker.parts, asker.person))
