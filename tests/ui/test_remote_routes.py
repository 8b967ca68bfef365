"""Videos by URL over HTTP: what is taken, what is refused, and what nobody hears."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.records.videos import Video
from annotation.workspace.workspace import Workspace
from backends.text.storable_text import is_storable
from tests.backends.remote.hostile_urls import OUTSIDE, READ_BUT_PRIVATE, UNREADABLE
from tests.bench import Bench
from tests.databases import new_workspace
from tests.file_server import FileServer
from tests.ui.direct_client import DirectClient
from tests.ui.every_route import ROUTES
from tests.ui.test_hostile_requests import SKIPPED, requests
from ui.web_app import build_app

A = "/clips/harbour.mp4"


@pytest.fixture
def server(clip: Path) -> Iterator[FileServer]:
    # Not the bench's own file: another end makes it another video.
    with FileServer({A: clip.read_bytes() + b"\0" * 8}) as made:
        yield made


@pytest.fixture
def allowing(server: FileServer, tmp_path: Path) -> Iterator[Workspace]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "settings.toml").write_text(server.settings_text("/clips/"), encoding="utf-8")
    space = new_workspace(folder)
    yield space
    space.close()


@pytest.fixture
def bench(allowing: Workspace, clip: Path) -> Iterator[Bench]:
    made = Bench(allowing, clip)
    yield made
    made.media.close()


@pytest.fixture
def client(bench: Bench) -> Iterator[DirectClient]:
    app = build_app(bench.workspace, bench.engines)
    with DirectClient(app, headers={"Sec-Fetch-Site": "same-origin"}) as found:
        yield found


def settled(client: DirectClient) -> list[dict]:
    end = time.monotonic() + 240
    while any(not job["finished"] for job in client.get("/api/jobs").json()) and time.monotonic() < end:
        time.sleep(0.05)
    return client.get("/api/jobs").json()


def test_a_url_is_added_and_fetched(client: DirectClient, bench: Bench, server: FileServer) -> None:
    assert client.get("/api/remote").json()["allow"] == [server.url("/clips/")]
    body = {"urls": [f"{server.url(A)}?sig=hushhush"], "run": False}
    answer = client.post("/api/remote", json=body)
    [taken] = answer.json()["files"]
    assert taken["url"] == server.url(A) and taken["title"] == "harbour"
    jobs = settled(client)
    assert [job["state"] for job in jobs] == ["done"], jobs
    assert client.get(f"/media/{taken['video']}/strip/3.jpg").status_code == 200
    assert client.get(f"/media/{taken['video']}/file").content == server.files[A]
    pages = [client.get(path).text for path in ("/api/library", "/api/jobs", f"/api/player/{taken['video']}")]
    assert "hushhush" not in answer.text + "".join(pages)
    again = client.post("/api/remote", json=body).json()["files"]
    assert again[0]["video"] == taken["video"]
    settled(client)
    assert len(server.seen) == 1 and bench.store.count(Video) == 2


def test_a_line_of_a_list_names_its_video_and_a_path_is_refused(
    client: DirectClient, bench: Bench, server: FileServer
) -> None:
    bench.store.add([Video(id="vid-named", title="0001", created_at=1.0)])
    lines = [
        f"0001\t{server.url(A)}",
        "/etc/passwd",
        str(bench.video.path),
        "file:///etc/passwd",
        "0001\t/etc",
    ]
    found = client.post("/api/remote", json={"urls": lines, "run": False}).json()["files"]
    assert (found[0]["video"], found[0]["url"]) == ("vid-named", server.url(A))
    assert ["paths on the server are not accepted" in one["error"] for one in found[1:]] == [
        True,
        True,
        False,
        True,
    ]
    assert [job["state"] for job in settled(client)] == ["done"]
    assert Path(bench.store.get(Video, "vid-named").path or "").read_bytes() == server.files[A]


def test_what_was_fetched_goes_with_its_video(client: DirectClient, bench: Bench, server: FileServer) -> None:
    """The file, and the URL with its secret query."""
    client.post("/api/remote", json={"urls": [f"{server.url(A)}?sig=hushhush"], "run": False})
    settled(client)
    [video] = [v for v in bench.store.find(Video) if v.title == "harbour"]
    fetched = Path(video.path or "")
    assert fetched.is_file()
    client.delete(f"/api/videos/{video.id}").raise_for_status()
    assert not fetched.exists() and not list((bench.workspace.path / "remote").rglob("url.json"))
    own = bench.store.find(Video)[0]
    client.delete(f"/api/videos/{own.id}").raise_for_status()
    assert Path(own.path or "").is_file()


def test_a_missing_file_is_said_and_comes_back_with_a_run(
    client: DirectClient, bench: Bench, server: FileServer
) -> None:
    [taken] = client.post("/api/remote", json={"urls": [server.url(A)], "run": False}).json()["files"]
    settled(client)
    video = bench.store.get(Video, taken["video"])
    Path(video.path or "").unlink()
    answer = client.get(f"/media/{video.id}/file")
    assert answer.status_code == 422 and f"press Run to fetch {server.url(A)}" in answer.json()["error"]
    client.post("/api/jobs", json={"videos": [video.id], "stages": ["probe"]})
    settled(client)
    assert client.get(f"/media/{video.id}/file").content == server.files[A]


HOSTILE = {**UNREADABLE, **READ_BUT_PRIVATE, **OUTSIDE}


def test_hostile_urls_are_refused_one_by_one(client: DirectClient, bench: Bench, server: FileServer) -> None:
    names = [name for name in HOSTILE if is_storable(HOSTILE[name])]
    for start in range(0, len(names), 50):
        some = names[start : start + 50]
        answer = client.post("/api/remote", json={"urls": [HOSTILE[name] for name in some]})
        assert answer.status_code == 200 and answer.json()["job"] is None
        found = answer.json()["files"]
        assert [name for name, one in zip(some, found, strict=True) if "error" not in one] == []
        assert all("\n" not in one["error"] and "secret" not in one["error"] for one in found)
    assert bench.store.count(Video) == 1 and server.seen == []
    assert not (bench.workspace.path / "remote").exists()


def test_urls_that_cannot_be_stored_are_named(client: DirectClient, bench: Bench) -> None:
    answer = client.post("/api/remote", json={"urls": ["https://example.org/a.mp4", HOSTILE["nul"]]})
    assert answer.status_code == 400 and "urls.2" in answer.json()["error"]
    assert bench.store.count(Video) == 1


@pytest.mark.parametrize("urls", [[], ["x"] * 1001, "x", [1], [None]])
def test_what_is_no_list_of_urls(client: DirectClient, urls: object) -> None:
    assert client.post("/api/remote", json={"urls": urls}).status_code == 422


def test_hostile_urls_on_every_route(client: DirectClient, bench: Bench, server: FileServer) -> None:
    """Wherever a client may put words; nothing is asked for, also when its place is allowed elsewhere."""
    chosen = ("chained cache", "host as a user", "upwards encoded")
    words = [HOSTILE[name] for name in chosen] + [server.url("/other/a.mp4")]
    wrong = []
    for name in sorted(set(ROUTES) - set(SKIPPED)):
        for word in words:
            for request in requests(name, bench.video.id, word):
                answer = client.request(**request, follow_redirects=False)
                if answer.status_code >= 500 or b"root:" in answer.content:
                    wrong.append(f"{request['method']} {request['url'][:90]}: {answer.status_code}")
    assert not wrong, "\n".join(sorted(set(wrong))[:40])
    assert server.seen == []
