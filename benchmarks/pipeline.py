"""How long the pipeline takes on the sample, and how fast verdicts come from a server.

    make bench            # or: python -m benchmarks.pipeline

Prints Markdown tables. The server is a real HTTP server on this machine whose replies take a
fixed time, so that the figures show what Dailies adds, not how fast a model is. The peer of the
same run is the `openai` package on its own: the same requests, one at a time and in as many threads as
Dailies may use at most (it starts with few and adds while the server keeps up).
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import openai

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.records.allowed_values import Stage
from annotation.records.videos import Video
from annotation.stages.model_calls import Caller
from annotation.stages.stage_context import software
from annotation.systems.vdc.requests import verdict_request
from annotation.workspace.workspace import Workspace
from backends.chat.defaults import DEFAULT_CONCURRENCY
from backends.chat.registry import chat_model
from backends.protocols import ChatRequest
from exports.sample import fill_sample
from tests.chat_server import ChatServer, normal, slow

VERDICT = "{'pred': 'yes', 'score': 4}"
SERVER_S = 0.1
"""What the server takes for one reply, any number at a time."""


def machine() -> str:
    """One line on where the figures come from."""
    cpu = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    cores = len([line for line in _lines("/proc/cpuinfo") if line.startswith("processor")])
    python = platform.python_version()
    return f"{cores} cores, {cpu or 'unknown processor'}, {platform.system()}, Python {python}"


def _lines(path: str) -> list[str]:
    file = Path(path)
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def time_stages(folder: Path) -> dict[str, float]:
    """Seconds per stage of the sample, the embedded baseline answering, speech recognised."""
    space = Workspace(folder)
    taken: dict[str, float] = defaultdict(float)
    before = time.perf_counter()

    def report(video: Video, stage: Stage, state: str, done: int, total: int, message: str) -> None:
        nonlocal before
        del video, done, total, message  # a reporter is given them; here only the end of a stage counts
        if state in ("done", "failed"):
            now = time.perf_counter()
            taken[stage] += now - before
            before = now

    fill_sample(space, make_engines(EngineChoice(), space), report, Event())
    space.close()
    return dict(taken)


def requests(space: Workspace, count: int) -> list[ChatRequest]:
    """Different verdict requests, as the pipeline sends them."""
    questions = [f"What colour is boat {i}?" for i in range(count)]
    return [verdict_request(space.prompts, question, "red", "It is red.") for question in questions]


def through_dailies(spec: str, wanted: list[ChatRequest], space: Workspace) -> float:
    """Requests per second, each kept in the store."""
    caller, model = Caller(space.store), chat_model(spec)
    begin = time.perf_counter()
    builders = [partial(_same, request) for request in wanted]
    finished = (called for batch in caller.ask_all(model, builders) for _, called in batch)
    answered = sum(called.reply is not None for called in finished)
    seconds = time.perf_counter() - begin
    model.close()
    assert answered == len(wanted)
    return answered / seconds


def _same(request: ChatRequest) -> ChatRequest:
    return request


def plainly(server: ChatServer, wanted: list[ChatRequest], at_once: int) -> float:
    """Requests per second of a pool of threads with the `openai` package; nothing is kept."""
    client = openai.OpenAI(base_url=server.url, api_key="none")

    def ask(request: ChatRequest) -> object:
        words = "\n".join(part.text for part in request.user)
        messages: Any = [{"role": "user", "content": words}]
        return client.chat.completions.create(model=server.models[0], messages=messages)

    begin = time.perf_counter()
    with ThreadPoolExecutor(at_once) as pool:
        assert all(pool.map(ask, wanted))
    return len(wanted) / (time.perf_counter() - begin)


def time_verdicts(folder: Path, count: int) -> list[tuple[str, float]]:
    """Rows of the second table."""
    space = Workspace(folder)
    wanted = requests(space, count)
    with ChatServer(slow(SERVER_S, normal(VERDICT))) as server:
        rows = [
            ("openai package, one at a time", plainly(server, wanted[: count // 20], 1)),
            (f"openai package, {DEFAULT_CONCURRENCY} threads", plainly(server, wanted, DEFAULT_CONCURRENCY)),
            ("Dailies, every reply kept", through_dailies(server.spec, wanted, space)),
            ("Dailies, the same requests again", through_dailies(server.spec, wanted, space)),
        ]
    space.close()
    return rows


def table(head: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    return "\n".join([f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {a} | {b} |" for a, b in rows)])


def main() -> None:
    parser = argparse.ArgumentParser(description="How long the pipeline takes on the sample.")
    parser.add_argument("--requests", type=int, default=2000, help="verdict requests (default 2000)")
    count = parser.parse_args().requests
    versions = ", ".join(f"{name} {version}" for name, version in software().items())
    print(f"{machine()}\n{versions}\n")
    with tempfile.TemporaryDirectory() as folder:
        stages = time_stages(Path(folder) / "stages")
        rows = [(name, f"{seconds:.1f}") for name, seconds in stages.items()]
        print(table(("stage", "seconds"), [*rows, ("all", f"{sum(stages.values()):.1f}")]), end="\n\n")
        rates = time_verdicts(Path(folder) / "verdicts", count)
        base = rates[0][1]
        shown = [(name, f"{rate:.0f} ({rate / base:.1f})") for name, rate in rates]
        print(table((f"{count} verdicts, server {SERVER_S} s each", "a second (ratio)"), shown))


if __name__ == "__main__":
    main()
