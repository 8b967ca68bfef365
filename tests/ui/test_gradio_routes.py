"""The routes that Gradio brings along: what a page may not tell, these do not tell."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from annotation.records.captions_to_verdicts import Verdict
from annotation.records.runs import Run
from annotation.store import tables as t
from tests.bench import Bench
from tests.ui.serving import serving
from ui.web_app import build_app


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Gradio would keep files."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@contextmanager
def outside() -> Iterator[tuple[str, list[str]]]:
    """An address of another server, and what it was asked for."""
    asked: list[str] = []

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_words: object) -> None:
            """Not on the terminal."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/there.txt", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def called(url: str, way: str, data: list[Any]) -> str:
    """What `/videos` answers, by one of the ways that Gradio has to an endpoint."""
    if way == "run":
        return httpx.post(f"{url}/gradio_api/run/videos", json={"data": data}, timeout=60).text
    event = httpx.post(f"{url}/gradio_api/call/videos", json={"data": data}).json()["event_id"]
    return httpx.get(f"{url}/gradio_api/call/videos/{event}", timeout=60).text


@pytest.mark.parametrize("way", ["run", "call"])
def test_what_is_shaped_like_a_file_brings_none(bench: Bench, cache: Path, tmp_path: Path, way: str) -> None:
    """Gradio would copy the path of the server, or fetch the address, before the endpoint sees the value."""
    secret = tmp_path / "secret.svg"
    secret.write_text("words of the server", encoding="utf-8")
    with serving(build_app(bench.workspace, bench.engines)) as port, outside() as (address, asked):
        for path in (str(secret), address):
            shaped = {"path": path, "meta": {"_type": "gradio.FileData"}}
            for value in (shaped, {"a": [shaped]}):
                said = called(f"http://127.0.0.1:{port}", way, ["", value, "need", 0, 1])
                assert "search: give a string" in said, said
        got = httpx.get(f"http://127.0.0.1:{port}/gradio_api/file={secret}")
    assert got.status_code == 404 and not asked
    assert [file for file in cache.rglob("*") if file.is_file()] == []


def test_what_is_shaped_like_a_file_in_an_answer_is_not_fetched(
    bench: Bench, cache: Path, tmp_path: Path
) -> None:
    """An imported log says what it likes of a run: Gradio would copy the path when an endpoint answers so."""
    secret = tmp_path / "secret.txt"
    secret.write_text("words of the server", encoding="utf-8")
    bench.run()
    assert bench.store.count(Run) and bench.store.count(Verdict)
    shaped = {"x": {"path": str(secret), "meta": {"_type": "gradio.FileData"}}}
    with bench.store.writing() as conn:
        conn.execute(update(t.run).values(params=shaped))
    verdict = bench.store.find(Verdict, subject_type="answer")[0].id
    given = {"question": verdict, "script": bench.video.id, "scenes": bench.video.id}
    with serving(build_app(bench.workspace, bench.engines)) as port:
        for name, about in given.items():
            url = f"http://127.0.0.1:{port}/gradio_api/run/{name}"
            said = httpx.post(url, json={"data": [about]}, timeout=60)
            assert said.status_code == 200, said.text
            assert str(cache) not in said.text, name
    assert [file for file in cache.rglob("*") if file.is_file()] == []
