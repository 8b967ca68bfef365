"""Models of pages are loaded while the server is quiet, and are kept while pages are open."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.systems.carebench.split_checks import tagging
from annotation.workspace.workspace import Workspace
from backends.idle_models import KeptModel
from tests.bench import Bench
from ui.pages.page_list import PAGES
from ui.requests import event_watch, models_ahead
from ui.requests.event_watch import EventWatch
from ui.requests.models_ahead import ModelsAhead
from ui.web_app import build_app


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> KeptModel[object]:
    """The parser of Split as in a process that has not used it."""
    [split] = [page for page in PAGES if page.name == "split"]
    [model] = split.models
    assert model is tagging.PIPELINE
    monkeypatch.setattr(model, "_model", None)
    return model


def test_the_parser_of_split_is_there_before_its_first_request(
    bench: Bench, parser: KeptModel[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models_ahead, "QUIET_S", 0.1)
    with TestClient(build_app(bench.workspace, bench.engines)):
        until(lambda: parser.is_here)


def test_a_workspace_without_videos_loads_nothing(
    tmp_path: Path, bench: Bench, parser: KeptModel[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(models_ahead, "QUIET_S", 0.1)
    monkeypatch.setattr(models_ahead, "LOOK_S", 0.01)
    empty = Workspace(tmp_path)
    with TestClient(build_app(empty, bench.engines)) as client:
        client.get("/healthz")
        time.sleep(1)
        assert not parser.is_here
    empty.close()


def test_a_model_waits_for_requests_that_come_before_it() -> None:
    last, loaded = time.monotonic() + 0.4, []
    ahead = ModelsAhead([KeptModel(lambda: loaded.append(time.monotonic()) or object())], lambda: last)
    ahead.wanted()
    until(lambda: bool(loaded))
    ahead.close()
    assert loaded[0] - last >= models_ahead.QUIET_S


def test_nothing_is_loaded_when_the_server_ends() -> None:
    loaded: list[bool] = []
    ahead = ModelsAhead([KeptModel(lambda: loaded.append(True) or object())], time.monotonic)
    ahead.wanted()
    ahead.close()
    ahead.wanted()
    assert loaded == []


def test_a_model_that_is_not_installed_stops_nothing() -> None:
    def missing() -> object:
        raise ModuleNotFoundError("no such pipeline")

    here: KeptModel[object] = KeptModel(object)
    ahead = ModelsAhead([KeptModel(missing), here], lambda: 0.0)
    ahead.wanted()
    until(lambda: here.is_here)
    ahead.close()


def test_models_are_wanted_while_a_page_is_open(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_watch, "OPEN_S", 0.1)
    monkeypatch.setattr(event_watch, "POLL_S", 0.05)
    calls: list[float] = []
    owner = bench.workspace.owner()
    watch = EventWatch(bench.store, list, lambda: None, "one", lambda: calls.append(time.monotonic()))

    async def listen() -> None:
        async with aclosing(watch.stream(owner, lambda: owner, None)) as lines:
            await anext(lines)
            while len(calls) < 3:
                await asyncio.sleep(0.02)

    asyncio.run(asyncio.wait_for(listen(), 20))
    until(lambda: not watch.working)
    heard = len(calls)
    time.sleep(0.5)
    assert len(calls) == heard
