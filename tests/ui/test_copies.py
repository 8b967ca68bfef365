"""A video that browsers do not play: what the pages are told before and after its copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.workspace.workspace import Workspace
from tests.backends.clips import numbered, write_clip
from tests.bench import Bench
from ui.web_app import build_app


@pytest.fixture
def hevc(tmp_path: Path) -> Iterator[Bench]:
    clip = write_clip(tmp_path / "hevc.mp4", map(numbered, range(12)), codec="libx265")
    space = Workspace(tmp_path / "new")
    made = Bench(space, clip)
    yield made
    made.media.close()
    space.close()


def test_the_copy_is_served_and_the_pages_know(hevc: Bench) -> None:
    video = hevc.video
    with TestClient(build_app(hevc.workspace, hevc.engines)) as client:
        before = client.get(f"/api/player/{video.id}").json()
        assert (before["playable"], before["copy"], before["needs_copy"]) == (False, False, True)
        assert before["why"] == "browsers do not show hevc video"
        assert client.get(f"/media/{video.id}/file").content == Path(video.path or "").read_bytes()
        assert not client.get("/api/library").json()["videos"][0]["playable"]

        hevc.run("probe")
        after = client.get(f"/api/player/{video.id}").json()
        assert (after["playable"], after["copy"], after["needs_copy"]) == (True, True, False)
        assert client.get("/api/library").json()["videos"][0]["playable"]
        copy = hevc.media.copy_of(video)
        assert copy is not None
        part = client.get(f"/media/{video.id}/file?copy", headers={"Range": "bytes=4-7"})
        assert (part.status_code, part.content, part.headers["content-type"]) == (206, b"ftyp", "video/mp4")
        assert client.get(f"/media/{video.id}/file").content == copy.read_bytes()
        head = client.head(f"/media/{video.id}/file")
        assert (head.status_code, head.headers["content-length"]) == (200, str(copy.stat().st_size))
        assert (head.content, head.headers["accept-ranges"]) == (b"", "bytes")
