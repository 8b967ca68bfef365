"""The stream of events: what is told to whom, over processes, and that nothing of it stays behind."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import time
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from annotation.editing import assignments, edits
from annotation.people import accounts
from annotation.people.passwords import hash_password
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import Person
from annotation.workspace.workspace import Workspace
from backends.chat.ports import free_port
from tests.app_process import AppProcess
from tests.bench import Bench
from ui.auth.current_person import Account, AuthRules
from ui.requests import event_watch
from ui.requests.event_watch import EventWatch
from ui.web_app import build_app


def watch_of(bench: Bench, runs: list[Mapping[str, object]] | None = None) -> EventWatch:
    return EventWatch(bench.store, runs=lambda: list(runs or []), loading=lambda: None, version="one")


async def heard(lines: AsyncGenerator[str, None], name: str, seconds: float = 10) -> dict[str, Any]:
    """The next event of this name."""
    async with asyncio.timeout(seconds):
        async for line in lines:
            if line.startswith(f"event: {name}\n"):
                return dict(json.loads(line.split("data: ", 1)[1]))
    raise AssertionError(f"the stream ended without {name!r}")


def correct(space: Workspace, who: Person) -> str:
    """Somebody's correction, written as by another process; the id of its video."""
    verdict = space.store.find(Verdict)[0]
    edits.apply_edit(
        space.store, who, edits.Edit("verdict", verdict.id, "verdict", {"label": "no", "score": 1}, 0)
    )
    return str(verdict.video_id)


def test_a_change_of_another_process_is_told_with_names(bench: Bench) -> None:
    ana, other = bench.workspace.add_person("ana", "annotator"), Workspace(bench.workspace.path)
    watch = watch_of(bench)

    async def listen() -> tuple[dict[str, Any], dict[str, Any], str]:
        lines = watch.stream(ana, lambda: ana, None)
        hello = await heard(lines, "hello")
        video = await asyncio.to_thread(correct, other, ana)
        return hello, await heard(lines, "changed"), video

    hello, changed, video = asyncio.run(listen())
    other.close()
    assert hello["version"] == "one"
    assert changed["number"] > hello["number"]
    assert (changed["videos"], changed["by"]) == ([video], ["ana"])


def test_work_that_is_given_is_a_change(bench: Bench) -> None:
    owner = bench.workspace.owner()
    watch = watch_of(bench)

    async def listen() -> dict[str, Any]:
        lines = watch.stream(owner, lambda: owner, None)
        await heard(lines, "hello")
        await asyncio.to_thread(assignments.assign, bench.store, owner, [bench.video.id], owner.id, "script")
        return await heard(lines, "changed")

    assert asyncio.run(listen())["videos"] == [bench.video.id]


def test_a_person_with_another_role_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_watch, "PERSON_S", 0.1)
    ana = bench.workspace.add_person("ana", "annotator")
    watch = watch_of(bench)

    async def listen() -> None:
        lines = watch.stream(ana, lambda: bench.store.get(Person, ana.id), None)
        await heard(lines, "hello")
        await asyncio.to_thread(accounts.set_role, bench.store, ana.id, "expert", last=True)
        await heard(lines, "person")

    asyncio.run(listen())


def test_who_comes_back_is_told_what_was_missed(bench: Bench) -> None:
    owner = bench.workspace.owner()
    watch = watch_of(bench)

    async def listen() -> dict[str, Any]:
        lines = watch.stream(owner, lambda: owner, None)
        number = (await heard(lines, "hello"))["number"]
        await lines.aclose()
        await asyncio.to_thread(correct, bench.workspace, owner)
        return await heard(watch.stream(owner, lambda: owner, number), "changed")

    assert asyncio.run(listen())["videos"] == [bench.video.id]


def test_runs_are_told_when_they_stand_differently(bench: Bench) -> None:
    owner = bench.workspace.owner()
    runs: list[Mapping[str, object]] = [{"id": "job-1", "done": 1}]
    watch = watch_of(bench, runs)

    async def listen() -> tuple[object, object]:
        lines = watch.stream(owner, lambda: owner, None)
        first = await heard(lines, "jobs")
        runs[0] = {"id": "job-1", "done": 2}
        return first["jobs"], (await heard(lines, "jobs"))["jobs"]

    assert asyncio.run(listen()) == ([{"id": "job-1", "done": 1}], [{"id": "job-1", "done": 2}])


def test_streams_that_end_leave_nothing_behind(bench: Bench) -> None:
    owner = bench.workspace.owner()
    watch = watch_of(bench)

    async def come_and_go() -> None:
        for _ in range(5):
            lines = watch.stream(owner, lambda: owner, None)
            await heard(lines, "hello")
            await lines.aclose()

    asyncio.run(come_and_go())
    end = time.monotonic() + 10
    while watch.working:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert watch.listening == 0


def test_a_session_that_is_over_ends_the_stream(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_watch, "PERSON_S", 0.1)
    owner = bench.workspace.owner()
    watch = watch_of(bench)

    async def listen() -> list[str]:
        here = [True]
        lines = watch.stream(owner, lambda: owner if here else None, None)
        await heard(lines, "hello")
        here.clear()
        return [line async for line in lines]

    assert asyncio.run(listen())[-1].startswith("event: over\n")


def test_strangers_hear_nothing(bench: Bench) -> None:
    accounts = [Account("ana", "admin", hash_password("a long password"))]
    with TestClient(build_app(bench.workspace, bench.engines, AuthRules(accounts))) as client:
        assert client.get("/api/events").status_code == 401


def test_the_server_ends_at_once_although_pages_listen(tmp_path: Path) -> None:
    port = free_port()
    with AppProcess("serve", "--workspace", tmp_path / "workspace", "--port", port) as app:
        try:
            stream = _opened(port)
            assert stream.readline() == b"event: hello\n"
            asked = time.monotonic()
            os.kill(app.pid, signal.SIGTERM)
            assert b"event: over" not in stream.read()
            app.wait(30)
            assert time.monotonic() - asked < 4
        finally:
            app.kill()


def _opened(port: int) -> http.client.HTTPResponse:
    end = time.monotonic() + 60
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/api/events")
            return connection.getresponse()
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.1)
