"""The pages stay light: a handful of Gradio components, whatever the videos hold."""

from __future__ import annotations

from fastapi.testclient import TestClient

from benchmarks.page_speed import MOST_COMPONENTS
from tests.bench import Bench
from ui.app import build_app


def test_all_pages_together_have_few_components(bench: Bench) -> None:
    with TestClient(build_app(bench.workspace, bench.engines)) as client:
        found = client.get("/config").json()["components"]
    assert 0 < len(found) <= MOST_COMPONENTS
