"""Videos by URL through the pipeline: added, worked on, fetched again, and refused."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from annotation.intake.remote_lists import attach_list, read_list
from annotation.intake.remote_videos import add_remote, announce, urls_in
from annotation.pipeline.background_jobs import Jobs
from annotation.pipeline.counts_of_video import video_summary
from annotation.pipeline.engines import EngineChoice, choose, make_engines
from annotation.pipeline.stage_registry import stages_named
from annotation.pipeline.stage_runner import new_context, run_video
from annotation.records.allowed_values import Stage
from annotation.records.runs import RunVideo
from annotation.records.videos import Video
from annotation.stages.media_library import MediaLibrary
from annotation.workspace.workspace import Workspace
from backends.errors import MediaError, Stopped, UsageError
from backends.remote.url_rules import read_url
from exports.catalogue import format_registry as formats
from tests.databases import new_workspace
from tests.file_server import FileServer, cut_after, once, slow
from ui.pages.library.video_list import LibraryRequest, library_json

A = "/clips/harbour.mp4"


@pytest.fixture
def server(clip: Path) -> Iterator[FileServer]:
    with FileServer({A: clip.read_bytes(), "/clips/page.mp4": b"<html>secret page</html>"}) as made:
        yield made


@pytest.fixture
def space(server: FileServer, tmp_path: Path) -> Iterator[Workspace]:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "settings.toml").write_text(server.settings_text("/clips/"), encoding="utf-8")
    made = new_workspace(folder)
    yield made
    made.close()


def quiet(*_: object) -> None:
    """Nobody listens."""


def add(space: Workspace, server: FileServer, path: str = A) -> Video:
    return add_remote(space, read_url(server.url(path)), quiet)


def work(space: Workspace, video: Video, *stages: Stage, stop: Event | None = None) -> list[str]:
    """The problems of a run."""
    media = MediaLibrary(space.media)
    context = new_context(space, make_engines(EngineChoice(speech="none"), space), media, quiet, stop)
    try:
        return run_video(context, video, stages_named(stages)).problems
    finally:
        media.close()


def test_a_url_is_a_video_like_any_other(space: Workspace, server: FileServer, clip: Path) -> None:
    video = add(space, server)
    assert video.title == "harbour" and video.facts and video.facts.frames == 100
    assert Path(video.path or "").read_bytes() == clip.read_bytes()
    assert work(space, video, "probe", "scenes") == []
    assert video_summary(space.store, video)["scenes"] == 2
    assert add(space, server).id == video.id and len(server.seen) == 1


def test_what_was_deleted_is_fetched_again(space: Workspace, server: FileServer) -> None:
    video = add(space, server, f"{A}?sig=secret")
    Path(video.path or "").unlink()
    row = library_json(space.store, LibraryRequest(""))["videos"][0]
    assert not row["file"] and "Run downloads it" in row["why_no_file"] and "secret" not in json.dumps(row)
    media = MediaLibrary(space.media)
    with pytest.raises(MediaError, match="press Run to fetch"):
        media.thumbnail(video, 3).result()
    assert work(space, video, "questions") == [] and len(server.seen) == 1, "no stage that needs it"
    assert work(space, space.store.get(Video, video.id), "probe") == []
    assert [path for path, _ in server.seen] == [f"{A}?sig=secret"] * 2
    assert media.thumbnail(video, 3).result().exists()
    media.close()


def test_another_file_at_the_same_place_is_refused(space: Workspace, server: FileServer, clip: Path) -> None:
    video = add(space, server)
    Path(video.path or "").unlink()
    server.files[A] = clip.read_bytes() + b"\0" * 8
    assert "the file has changed at this address" in work(space, video, "probe")[0]
    other = add(space, server)
    assert other.id != video.id and other.path != video.path
    assert not Path(video.path or "").exists(), "the first video never shows the second's frames"


def test_a_signed_url_whose_whole_is_gone(space: Workspace, server: FileServer) -> None:
    video = add(space, server, f"{A}?sig=secret")
    for file in sorted((space.path / "remote").rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    assert "add it again with the whole URL" in work(space, video, "probe")[0]
    plain = add(space, server)
    for file in sorted((space.path / "remote").rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    assert work(space, space.store.get(Video, plain.id), "probe") == []


def test_no_file_holds_the_signature(space: Workspace, server: FileServer, tmp_path: Path) -> None:
    add(space, server, f"{A}?X-Signature=hushhush")
    space.store.engine.dispose()
    held = [f.name for f in space.path.rglob("*") if f.is_file() and b"hushhush" in f.read_bytes()]
    assert held == ["url.json"]
    (file,) = formats.write(space.store, "dailies-jsonl", tmp_path / "out.jsonl")
    text = file.read_text(encoding="utf-8")
    assert "hushhush" not in text and server.url(A) in text


def test_what_is_no_video_does_not_stay(space: Workspace, server: FileServer) -> None:
    with pytest.raises(MediaError) as error:
        add(space, server, "/clips/page.mp4?sig=hushhush")
    words = str(error.value)
    assert words.startswith(f"{server.url('/clips/page.mp4')}: ")
    assert "secret" not in words and "hushhush" not in words and str(space.path) not in words
    assert not list((space.path / "remote").rglob("*.mp4"))
    assert space.store.count(Video) == 0


@pytest.mark.parametrize("text", ["https://videos.example.org/a.mp4", "file:///etc/passwd", "x"])
def test_what_may_not_be_announced(space: Workspace, text: str) -> None:
    with pytest.raises(UsageError):
        announce(space, text)
    with pytest.raises(UsageError):
        urls_in(space, text)
    assert space.store.count(Video) == 0 and not (space.path / "remote").exists()


def job_over(space: Workspace, videos: list[Video], *stages: Stage) -> Any:
    media = MediaLibrary(space.media)
    jobs = Jobs(space, media, lambda: make_engines(EngineChoice(speech="none"), space))
    job = jobs.start(videos, stages_named(stages))
    end = time.monotonic() + 240
    while not job.finished and time.monotonic() < end:
        time.sleep(0.02)
    media.close()
    return job


def test_an_announced_video_is_fetched_by_the_job(space: Workspace, server: FileServer) -> None:
    video = announce(space, server.url(A))
    assert video.path is None and server.seen == []
    assert announce(space, server.url(A)).id == video.id and space.store.count(Video) == 1
    job = job_over(space, [video], "probe", "scenes")
    assert job.state == "done", job.problems
    here = space.store.get(Video, video.id)
    assert here.facts and here.sha256 and Path(here.path or "").is_file()


def test_a_job_says_why_there_is_no_file(space: Workspace, server: FileServer) -> None:
    video = announce(space, server.url("/clips/none.mp4?sig=hushhush"))
    job = job_over(space, [video], "probe", "scenes")
    assert job.state == "failed" and "no such file (404)" in job.problems[0]
    row = space.store.find(RunVideo, video_id=video.id)[0]
    assert (row.stage, row.state) == ("probe", "failed") and "404" in row.message
    assert "hushhush" not in row.message + "".join(job.problems)


def test_the_file_of_another_video_is_told(space: Workspace, server: FileServer, clip: Path) -> None:
    first = add(space, server)
    server.files["/clips/copy.mp4"] = clip.read_bytes()
    job = job_over(space, [announce(space, server.url("/clips/copy.mp4"))], "probe")
    assert "the same file as that of 'harbour'" in job.problems[0]
    assert [video.id for video in space.store.find(Video)] == [first.id]


def test_a_job_can_be_stopped_while_it_fetches(space: Workspace, server: FileServer) -> None:
    server.behave[A] = slow(0.1, 2000)
    video, stop = announce(space, server.url(A)), Event()
    stop.set()
    with pytest.raises(Stopped):
        work(space, video, "probe", stop=stop)
    server.behave.clear()
    assert work(space, video, "probe") == []


def test_a_cut_connection_goes_on(space: Workspace, server: FileServer) -> None:
    server.behave[A] = once(cut_after(5000))
    assert add(space, server).facts
    assert server.seen[1][1]["Range"] == "bytes=5000-"


def test_a_record_that_names_a_hostile_place_asks_nobody(space: Workspace, server: FileServer) -> None:
    """As a file from elsewhere may bring it."""
    for number, source in enumerate(
        (
            {"url": "http://169.254.169.254/latest/", "key": "x"},
            {"url": "file:///etc/passwd"},
            {"url": 3},
            "x",
            {"url": server.url("/clips/../x.mp4"), "key": "../../../etc"},
            {"key": "a" * 32},
            None,
        )
    ):
        video = Video(id=f"vid-{number}", title="t", created_at=0.0, extra={"remote": source})
        space.store.put(video)
        assert work(space, video, "probe"), source
    assert server.seen == []


# --- lists ---------------------------------------------------------------------------------------


def test_a_list_gives_the_videos_of_datasets_their_files(
    space: Workspace, server: FileServer, clip: Path, tmp_path: Path
) -> None:
    for name in ("harbour", "market", "lost"):
        space.store.put(Video(id=f"vid-{name}", title=name, created_at=0.0))
    server.files["/clips/0001.mp4"] = clip.read_bytes() + b"\0" * 8
    file = tmp_path / "urls.txt"
    file.write_text(
        "\n".join(
            [
                "# where they are",
                "",
                server.url(A),
                f"market\t{server.url('/clips/0001.mp4?sig=hushhush')}",
                server.url("/clips/unused.mp4"),
                "https://elsewhere.example/lost.mp4",
                "file:///lost.mp4",
            ]
        )
    )
    told: list[str] = []
    found = attach_list(space, file, lambda name, *_: told.append(name))
    assert sorted(found.attached) == ["harbour", "market"] and found.missing == ["lost"]
    assert found.unused == 1 and set(told) == {"harbour.mp4", "market"}
    assert [where for where, _ in found.problems] == ["line 4", "line 5"]
    assert "hushhush" not in str(found)
    assert {path.partition("?")[0] for path, _ in server.seen} == {A, "/clips/0001.mp4"}
    assert space.store.get(Video, "vid-market").facts


def test_a_list_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe\x00")
    for name in ("a.txt", "none.txt"):
        with pytest.raises(UsageError, match="one URL or path a line"):
            read_list(tmp_path / name)


def test_an_announced_url_is_the_file_of_the_video_that_waits_for_it(
    space: Workspace, server: FileServer
) -> None:
    space.store.put(Video(id="vid-x", title="harbour", created_at=0.0, extra={"video_name": "harbour.mp4"}))
    video = announce(space, server.url(A))
    assert video.id == "vid-x" and video.extra["video_name"] == "harbour.mp4"


def test_a_web_folder_is_refused(space: Workspace, server: FileServer) -> None:
    with pytest.raises(MediaError, match="do not list folders"):
        urls_in(space, server.url("/clips/"))
    with pytest.raises(UsageError, match="a folder"):
        announce(space, server.url("/clips/"))


# --- settings -------------------------------------------------------------------------------------


def test_the_table_stands_beside_the_engines(space: Workspace) -> None:
    assert choose(space.settings) == EngineChoice()
    with pytest.raises(UsageError, match=r"remote\.allowed"):
        choose({"remote": {"allowed": []}})


def test_a_moved_workspace_finds_its_files(space: Workspace, server: FileServer) -> None:
    video = add(space, server)
    space.store.put(replace(video, path="/elsewhere/harbour.mp4"))
    assert work(space, space.store.get(Video, video.id), "probe") == []
    assert space.store.get(Video, video.id).path == video.path and len(server.seen) == 1
