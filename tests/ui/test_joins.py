"""Two records of one video over HTTP: what is offered, what an import says of it, joining and undo."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select
from typer.testing import CliRunner

from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import run_video
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.videos import Video
from annotation.store import tables as t
from annotation.workspace.workspace import Workspace
from app import cli
from tests.bench import Bench
from tests.exports.peers.peer_files import lmms_log
from tests.ui.test_incoming import bench, drop, page_of, take  # noqa: F401
from tests.whole_store import OF_THE_UNDO, OF_WHO_LOOKS, differing, tables


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:  # noqa: F811
    with page_of(bench.workspace) as made:
        yield made


def waiting(bench: Bench) -> Video:  # noqa: F811
    [video] = bench.store.find(Video, title="clip-a")
    return video


def test_a_file_that_another_video_has_is_offered_to_be_joined(
    client: TestClient,
    bench: Bench,  # noqa: F811
    clip: Path,
    tmp_path: Path,
) -> None:
    take(client, lmms_log(tmp_path / "log", "v0.3"))
    before = tables(bench.store)
    shown = {at: client.get(at).json() for at in ("/api/scoring/table", "/api/verdicts", "/api/library")}
    done = take(client, Path(shutil.copy(clip, tmp_path / "clip-a.mp4")))
    [line] = done["files"]
    assert done["undo"] == "" and line["known"]
    assert line["join"] == [bench.video.id, waiting(bench).id]
    gone = waiting(bench).id
    made = client.post("/api/join", json=dict(zip(("first", "second"), line["join"], strict=True))).json()
    assert (made["kept"], made["title"], made["joined"]) == (bench.video.id, bench.video.title, "clip-a")
    assert bench.store.find(Video, id=gone) == [] and bench.store.count(Verdict, video_id=gone) == 0
    rows = client.get("/api/verdicts", params={"video": bench.video.id}).json()["rows"]
    assert rows and {row["video_id"] for row in rows} == {bench.video.id}
    undone = client.post("/api/undo", json={}).json()
    assert undone["action"]["what"] == f"joined clip-a with {bench.video.title}" and undone["left"] == []
    assert differing(before, tables(bench.store)) <= OF_THE_UNDO - {"import_part"}
    assert {at: client.get(at).json() for at in shown} == shown


def test_two_records_that_every_stage_has_gone_over_are_one_and_two_again(
    processed: Path, tmp_path: Path, clip: Path
) -> None:
    space = Workspace(shutil.copytree(processed, tmp_path / "workspace"))
    made = Bench(space, clip)
    store, first = made.store, made.video
    second = replace(first, id="vid-second", title="second")
    store.put(second)
    assert run_video(made.context(made.engines()), second, chosen_stages([])).problems == []
    before = tables(store)
    kept = {name: sum(first.id in row for row in rows) for name, rows in before.items()}
    with page_of(space) as client:
        pages = ("/api/script/{}", "/api/keyframes/{}", "/api/split/{}", "/api/player/{}")
        seen = [client.get(page.format(first.id)).json() for page in pages]
        answer = client.post("/api/join", json={"first": first.id, "second": second.id})
        assert answer.status_code == 200, answer.text
        joined = tables(store)
        left_out = {"action", "audit_entry", "import_part", "login_session", "video_change", "video"}
        now = {name: sum(first.id in row for row in rows) for name, rows in joined.items()}
        assert {n: c for n, c in now.items() if n not in left_out} == {
            n: c for n, c in kept.items() if n not in left_out
        }
        assert not any(second.id in row for name in joined.keys() - left_out for row in joined[name])
        assert [client.get(page.format(first.id)).json() for page in pages] == seen
        assert client.post("/api/undo", json={}).json()["left"] == []
        assert differing(before, tables(store)) <= OF_THE_UNDO - {"import_part"} | OF_WHO_LOOKS
        assert [client.get(page.format(second.id)).status_code for page in pages] == [200] * 4
    made.media.close()
    space.close()


def test_a_file_that_is_here_can_be_matched_by_hand(
    client: TestClient,
    bench: Bench,  # noqa: F811
    clip: Path,
    tmp_path: Path,
) -> None:
    take(client, lmms_log(tmp_path / "log", "v0.3"))
    heap = drop(client, Path(shutil.copy(clip, tmp_path / "nobody.mp4")))
    seen = client.get(f"/api/incoming/{heap}").json()["videos"]
    assert seen["again"] == [{"file": "nobody.mp4", "place": "nobody.mp4", "title": bench.video.title}]
    body = {"by_hand": {"nobody.mp4": waiting(bench).id}}
    [line] = client.post(f"/api/incoming/{heap}/import", json=body).json()["files"]
    assert line["join"] == [bench.video.id, waiting(bench).id]


def test_what_a_video_may_be_joined_with_is_found(
    client: TestClient,
    bench: Bench,  # noqa: F811
    tmp_path: Path,
) -> None:
    take(client, lmms_log(tmp_path / "log", "v0.3"))
    at = f"/api/videos/{waiting(bench).id}/join"
    assert client.get(at).json()["others"] == []
    found = client.get(at, params={"q": bench.video.title}).json()["others"]
    assert found == [{"id": bench.video.id, "title": bench.video.title, "file": True, "why": ""}]
    assert client.get("/api/videos/none/join").status_code == 404
    same = {"first": bench.video.id, "second": bench.video.id}
    refused = client.post("/api/join", json=same)
    assert refused.status_code == 400 and "they are the same video" in refused.json()["error"]


def test_the_library_names_videos_of_the_same_bytes(client: TestClient, bench: Bench) -> None:  # noqa: F811
    copy = Video(id="vid-copy", title="copy", created_at=1.0, sha256=bench.video.sha256)
    bench.store.put(copy)
    rows = {row["id"]: row["same_file_as"] for row in client.get("/api/library").json()["videos"]}
    assert rows == {bench.video.id: "copy", copy.id: bench.video.title}
    [offered] = client.get(f"/api/videos/{copy.id}/join").json()["others"]
    assert (offered["id"], offered["why"]) == (bench.video.id, "the same bytes")
    client.post("/api/join", json={"first": copy.id, "second": bench.video.id})
    [row] = client.get("/api/library").json()["videos"]
    assert (row["id"], row["same_file_as"]) == (bench.video.id, "")


def test_the_command_joins_and_takes_it_back(bench: Bench, tmp_path: Path) -> None:  # noqa: F811
    options = ("--workspace", str(bench.workspace.path))
    assert (
        CliRunner().invoke(cli, ["import", str(lmms_log(tmp_path / "log", "v0.3")), *options]).exit_code == 0
    )
    before = tables(bench.store)
    done = CliRunner().invoke(cli, ["join", bench.video.title, "clip-a", *options])
    assert done.exit_code == 0 and done.stdout == f"merged clip-a into {bench.video.title}\n"
    again = CliRunner().invoke(cli, ["join", bench.video.title, "clip-c", "--json", *options])
    assert "VDC lists both" in str(again.exception)
    part = t.import_part.c.import_id
    with bench.store.reading() as conn:
        [made] = conn.scalars(select(part).where(part.startswith("join-")).distinct())
    undone = CliRunner().invoke(cli, ["join", "--undo", made, *options])
    assert undone.exit_code == 0, undone.output
    assert differing(before, tables(bench.store)) <= OF_THE_UNDO - {"import_part"} | {"person"}
