"""Files that are looked at first: the page makes of them what `import` makes, and undo takes it back."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from typer.testing import CliRunner

from annotation.editing.take_back_import import lost_of, take_back
from annotation.intake.files_of_one_person import remove_files_of_none, remove_left_folders
from annotation.pipeline.engines import EngineChoice, make_engines
from annotation.pipeline.stage_registry import chosen_stages
from annotation.pipeline.stage_runner import run_video
from annotation.records.captions_to_verdicts import Question, Verdict
from annotation.records.runs import Evaluation
from annotation.records.videos import SceneList, Video
from annotation.stages.stage_context import Engines
from annotation.workspace.workspace import Workspace
from app import cli
from exports.sample import JUDGED, TITLE
from tests.backends.clips import textured, write_clip
from tests.bench import Bench
from tests.databases import new_workspace
from tests.exports.catalogue.test_sort_found_files import LOGS
from tests.exports.peers.peer_files import VIDEOS, lmms_log, loveu_log, vlmevalkit_log
from tests.whole_store import OF_THE_UNDO, differing, imported, records, tables
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def bench(tmp_path: Path, clip: Path) -> Iterator[Bench]:
    """A workspace with one video, on which nothing has run."""
    space = new_workspace(tmp_path / "workspace")
    made = Bench(space, clip)
    yield made
    made.media.close()
    space.close()


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    with page_of(bench.workspace) as client:
        yield client


def page_of(space: Workspace) -> TestClient:
    """The app on a workspace, asked by its owner."""

    def engines() -> Engines:
        return make_engines(EngineChoice(speech="none"), space)

    return TestClient(build_app(space, engines), headers=SAME_SITE)


def drop(client: TestClient, *paths: Path) -> str:
    """The heap of these files and folders, with their places in it."""
    heap = client.post("/api/incoming").json()["id"]
    for path in paths:
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            name = str(file.relative_to(path.parent))
            sent = client.post(f"/api/incoming/{heap}/files", files=[("files", (name, file.read_bytes()))])
            assert sent.status_code == 200, sent.text
    return heap


def take(client: TestClient, *paths: Path, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/incoming/{drop(client, *paths)}/import", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize("name", LOGS)
@pytest.mark.parametrize("shape", ["folder", "files", "zip"])
def test_the_page_makes_what_import_makes(tmp_path: Path, name: str, shape: str) -> None:
    log = LOGS[name](tmp_path / "org__model")
    given = {"folder": [log], "files": sorted(log.iterdir())}.get(shape)
    given = given or [Path(shutil.make_archive(str(tmp_path / "log"), "zip", tmp_path, log.name))]
    space = new_workspace(tmp_path / "page")
    with page_of(space) as client:
        take(client, *given)
    by_command = imported(tmp_path / "command", log)
    assert differing(records(space.store), records(by_command.store)) == set()
    assert space.store.count(Evaluation) == 1


def test_two_runs_are_two_previews_and_one_can_be_left(
    client: TestClient, bench: Bench, tmp_path: Path
) -> None:
    heap = drop(client, lmms_log(tmp_path / "a" / "lmms", "head"), vlmevalkit_log(tmp_path / "b" / "kit"))
    before = tables(bench.store)
    seen = client.get(f"/api/incoming/{heap}").json()
    assert differing(before, tables(bench.store)) == {"audit_entry"} or before == tables(bench.store)
    assert [(one["format"], one["evaluations"][0]["name"]) for one in seen["things"]] == [
        ("lmms-eval", "some/model · VDC · 2026-01-01"),
        ("vlmevalkit", "SomeModel · VDC 8frame"),
    ]
    first = seen["things"][0]
    assert first["counts"]["Video"] == 3 and first["new"]["Verdict"] == 3 and first["benchmarks"] == ["VDC"]
    body = {"leave": [seen["things"][1]["id"]], "names": {first["evaluations"][0]["id"]: "  My model  "}}
    client.post(f"/api/incoming/{heap}/import", json=body)
    assert [one.name for one in bench.store.find(Evaluation)] == ["My model"]
    assert client.get(f"/api/incoming/{heap}").status_code == 404


def test_two_logs_of_one_name_are_told_apart_by_what_was_dropped(client: TestClient, tmp_path: Path) -> None:
    first, second = lmms_log(tmp_path / "v1", "head"), lmms_log(tmp_path / "v2", "v0.3")
    made = client.post(f"/api/incoming/{drop(client, first, second)}/import", json={}).json()
    assert [(one["file"], one["evaluations"]) for one in made["files"]] == [
        ("v1", ["some/model · VDC · 2026-01-01"]),
        ("v2", ["some/model · VDC · 2026-01-01 12:00 · v2"]),
    ]


@pytest.mark.parametrize("name", LOGS)
def test_undo_leaves_every_table_as_it_was(
    client: TestClient, bench: Bench, tmp_path: Path, name: str
) -> None:
    take(client, lmms_log(tmp_path / "earlier", "v0.3"))  # its videos and questions are used again
    before = tables(bench.store)
    take(client, LOGS[name](tmp_path / "log"))
    assert bench.store.count(Evaluation) == 2
    asked = client.post("/api/undo", json={})
    assert asked.status_code == 409 and asked.json()["lost"] == {}
    assert client.post("/api/undo", json={"sure": True}).json()["action"]["state"] == "dropped"
    after = tables(bench.store)
    assert differing(before, after) <= OF_THE_UNDO - {"import_part"}
    assert len(after["action"]) == len(before["action"]) + 1
    assert client.post("/api/redo", json={}).json()["action"] is None


def test_undo_says_what_would_be_lost_and_then_takes_it(
    client: TestClient, bench: Bench, tmp_path: Path
) -> None:
    before = tables(bench.store)
    take(client, loveu_log(tmp_path / "log"))
    [verdict, other] = bench.store.find(Verdict, subject_type="answer", order_by=["id"])[:2]
    question = bench.store.find(Question, text="Is it shaky?")[0]
    person = client.get("/api/me").json()["person"]["id"]
    bench.store.correct(
        "verdict", verdict.id, "verdict", {"label": "yes", "score": 5}, person_id=person, base_revision=0
    )
    bench.store.correct("question", question.id, "text", "Is it?", person_id=person, base_revision=0)
    sent = client.post("/api/error-source", json={"verdict_id": other.id, "kind": "judge"})
    assert sent.status_code == 200
    client.post("/api/undo", json={})  # the error source is the last decision; its row stays in the history
    asked = client.post("/api/undo", json={})
    assert asked.status_code == 409
    assert asked.json()["lost"] == {"correction": 2, "error_source": 2}
    assert "2 correction" in asked.json()["error"]
    assert client.post("/api/undo", json={"sure": True}).status_code == 200
    assert differing(before, tables(bench.store)) <= OF_THE_UNDO - {"import_part"}


def test_what_others_build_on_stays(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    first = take(client, lmms_log(tmp_path / "first", "v0.3"))
    between = tables(bench.store)
    take(client, vlmevalkit_log(tmp_path / "second"))
    with bench.store.writing() as conn:
        assert lost_of(conn, first["undo"]) == {}
        take_back(conn, first["undo"])
    assert [one.name for one in bench.store.find(Evaluation)] == ["SomeModel · VDC 8frame"]
    assert {video.title for video in bench.store.find(Video)} >= set(VIDEOS)
    assert len(tables(bench.store)["verdict"]) == 3 and len(between["verdict"]) == 3


def test_videos_are_attached_and_detached(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    take(client, lmms_log(tmp_path / "log", "head"))
    before = tables(bench.store)
    folder = tmp_path / "videos" / "deep"
    folder.mkdir(parents=True)
    write_clip(folder / "clip-a.mp4", [textured(5)] * 10)
    write_clip(folder / "nobody.mp4", [textured(6)] * 10)
    heap = drop(client, folder.parent)
    seen = client.get(f"/api/incoming/{heap}").json()["videos"]
    assert (seen["fit"], seen["rest"], seen["without"], seen["add_rest"]) == (
        1,
        [{"file": "nobody.mp4", "place": "videos/deep/nobody.mp4"}],
        2,
        False,
    )
    done = client.post(f"/api/incoming/{heap}/import", json={}).json()
    assert (done["attached"], done["missing"], done["added"]) == (1, 2, [])
    [video] = bench.store.find(Video, title="clip-a")
    kept = Path(str(video.path))
    assert kept.parent == bench.workspace.path / "videos" and kept.is_file()
    client.post("/api/undo", json={"sure": True})
    assert differing(before, tables(bench.store)) <= OF_THE_UNDO - {"import_part"}
    assert not kept.exists()


def test_a_file_that_is_here_already_is_not_run_again(
    client: TestClient, bench: Bench, clip: Path, tmp_path: Path
) -> None:
    other = tmp_path / "another title.mp4"
    shutil.copy(clip, other)
    heap = drop(client, other)
    seen = client.get(f"/api/incoming/{heap}").json()["videos"]
    here = {"file": other.name, "place": other.name, "title": bench.video.title}
    assert seen["again"] == [here] and seen["rest"] == []
    done = client.post(f"/api/incoming/{heap}/import", json={"add_rest": True}).json()
    assert done["added"] == [] and bench.store.count(Video) == 1
    assert bench.store.find(Video)[0].path == bench.video.path


def test_an_upload_of_nothing_says_so(client: TestClient, tmp_path: Path) -> None:
    words = "no readable files; give videos, or captions"
    for name, inside in (("empty.zip", ""), ("hidden.zip", ".DS_Store"), ("Thumbs.db", "")):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            if inside:
                archive.writestr(inside, b"x")
        said = "files" if name == "Thumbs.db" else name
        (seen,) = client.get(f"/api/incoming/{drop(client, tmp_path / name)}").json()["unread"]
        assert seen["where"] == said and seen["what"].startswith(words)
        sent = client.post("/api/files", files=[("files", (name, (tmp_path / name).read_bytes()))]).json()
        (line,) = sent["files"]
        assert line["file"] == said and line["error"].startswith(f"{said}: {words}")


def test_names_that_lead_out_stay_in(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    heap = client.post("/api/incoming").json()["id"]
    for name in ("../../../evil.jsonl", "/etc/evil.jsonl", "a/../../evil.jsonl", "..\\..\\evil.jsonl"):
        client.post(f"/api/incoming/{heap}/files", files=[("files", (name, b"{}\n"))])
    home = bench.workspace.path / "incoming" / heap / "files"
    assert len([p for p in home.rglob("*") if p.is_file()]) == 4
    assert not [p for p in bench.workspace.path.rglob("evil*") if not p.is_relative_to(home)]
    for bad in ("..", "%2e%2e", "inc-0", "inc-0%2f.."):
        assert client.get(f"/api/incoming/{bad}").status_code in (404, 405)


def test_old_heaps_are_thrown_away(client: TestClient, bench: Bench) -> None:
    heap = client.post("/api/incoming").json()["id"]
    home = bench.workspace.path / "incoming" / heap
    os.utime(home, (1, 1))
    client.post("/api/incoming")
    assert not home.exists()


def test_a_heap_that_goes_meanwhile_is_no_error(
    client: TestClient, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another import of the same person ends while this one looks for old heaps."""
    client.post("/api/incoming")
    there = Path.iterdir
    gone = bench.workspace.path / "incoming" / "inc-gone"
    monkeypatch.setattr(Path, "iterdir", lambda folder: [*there(folder), gone])
    assert client.post("/api/incoming").status_code == 200


def test_videos_that_the_command_attached_are_taken_back(tmp_path: Path) -> None:
    space = imported(tmp_path / "workspace", lmms_log(tmp_path / "log", "head"))
    before = tables(space.store)
    folder = tmp_path / "videos"
    folder.mkdir()
    write_clip(folder / "clip-a.mp4", [textured(5)] * 10)
    options = ("--workspace", str(space.path), "--json")
    done = CliRunner().invoke(cli, ["import", "--videos", str(folder), *options])
    taken = json.loads(done.stdout)["videos"]
    assert taken["attached"] == ["clip-a"] and space.store.find(Video, title="clip-a")[0].path
    CliRunner().invoke(cli, ["import", "--undo", taken["import"], *options])
    assert differing(before, tables(space.store)) <= OF_THE_UNDO - {"import_part"}


def test_the_sample_is_loaded_and_taken_back(client: TestClient, bench: Bench) -> None:
    before = tables(bench.store)
    made = client.post("/api/sample").json()
    assert bench.store.get(Video, made["video"]).title == TITLE
    assert bench.store.find(Evaluation, name=JUDGED)
    assert client.post("/api/sample").json() == made  # what is there already stays
    assert client.post("/api/undo", json={"sure": True}).status_code == 200
    assert differing(before, tables(bench.store)) <= OF_THE_UNDO - {"import_part"}


def test_a_file_is_matched_by_hand_also_with_a_video_of_the_same_drop(
    client: TestClient, bench: Bench, tmp_path: Path
) -> None:
    folder = tmp_path / "videos"
    folder.mkdir()
    for seed, name in enumerate(("one", "two")):
        write_clip(folder / f"{name}.mp4", [textured(seed)] * 10)
    heap = drop(client, lmms_log(tmp_path / "log", "head"), folder)
    seen = client.get(f"/api/incoming/{heap}").json()["videos"]
    assert (seen["fit"], seen["without"], [one["title"] for one in seen["waiting"]]) == (0, 3, sorted(VIDEOS))
    place = {one["file"]: one["place"] for one in seen["rest"]}
    wrong = {"by_hand": {place["one.mp4"]: "no such video"}}
    video = next(one["id"] for one in seen["waiting"] if one["title"] == "clip-c")
    done = client.post(f"/api/incoming/{heap}/import", json={"by_hand": {place["two.mp4"]: video}})
    assert (done.json()["attached"], done.json()["missing"]) == (1, 2)
    kept = bench.store.find(Video, title="clip-c")[0].path
    assert kept and Path(kept).read_bytes() == (folder / "two.mp4").read_bytes()
    heap = drop(client, folder)
    refused = client.post(f"/api/incoming/{heap}/import", json=wrong)
    assert refused.status_code == 422 and "does not name exactly one video" in refused.json()["error"]


def test_a_choice_that_does_not_hold_leaves_nothing_behind(
    client: TestClient, bench: Bench, tmp_path: Path
) -> None:
    film = write_clip(tmp_path / "film.mp4", [textured(1)] * 10)
    before = tables(bench.store)
    heap = drop(client, lmms_log(tmp_path / "log", "head"), film)
    refused = client.post(f"/api/incoming/{heap}/import", json={"by_hand": {"film.mp4": "gone"}})
    assert refused.status_code == 422
    assert differing(before, tables(bench.store)) <= {"video_change", "import_part", "audit_entry"}
    assert client.post(f"/api/incoming/{heap}/import", json={}).status_code == 200


def test_what_was_seen_in_a_file_goes_with_it(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    take(client, lmms_log(tmp_path / "log", "head"))
    before = tables(bench.store)
    write_clip(tmp_path / "clip-a.mp4", [textured(5)] * 10)
    heap = drop(client, tmp_path / "clip-a.mp4")
    assert client.post(f"/api/incoming/{heap}/import", json={}).json()["attached"] == 1
    [video] = bench.store.find(Video, title="clip-a")
    context = bench.context(bench.engines())
    run_video(context, video, chosen_stages(["probe", "scenes"]))
    assert bench.store.count(SceneList, video_id=video.id) == 1
    asked = client.post("/api/undo", json={})
    assert asked.status_code == 409 and asked.json()["lost"]["scene"] == 1
    client.post("/api/undo", json={"sure": True})
    assert differing(before, tables(bench.store)) <= OF_THE_UNDO | {"run", "run_video", "import_part"}
    [video] = bench.store.find(Video, title="clip-a")
    assert (video.path, video.sha256, video.facts) == (None, None, None)


def test_a_workspace_that_was_moved_keeps_its_files(client: TestClient, bench: Bench, tmp_path: Path) -> None:
    take(client, lmms_log(tmp_path / "log", "head"))
    write_clip(tmp_path / "clip-a.mp4", [textured(5)] * 10)
    heap = drop(client, tmp_path / "clip-a.mp4")
    client.post(f"/api/incoming/{heap}/import", json={})
    [video] = bench.store.find(Video, title="clip-a")
    moved = Workspace(shutil.copytree(bench.workspace.path, tmp_path / "moved"))
    (moved.path / "videos" / "of none.mp4").write_bytes(b"")
    remove_files_of_none(moved)
    assert [file.name for file in (moved.path / "videos").iterdir()] == [Path(str(video.path)).name]
    moved.close()


def test_what_a_killed_import_unpacked_goes_at_the_next_start(bench: Bench) -> None:
    home = bench.workspace.path
    code = (
        "import sys; from pathlib import Path; from annotation.workspace.workspace import Workspace\n"
        "from annotation.intake.files_of_one_person import passing_folder\n"
        "with passing_folder(Workspace(Path(sys.argv[1]))) as room:\n"
        "    (room / 'clip.mp4').write_bytes(b'1'); print('there', flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(home)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as worker:
        assert worker.stdout and worker.stdout.readline() == b"there\n"
        remove_left_folders(bench.workspace)
        assert [file.name for file in home.glob("passing-*/files/*")] == ["clip.mp4"]
        worker.kill()
    with TestClient(build_app(bench.workspace, bench.engines)):
        pass  # it waits for what it begins with
    assert not list(home.glob("passing-*"))
