"""Changing cuts over HTTP: versions, refusals, roles, measuring at rest, another detection, exports."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from annotation.pipeline import cut_jobs
from annotation.records.captions_to_verdicts import Text
from annotation.records.videos import Measurement
from annotation.stages.probe_scenes_speech import current_scenes
from annotation.store.store import Store
from exports.catalogue import format_registry as formats
from tests.bench import Bench
from ui.auth.current_person import COOKIE
from ui.web_app import build_app


@pytest.fixture
def client(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """A client of the app, working as the owner, on a clip of 100 frames with a cut at 50."""
    monkeypatch.setattr(cut_jobs, "REST_S", 0.0)
    app = build_app(bench.workspace, bench.engines)
    with TestClient(app, headers={"Sec-Fetch-Site": "same-origin"}) as found:
        yield found


class Cuts:
    """What a page asks about one video."""

    def __init__(self, client: TestClient, video_id: str) -> None:
        self.client, self.path, self.video = client, f"/api/cuts/{video_id}", video_id

    def __call__(self) -> dict[str, Any]:
        return self.client.get(self.path).json()

    def change(self, kind: str, frame: int, by: int = 0, base: str | None = None):
        body = {"kind": kind, "frame": frame, "by": by, "base": self()["base"] if base is None else base}
        return self.client.post(self.path, json=body)

    def scenes(self) -> list[dict[str, Any]]:
        return self.client.get(f"/api/player/{self.video}").json()["scenes"]

    def starts(self) -> list[int]:
        return [scene["start"] for scene in self.scenes()]

    def wait(self, done: Any) -> dict[str, Any]:
        end = time.monotonic() + 240
        while time.monotonic() < end:
            work = self.client.get(f"{self.path}/work").json()
            if done(work):
                return work
            time.sleep(0.05)
        raise AssertionError(work)


@pytest.fixture
def cuts(client: TestClient, bench: Bench) -> Cuts:
    return Cuts(client, bench.video.id)


def test_a_change_is_there_at_once_and_says_whose_it_is(cuts: Cuts) -> None:
    before = cuts()
    assert before["counts"] == {"detector": 1, "person": 0, "given_up": 0} and before["marks"] == {}
    answer = cuts.change("split", 20).json()
    assert answer["what"] == "split scene 1 at frame 20" and cuts.starts() == [0, 20, 50]
    now = cuts()
    assert now["base"] == answer["base"] != before["base"]
    assert list(now["by"].values()) == ["", "person", "detector"]
    assert now["counts"] == {"detector": 1, "person": 1, "given_up": 0}
    assert len(now["recut"]) == 2 and now["made"]["person"] and now["made"]["detection"]["id"]
    assert {mark["scene"] for mark in now["marks"].values()} == {cuts.scenes()[1]["key"]}


def test_a_stale_base_is_refused_and_so_is_what_cannot_be_done(cuts: Cuts) -> None:
    base = cuts()["base"]
    cuts.change("nudge", 50, 2)
    refused = cuts.change("merge", 0, base=base)
    assert refused.status_code == 409 and refused.json()["current"] == cuts()["base"]
    assert cuts.starts() == [0, 52]
    for kind, frame, by in (
        ("nudge", 52, 0),
        ("nudge", 52, 99),
        ("split", 52, 0),
        ("split", 100, 0),
        ("split", -1, 0),
        ("merge", 99, 0),
        ("nudge", 50, 1),
    ):
        answer = cuts.change(kind, frame, by)
        assert answer.status_code == 400 and answer.json()["error"], (kind, frame)
    assert (
        cuts.client.post("/api/cuts/vid-0", json={"kind": "split", "frame": 1, "base": ""}).status_code == 404
    )
    body = {"kind": "shuffle", "frame": 1, "base": base}
    assert cuts.client.post(cuts.path, json=body).status_code == 422


@pytest.mark.parametrize(("role", "detects"), [("annotator", False), ("expert", False), ("researcher", True)])
def test_everyone_cuts_and_researchers_detect(cuts: Cuts, bench: Bench, role: str, detects: bool) -> None:
    cuts.client.cookies.set(COOKIE, bench.workspace.add_person(f"the {role}", role).id)
    assert cuts.change("split", 20).status_code == 200
    answer = cuts.client.post(f"{cuts.path}/detect", json={"detector": "content"})
    assert answer.status_code == (200 if detects else 403)
    if detects:
        cuts.wait(lambda work: work["detection"]["state"] == "done")


def test_scenes_that_were_cut_anew_are_measured_at_rest(cuts: Cuts, bench: Bench, store: Store) -> None:
    before = store.count(Measurement, subject_type="scene")
    assert all(scene["measurements"] for scene in cuts.scenes())
    cuts.change("nudge", 50, -3)
    cuts.wait(lambda work: not work["measuring"])
    assert all(scene["measurements"] for scene in cuts.scenes())
    now = store.find(Measurement, subject_type="scene")
    assert {tuple(m.value["frames"]) for m in now} == {(0, 50), (50, 100), (0, 47), (47, 100)}
    cuts.client.post("/api/undo", json={})
    assert cuts.starts() == [0, 50] and all(scene["measurements"] for scene in cuts.scenes())
    bench.run("measurements")
    assert store.count(Measurement, subject_type="scene") == len(now) == 2 * before


def test_without_its_measurements_a_scene_shows_none_of_other_frames(cuts: Cuts, bench: Bench) -> None:
    cuts.wait(lambda work: not work["measuring"])
    video = Path(bench.video.path or "")
    away = video.rename(video.with_suffix(".away"))
    try:
        assert cuts.change("nudge", 50, 5).status_code == 200  # the frames' times are known without the file
        cuts.wait(lambda work: not work["measuring"])
        assert [scene["measurements"] for scene in cuts.scenes()] == [{}, {}]
    finally:
        away.rename(video)


def test_a_detection_is_compared_before_it_replaces_anything(cuts: Cuts) -> None:
    cuts.change("nudge", 50, 4)
    cuts.change("split", 80)
    assert cuts.client.post(f"{cuts.path}/detect", json={"detector": "magic"}).status_code == 400
    cuts.client.post(f"{cuts.path}/detect", json={"detector": "content:threshold=20"})
    found = cuts.wait(lambda work: work["detection"]["state"] == "done")["detection"]
    assert cuts.starts() == [0, 54, 80]
    change = cuts.client.get(f"{cuts.path}/difference/{found['list']}").json()
    assert [(cut["frame"], cut["to"], cut["by"]) for cut in change["moved"]] == [(54, 50, "person")]
    assert [cut["frame"] for cut in change["removed"]] == [80] and change["added"] == []
    assert (change["scenes"], change["scenes_now"], change["same"]) == (2, 3, 0)
    body = {"detection": found["list"], "base": "scl-old"}
    assert cuts.client.post(f"{cuts.path}/adopt", json=body).status_code == 409
    keys = [scene["key"] for scene in cuts.scenes()]
    cuts.client.post(f"{cuts.path}/adopt", json=body | {"base": change["base"]})
    assert cuts.starts() == [0, 50] and [scene["key"] for scene in cuts.scenes()] == [keys[0], keys[1]]
    assert cuts()["made"]["detection"]["detector"] == "content"
    cuts.client.post("/api/undo", json={})
    assert cuts.starts() == [0, 54, 80] and cuts()["made"]["detection"]["detector"] == "default"


def test_another_run_of_the_pipeline_leaves_a_persons_cuts_alone(cuts: Cuts, bench: Bench) -> None:
    cuts.change("split", 20)
    bench.run("scenes", detector="content")
    assert cuts.starts() == [0, 20, 50]
    assert [one["detector"] for one in cuts()["detections"]] == ["content"]


def test_looks_right_and_an_edit_settle_the_texts(cuts: Cuts, store: Store) -> None:
    cuts.change("nudge", 50, 4)
    first, second = (scene["key"] for scene in cuts.scenes())
    assert cuts.client.post(f"{cuts.path}/looks-right", json={"scene": first}).json() == {"settled": 4}
    assert {mark["scene"] for mark in cuts()["marks"].values()} == {second}
    text = store.find(Text, subject_id=second, kind="script:content")[0]
    body = {"subject": ["text", text.id, "value"], "value": "Seen again.", "base_revision": 0}
    cuts.client.post("/api/edit", json=body)
    assert text.id not in cuts()["marks"] and len(cuts()["marks"]) == 3
    script = cuts.client.get(f"/api/script/{cuts.video}").json()
    assert not any(t["stale"] for fields in script["script"].values() for t in fields.values())


def test_exports_follow_the_cuts_and_the_whole_workspace_goes_through_a_file(
    cuts: Cuts, bench: Bench, store: Store, tmp_path: Path
) -> None:
    cuts.change("split", 20)
    cuts.change("merge", 60 - 20)  # the second and the third
    cuts.client.post("/api/undo", json={})
    cuts.change("nudge", 50, -1)
    cuts.client.post(f"{cuts.path}/looks-right", json={"scene": cuts.scenes()[2]["key"]})
    (out,) = formats.write(store, "scenes-vtt", tmp_path / "vtt", evaluation_id=None, values="current")
    times = [line for line in out.read_text().splitlines() if "-->" in line]
    assert times == [
        "00:00:00.000 --> 00:00:00.800",
        "00:00:00.800 --> 00:00:01.960",
        "00:00:01.960 --> 00:00:04.000",
    ]
    (file,) = formats.write(
        store, "dailies-jsonl", tmp_path / "all.jsonl", evaluation_id=None, values="current"
    )
    other = Store(f"sqlite:///{tmp_path}/other.db")
    formats.commit(other, formats.read(file, other))
    assert current_scenes(other, cuts.video) == current_scenes(store, cuts.video)
    from ui.pages.script.cuts_view import edits_json

    assert json.loads(json.dumps(edits_json(other, cuts.video))) == cuts()
    other.close()


@pytest.fixture
def store(bench: Bench) -> Store:
    return bench.store
