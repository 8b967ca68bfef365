"""Runs of commands, seen by a server on the same workspace: at work, with progress, stopped, killed."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from fastapi.testclient import TestClient

from annotation.pipeline.jobs_across_processes import Job, JobBoard
from annotation.records.runs import RunVideo
from tests.annotation.pipeline.test_honest_states import PLAIN, wait_for
from tests.app_process import AppProcess
from tests.bench import Bench
from tests.chat_server import ChatServer, Seen
from ui.web_app import build_app

STAGES = ("--stages", "probe,scenes,captions")


@pytest.fixture
def held() -> Event:
    """Captions are answered once it is set."""
    return Event()


@pytest.fixture
def server(held: Event) -> Iterator[ChatServer]:
    first: list[int] = []

    def behave(seen: Seen) -> str:
        """Requests with one token find out what the server takes; one caption is answered at once."""
        if seen.body["max_tokens"] > 1:
            first.append(seen.number)
            held.wait(120 if len(first) > 1 else 0)
        return f"Reply number {seen.number}."

    with ChatServer(behave) as made:
        yield made
        held.set()


@pytest.fixture
def page(bench: Bench) -> Iterator[TestClient]:
    with TestClient(build_app(bench.workspace, bench.engines)) as client:
        yield client


def run(bench: Bench, server: ChatServer, *more: object) -> AppProcess:
    path = str(bench.video.path)
    space = ("-w", bench.workspace.path, "--database", bench.store.url)
    return AppProcess("run", path, *space, *PLAIN, *STAGES, "--captioner", server.spec, *more)


def captions(page: TestClient) -> dict[str, Any]:
    [row] = page.get("/api/library").json()["videos"]
    return next(stage for stage in row["stages"] if stage["stage"] == "captions")


def jobs(page: TestClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.get("/api/jobs").json()
    return found


def at_work(page: TestClient) -> dict[str, Any]:
    """The one job, once it is at the captions."""
    return wait_for(lambda: next((j for j in jobs(page) if j["stage"] == "captions"), None))


@pytest.mark.parametrize("more", [(), ("--processes", "2")])
def test_a_run_of_a_command_is_shown_while_it_goes_on_and_when_it_is_over(
    bench: Bench, server: ChatServer, page: TestClient, held: Event, more: Sequence[str]
) -> None:
    process = run(bench, server, *more)
    job = at_work(page)
    assert (job["state"], job["video"], job["video_ids"]) == ("running", bench.video.title, [bench.video.id])
    assert job["stages"] == ["probe", "scenes", "captions"] and job["total"] == 5
    assert wait_for(lambda: captions(page)["state"] == "running")
    held.set()
    _, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    [over] = jobs(page)
    assert (over["state"], over["videos_done"], over["problems"]) == ("done", 1, [])
    assert over["took"].startswith("5 calls") and captions(page)["state"] == "done"


def test_a_run_of_a_command_is_stopped_from_a_page(
    bench: Bench, server: ChatServer, page: TestClient, held: Event
) -> None:
    process = run(bench, server)
    job = at_work(page)
    wait_for(lambda: len(server.seen) > 1)  # one that is held back
    assert page.post(f"/api/jobs/{job['id']}/stop").status_code == 200
    wait_for(lambda: jobs(page)[0]["state"] == "stopping")
    posted = bench.workspace.path / "jobs" / f"{job['id']}.json"
    wait_for(lambda: '"state": "stopping"' in posted.read_text(encoding="utf-8"))  # the process knows, too
    held.set()
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert jobs(page)[0]["state"] == captions(page)["state"] == "stopped"


def test_a_run_that_was_killed_is_shown_as_interrupted(
    bench: Bench, server: ChatServer, page: TestClient
) -> None:
    process = run(bench, server)
    at_work(page)
    wait_for(lambda: captions(page)["state"] == "running")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    [job] = jobs(page)
    assert job["state"] == "failed" and "its process ended" in job["problems"][0]
    assert captions(page)["state"] == "stopped" and "interrupted" in captions(page)["message"]


def test_a_run_that_shares_the_database_alone_is_known_by_its_rows(bench: Bench, page: TestClient) -> None:
    """As of a process on another machine, with a workspace folder of its own."""
    bench.run("probe")
    [row] = bench.store.find(RunVideo)
    for age, state in ((5.0, "running"), (600.0, "stopped")):
        bench.store.put(replace(row, state="running", updated_at=time.time() - age))
        [shown] = page.get("/api/library").json()["videos"]
        assert shown["stages"][0]["state"] == state


def test_a_job_that_waits_or_does_other_stages_is_not_at_a_killed_stage(
    bench: Bench, page: TestClient
) -> None:
    bench.run("probe")
    [row] = bench.store.find(RunVideo)
    bench.store.put(replace(row, state="running", updated_at=time.time() - 86_400))
    board = JobBoard(bench.workspace.path / "jobs")
    shown = {}
    for state, stages in product(("queued", "running", "stopping"), (("probe",), ("scenes",))):
        board.post(Job("job-1", (bench.video,), stages, time.time(), state=state))
        [video] = page.get("/api/library").json()["videos"]
        shown[state, stages[0]] = video["stages"][0]["state"]
    board.close()
    at_work = {("running", "probe"), ("stopping", "probe")}
    assert shown == {key: "running" if key in at_work else "stopped" for key in shown}


def test_the_folder_of_jobs_holds_no_lock_of_a_command_that_ended(
    bench: Bench, server: ChatServer, held: Event
) -> None:
    held.set()
    run(bench, server).communicate(timeout=120)
    assert [file.suffix for file in Path(bench.workspace.path / "jobs").iterdir()] == [".json"]
