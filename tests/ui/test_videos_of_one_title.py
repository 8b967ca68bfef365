"""Videos of one title: what the Library shows to tell them apart."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from annotation.records.videos import FOLDER, Video
from annotation.stages.media_library import REMOTE
from tests.backends.clips import textured, write_clip
from tests.bench import Bench
from ui.pages.library.video_list import LibraryRequest, library_json
from ui.pages.library.videos_of_one_title import told_apart
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


def video(video_id: str, path: str | None = None, title: str = "take 1", **extra: object) -> Video:
    return Video(id=video_id, title=title, created_at=1.0, path=path, extra=extra)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("videos", "words"),
    [
        ([video("a", "/data/one/take 1.mp4")], [""]),
        ([video("a", "/data/mon/cam/t.mp4"), video("b", "/data/tue/cam/t.mp4")], ["mon", "tue"]),
        (
            [video("a", "/d/mon/c1/t.mp4"), video("b", "/d/mon/c2/t.mp4"), video("c", "/d/tue/c1/t.mp4")],
            ["mon/c1", "mon/c2", "tue/c1"],
        ),
        ([video("a", "/d/t.mp4"), video("b", "/d/t.mov")], ["t.mp4", "t.mov"]),
        ([video("a", "/w/videos/a.mp4", **{FOLDER: "mon"}), video("b", "/d/t.mp4")], ["mon", "d"]),
        (
            [
                video("a", None, **{REMOTE: {"url": "https://x.example/mon/t.mp4?key=1"}}),
                video("b", "/d/t.mp4"),
            ],
            ["mon", "d"],
        ),
        ([video("vid-0123456789abcdef"), video("vid-other")], ["vid-01234567", "vid-other"]),
    ],
)
def test_the_shortest_part_that_differs_is_shown(videos: list[Video], words: list[str]) -> None:
    assert [*told_apart(videos).values()] == words


def test_only_videos_that_look_alike_are_told_apart(bench: Bench) -> None:
    bench.store.add(
        [video("vid-1", "/d/mon/t.mp4"), video("vid-2", "/d/tue/t.mp4"), video("vid-3", title="take 11")]
    )
    rows = library_json(bench.store, LibraryRequest(""))["videos"]
    assert {row["id"]: row["where"] for row in rows} == {
        bench.video.id: "",
        "vid-1": "mon",
        "vid-2": "tue",
        "vid-3": "",
    }
    # Also where only one of the two is on the page.
    (row,) = library_json(bench.store, LibraryRequest("", words="vid-2"))["videos"]
    assert row["where"] == "tue"


def test_files_of_one_name_keep_the_folders_of_the_upload_and_of_the_archive(
    bench: Bench, tmp_path: Path
) -> None:
    clips = [write_clip(tmp_path / f"{n}.mp4", [textured(n)] * 10) for n in range(3)]
    packed = tmp_path / "late.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(clips[2], "wed/take.mp4")
    with TestClient(build_app(bench.workspace, bench.engines), headers=SAME_SITE) as client:
        heap = client.post("/api/incoming", json={}).json()["id"]
        files = [("week/mon/take.mp4", clips[0]), ("week/tue/take.mp4", clips[1]), ("week/late.zip", packed)]
        sent = [("files", (name, file.read_bytes())) for name, file in files]
        assert client.post(f"/api/incoming/{heap}/files", files=sent).status_code == 200
        made = client.post(f"/api/incoming/{heap}/import", json={"add_rest": True}).json()
        rows = client.get("/api/library?q=take").json()["videos"]
    assert sorted(one["file"] for one in made["files"]) == [
        "late.zip/wed/take",
        "week/mon/take",
        "week/tue/take",
    ]
    assert sorted(row["where"] for row in rows) == ["mon", "tue", "wed"]
    assert {row["title"] for row in rows} == {"take"}
