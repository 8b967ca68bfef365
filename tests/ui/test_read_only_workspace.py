"""Pages of a workspace where nothing can be written: they are shown, and an edit says what to do."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.workspace.workspace import Workspace
from exports.sample import import_sample
from tests.small_disk import NOT_WRITABLE
from ui.web_app import build_app


@pytest.mark.parametrize("kind", NOT_WRITABLE)
def test_its_pages_are_served_and_an_edit_says_what_to_do(tmp_path: Path, kind: str) -> None:
    with closing(Workspace(tmp_path / "w")) as space:
        space.owner()
        import_sample(space)
    with NOT_WRITABLE[kind](tmp_path / "w", tmp_path / "disk") as folder, closing(Workspace(folder)) as space:
        app = build_app(space, lambda: make_engines(EngineChoice(speech="none"), space))
        with TestClient(
            app, raise_server_exceptions=False, headers={"Sec-Fetch-Site": "same-origin"}
        ) as client:
            video = client.get("/api/library").json()["videos"][0]["id"]
            for path in ("/", "/script", "/verdicts", "/api/me", f"/api/script/{video}", "/api/jobs"):
                assert client.get(path).status_code == 200, path
            for path in (
                f"/media/{video}/preview/0.jpg",
                f"/media/{video}/file",
                f"/media/{video}/strip/0.jpg",
            ):
                assert client.get(path).status_code == 200, (path, client.get(path).text)
            said = client.post("/api/sample")
            assert said.status_code == 507 and "free some space" in said.json()["error"]
