"""An idle server: it takes no processor time, also after a visit of the Demo, and gives memory back."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from gradio import Blocks
from gradio.queueing import Queue

from backends.chat.ports import free_port
from tests.app_process import ROOT
from tests.backends.clips import textured, write_clip
from tests.ui.demo_visitor import Visitor
from ui.api import idle_queue
from ui.api.idle_queue import LOOPS, IdleQueue

NEEDS_PROC = pytest.mark.skipif(sys.platform != "linux", reason="no /proc beside Linux")
SAME_SITE = {"Sec-Fetch-Site": "same-origin"}
MB = 1 << 20
MOST_KEPT = 150 * MB
"""Beside what a fresh server holds, after a run with Whisper and RapidOCR: libraries, and no models."""


@contextmanager
def served(folder: Path, *flags: str) -> Iterator[tuple[int, str]]:
    """The process and the address of a server."""
    url = f"http://127.0.0.1:{(port := free_port())}"
    words = [sys.executable, "app.py", "serve", "--workspace", str(folder / "w"), "--port", str(port), *flags]
    with subprocess.Popen(words, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
        try:
            end = time.monotonic() + 120
            while True:
                try:
                    assert httpx.get(f"{url}/api/me", timeout=60).status_code == 200
                    break
                except httpx.TransportError:
                    assert process.poll() is None and time.monotonic() < end
                    time.sleep(0.2)
            yield process.pid, url
        finally:
            process.kill()


def processor_s(pid: int) -> float:
    """User and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def own_memory(pid: int) -> int:
    """Bytes in memory that no file holds."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("RssAnon:"))


@NEEDS_PROC
def test_an_idle_server_takes_no_processor_time(tmp_path: Path) -> None:
    """After calls in both of Gradio's queues: the Demo's, and that of programs."""
    film = write_clip(tmp_path / "film.mp4", [textured(3, 90.0)] * 30)
    with served(tmp_path, "--speech", "none", "--ocr", "none") as (pid, url):
        visitor = Visitor(url)
        (clip,) = visitor.upload(film).json()
        assert visitor.run(clip).status_code == 200
        assert visitor.outcome()["success"]
        for _ in range(2):  # the second call finds the queue at rest
            event = httpx.post(f"{url}/gradio_api/call/videos", json={"data": ["", "", "need", 0, 1]}).json()[
                "event_id"
            ]
            answer = httpx.get(f"{url}/gradio_api/call/videos/{event}", timeout=60).text
            assert answer.startswith("event: complete"), answer
            time.sleep(1.5)
        visitor.client.close()
        time.sleep(5)
        before, seconds = processor_s(pid), 8
        time.sleep(seconds)
        assert processor_s(pid) - before < 0.01 * seconds


def test_gradio_has_what_lets_its_queue_rest() -> None:
    queue = Queue(True, 1, 1.0, None, None)  # type: ignore[arg-type]  # of no blocks: nothing is called
    assert all(callable(getattr(queue, name)) for name in (*LOOPS, "push", "get_active_worker_count"))
    assert queue.stopped is False and len(queue) == 0
    source = Path(sys.modules[Queue.__module__].__file__ or "").read_text(encoding="utf-8")
    for name in LOOPS:
        assert f"run_coro_in_background(self.{name})" in source, (
            "another start of the loops: see ui/api/idle_queue.py"
        )


@NEEDS_PROC
def test_memory_of_a_run_is_given_back(tmp_path: Path) -> None:
    with served(tmp_path) as (pid, url), httpx.Client(base_url=url, headers=SAME_SITE, timeout=120) as client:
        time.sleep(1)
        fresh = own_memory(pid)
        with (ROOT / "sample" / "clip.mp4").open("rb") as film:
            sent = client.post("/api/files?run=false", files={"files": ("film.mp4", film)})
        video = sent.json()["files"][0]["video"]
        asked = {"videos": [video], "stages": ["probe", "scenes", "speech", "text"]}
        job = client.post("/api/jobs", json=asked).json()["id"]
        end, most = time.monotonic() + 240, 0
        while (state := next(j for j in client.get("/api/jobs").json() if j["id"] == job))["state"] != "done":
            assert state["state"] in ("queued", "running") and time.monotonic() < end, state
            most = max(most, own_memory(pid))
            time.sleep(0.2)
        time.sleep(1)
        assert most > fresh + 200 * MB, "the models were loaded"
        assert own_memory(pid) < fresh + MOST_KEPT, (fresh // MB, most // MB, own_memory(pid) // MB)


def test_a_queue_ends_with_the_server_also_while_its_loops_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancellation that comes while a loop is being cancelled ends both."""
    monkeypatch.setattr(idle_queue, "LINGER_S", 0)

    async def cancelled_meanwhile() -> bool:
        ending = asyncio.Event()

        class SlowToEnd(Queue):
            async def start_processing(self) -> None:
                try:
                    await asyncio.sleep(60)
                finally:
                    ending.set()
                    await asyncio.sleep(0.05)

        queue = SlowToEnd(True, 1, 0, None, Blocks())
        IdleQueue(queue)._calls.set()
        outer = asyncio.create_task(queue.start_processing())
        await ending.wait()
        outer.cancel()
        await asyncio.wait([outer], timeout=2)
        return outer.cancelled()

    assert asyncio.run(cancelled_meanwhile())


def test_a_queue_at_rest_is_never_marked_as_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that comes while the loops end would be refused, and streams that are open would end."""
    monkeypatch.setattr(idle_queue, "LINGER_S", 0)

    async def seen() -> set[bool]:
        queue = Queue(True, 1, 0, None, Blocks())
        resting = IdleQueue(queue)
        queue.start()
        found = set()
        for _ in range(20):
            resting._calls.set()
            for _ in range(20):
                await asyncio.sleep(0)
                found.add(queue.stopped)
        return found

    assert asyncio.run(seen()) == {False}
