"""Several processes on the same videos: nothing is asked twice, runs are seen and stopped from each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest
from filelock import FileLock

from annotation.pipeline import jobs_across_processes
from annotation.pipeline.background_jobs import Jobs
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.records.captions_to_verdicts import Text
from annotation.records.runs import ModelCall, RunVideo
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.stages.model_calls import Caller
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.chat.registry import chat_model
from backends.errors import Stopped
from backends.protocols import ChatRequest, Part
from tests.bench import Bench
from tests.chat_server import ChatServer, Seen
from tests.processes import PROCESSES, at_once

WAIT_S = 120.0


def never_the_same(seen: Seen) -> str:
    time.sleep(0.05)
    return f"Reply number {seen.number}."


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(never_the_same) as made:
        yield made


def wait_for(true: Callable[[], Any]) -> Any:
    until = time.monotonic() + WAIT_S
    while not (found := true()):
        assert time.monotonic() < until
        time.sleep(0.05)
    return found


def captioned(own: Workspace, _turn: int, _number: int, captioner: str, video: Video) -> str:
    engines = make_engines(EngineChoice(captioner=captioner, speech="none"), own)
    media = MediaLibrary(own.media)
    context = new_context(own, engines, media, lambda *_: None)
    result = run_video(context, video, chosen_stages(["probe", "scenes", "captions"]))
    media.close()
    return "; ".join(result.problems)


def test_a_video_that_all_run_at_once_is_asked_about_once(bench: Bench, server: ChatServer) -> None:
    run = partial(captioned, captioner=server.spec, video=bench.video)
    assert at_once(bench.workspace, run, 1) == [[""] * PROCESSES]
    asked = Counter(repr(seen.body["messages"]) for seen in server.seen)
    assert set(asked.values()) == {1}
    calls = {call.id: call.reply for call in bench.store.find(ModelCall)}
    assert len(calls) == len(server.seen)
    texts = bench.store.find(Text)
    assert len(texts) == 5 and all(text.value == calls[text.call_id or ""] for text in texts)
    assert {row.state for row in bench.store.find(RunVideo)} == {"done"}


def test_who_waits_for_another_process_can_be_stopped(bench: Bench) -> None:
    stop = Event()
    context = bench.context(bench.engines(), stop)
    with FileLock(bench.media.folder_of(bench.video) / "turn.lock"), ThreadPoolExecutor(1) as pool:
        running = pool.submit(run_video, context, bench.video, chosen_stages(["probe"]))
        wait_for(lambda: ("probe", "waiting", "another process is working on this video") in bench.reports)
        stop.set()
        with pytest.raises(Stopped, match="another process"):
            running.result(WAIT_S)
    assert run_video(bench.context(bench.engines()), bench.video, chosen_stages(["probe"])).problems == []


def test_of_two_replies_to_one_request_the_kept_one_counts_for_both(bench: Bench, server: ChatServer) -> None:
    """As when two processes send the same request at once, each with a cache of its own."""
    stores = [Store(bench.store.url) for _ in range(4)]
    gate = Barrier(len(stores))

    def ask(store: Store) -> tuple[str | None, str]:
        caller, model = Caller(store), chat_model(server.spec)
        request = ChatRequest(stage="verdict", system="Judge.", user=(Part(text="Is it?"),))
        gate.wait()
        called = caller.ask(model, request)
        assert called.reply
        return called.call_id, called.reply.text

    with ThreadPoolExecutor(len(stores)) as pool:
        given = set(pool.map(ask, stores))
    [call] = bench.store.find(ModelCall)
    assert given == {(call.id, call.reply)}
    assert len(server.seen) == len(stores)
    for store in stores:
        store.close()


# --- runs of the app ---------------------------------------------------------------------


@pytest.fixture
def apps(bench: Bench, server: ChatServer) -> Iterator[list[Jobs]]:
    """Two, as in two processes."""
    choice = EngineChoice(captioner=server.spec, speech="none")
    made = [
        Jobs(bench.workspace, bench.media, lambda: make_engines(choice, bench.workspace)) for _ in range(2)
    ]
    yield made
    for jobs in made:
        jobs.close()


def test_a_run_is_seen_and_stopped_in_another_process(
    bench: Bench, server: ChatServer, apps: list[Jobs]
) -> None:
    first, second = apps
    release = Event()

    def slow(seen: Seen) -> str:
        """The questions at the start find out what the server takes; those of the run have to wait."""
        return never_the_same(seen) if seen.body["max_tokens"] == 1 or release.wait(WAIT_S) else ""

    server.behaviour = slow
    job = first.start([bench.video], chosen_stages(["probe", "captions"]))
    [seen] = second.list()
    assert (seen.id, seen.videos[0].title, seen.stages) == (job.id, bench.video.title, job.stages)
    wait_for(lambda: server.seen and second.list()[0].stage == "captions")
    assert second.list()[0].state == "running"
    assert second.stop(job.id).state == "stopping"
    wait_for(lambda: job.state == "stopping" and job.stop.is_set())
    release.set()
    wait_for(lambda: second.list()[0].finished)
    assert [jobs.list()[0].state for jobs in apps] == ["stopped"] * 2
    assert second.own() == [] and len(first.own()) == 1
    assert second.stop("job-that-is-none") is None


def test_a_run_whose_process_was_killed_is_told_as_ended(bench: Bench, apps: list[Jobs]) -> None:
    first, second = apps
    job = first.start([bench.video], chosen_stages(["probe"]))
    wait_for(lambda: job.finished)
    wait_for(lambda: second.list()[0].finished)
    job.finished, job.state = 0.0, "running"
    first._board.post(job)
    assert [one.state for one in second.list()] == ["running"]
    first._board.close()  # the system lets go of the lock of a process that is killed
    [ended] = second.list()
    assert (ended.state, ended.problems) == ("failed", [jobs_across_processes.ENDED])
    assert ended.finished


def test_runs_that_are_long_over_are_cleared_away(
    bench: Bench, apps: list[Jobs], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = apps
    job = first.start([bench.video], chosen_stages(["probe"]))
    wait_for(lambda: second.list()[0].finished)
    folder = Path(bench.workspace.path / "jobs")
    (folder / "job-broken.json").write_text("{")
    assert [one.id for one in second.list()] == [job.id]
    monkeypatch.setattr(jobs_across_processes, "KEPT_S", -1.0)
    assert second.list() == [] and not (folder / f"{job.id}.json").exists()
    assert [one.id for one in first.list()] == [job.id]
