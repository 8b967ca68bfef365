"""Endpoints about runs of the pipeline: start one, follow it, list them, stop one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.concurrency import run_in_threadpool

from annotation.records.errors import NotFound
from ui.api import jobs_and_exports
from ui.api.gradio_api import Asker
from ui.pages.library.video_list import job_json

TOLD_S = 0.5
"""Between two words on a run. They are sent also when nothing changed: so a stream that nobody reads ends."""


async def run(
    asker: Asker, videos: list[str], stages: list[str] | None = None
) -> AsyncIterator[dict[str, Any]]:
    """Runs the pipeline over videos and tells how far it is until it is over.

    The run waits in the server's queue and belongs to it: when the connection is lost or the call is
    cancelled, it goes on. /progress follows it again, /stop ends it. What is done is not done again.

    Args:
        videos: ids of videos, as in /videos
        stages: names such as scenes, speech, captions, verdicts, with what they need; none: all usual ones

    Returns:
        A stream, twice a second: id of the run, state (queued, running, done, failed, stopped), video, stage,
        done of total, videos_done of videos, left_s, problems. The last one is the answer of `predict`.
    """
    body = jobs_and_exports.JobBody(videos=videos, stages=stages or [])
    started = await run_in_threadpool(jobs_and_exports.start, body, asker.parts, asker.person)
    yield dict(started)
    async for told in progress(asker, started["id"]):
        yield told


async def progress(asker: Asker, run: str) -> AsyncIterator[dict[str, Any]]:
    """Follows a run that somebody started, until it is over. Leaving the stream does not stop the run.

    Args:
        run: id of the run, as in /runs

    Returns:
        A stream as of /run.
    """
    while True:
        found = await run_in_threadpool(_now, asker, run)
        yield found
        if found["finished"]:
            return
        await asyncio.sleep(TOLD_S)


def _now(asker: Asker, run: str) -> dict[str, Any]:
    for job in asker.parts.jobs.list():
        if job.id == run:
            return dict(job_json(job))
    raise NotFound(f"no run {run!r}; /runs lists those that are known")


def runs(asker: Asker) -> list[dict[str, Any]]:
    """Lists the runs of the pipeline, newest first: those that wait, that work, and the last that are over.

    Returns:
        Per run what /progress tells of it.
    """
    return [dict(row) for row in jobs_and_exports.jobs(asker.parts, asker.person)]


def stop(asker: Asker, run: str) -> dict[str, Any]:
    """Asks a run to stop. Requests to models that are on their way are finished, and what is done is kept.

    Args:
        run: id of the run, as in /runs

    Returns:
        How the run stands: stopping, or stopped.
    """
    return dict(jobs_and_exports.stop(run, asker.parts, asker.person))
