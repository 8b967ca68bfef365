"""Queues through the app: what a page is told, who may ask, and that the pipeline finishes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from annotation.records.decisions import Person
from annotation.records.videos import Video
from tests.bench import Bench
from ui.auth.current_person import COOKIE
from ui.web_app import build_app

SAME_SITE = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    with TestClient(build_app(bench.workspace, bench.engines), headers=SAME_SITE) as found:
        yield found


@pytest.fixture
def ann(bench: Bench) -> Person:
    return bench.workspace.add_person("ann", "annotator")


@pytest.fixture
def two(bench: Bench) -> list[str]:
    other = Video(id="vid-other", title="other", created_at=1.0)
    bench.store.add([other])
    return [bench.video.id, other.id]


def give(client: TestClient, videos: list[str], to: Person, task: str = "script") -> dict[str, int]:
    answer = client.post("/api/queue", json={"videos": videos, "person": to.id, "task": task})
    assert answer.status_code == 200, answer.text
    given: dict[str, int] = answer.json()
    return given


def say(client: TestClient, video: str, state: str, **more: str):
    return client.post("/api/queue/state", json={"video": video, "task": "script", "state": state, **more})


def test_the_way_through_a_queue(client: TestClient, ann: Person, two: list[str]) -> None:
    assert give(client, two, ann) == {"given": 2, "already": 0}
    assert give(client, two, ann) == {"given": 0, "already": 2}
    client.cookies.set(COOKIE, ann.id)
    mine = client.get("/api/queue").json()
    assert (mine["left"], mine["of"], mine["resume"]["video"]) == (2, 2, two[0])
    assert [p["name"] for p in mine["people"]] == ["ann"]  # an annotator gives work to nobody else
    client.post("/api/queue/begin", json={"video": two[1], "task": "script"})
    assert client.get("/api/queue").json()["resume"]["video"] == two[1]
    after = say(client, two[1], "done", base="working").json()
    assert after["work"]["state"] == "done" and after["left"] == 1
    assert after["next"] == client.get("/api/queue").json()["resume"]
    assert after["next"]["task"] == "script" and after["next"]["title"]
    last = say(client, two[0], "flagged", note="two films <in> one").json()
    assert last["next"] is None and last["left"] == 0


def test_the_bar_tells_my_work_from_that_of_others(
    client: TestClient, bench: Bench, ann: Person, two: list[str]
) -> None:
    owner = bench.workspace.owner()
    give(client, two[:1], ann)
    give(client, two[:1], owner, "captions")
    give(client, two[:1], owner, "verdicts")
    bar = client.get(f"/api/queue/{two[0]}").json()
    assert {w["task"] for w in bar["mine"]} == {"captions", "verdicts"}
    assert [(w["person"], w["task"], w["state"]) for w in bar["others"]] == [("ann", "script", "open")]
    assert (bar["left"], bar["of"]) == (1, 1)  # two tasks on one video
    assert client.get("/api/queue/vid-none").status_code == 404


def test_a_queue_counts_videos_and_not_tasks(client: TestClient, ann: Person, two: list[str]) -> None:
    give(client, two, ann)
    give(client, two[:1], ann, "captions")
    client.cookies.set(COOKIE, ann.id)
    mine = client.get("/api/queue").json()
    assert (mine["left"], mine["of"]) == (2, 2)
    after = say(client, two[0], "done").json()
    assert (after["left"], after["of"]) == (2, 2)  # its captions are open still
    after = client.post(
        "/api/queue/state", json={"video": two[0], "task": "captions", "state": "done"}
    ).json()
    assert (after["left"], after["of"]) == (1, 2)


def share(client: TestClient, videos: list[str], people: list[str], **more: object):
    body = {"videos": videos, "parts": [{"task": "script", "people": people}], **more}
    return client.post("/api/queue/share", json=body)


def test_videos_are_shared_out_after_a_preview(
    client: TestClient, bench: Bench, ann: Person, two: list[str]
) -> None:
    ben = bench.workspace.add_person("ben", "annotator")
    people = [ann.id, ben.id]
    seen = share(client, two, people, overlap=50, percent=True, preview=True).json()
    assert client.get(f"/api/queue/{two[0]}").json()["others"] == []
    done = share(client, two, people, overlap=50, percent=True).json()
    assert seen == done
    (part,) = done["parts"]
    assert [(one["name"], one["videos"], one["given"]) for one in part["people"]] == [
        ("ann", 2, 2),
        ("ben", 1, 1),
    ]
    assert (part["everyone"], part["left"], done["refused"]) == (1, 0, "")
    client.post("/api/undo", json={})
    assert client.get(f"/api/queue/{two[0]}").json()["others"] == []


def test_a_share_that_is_refused_gives_nothing(client: TestClient, ann: Person, two: list[str]) -> None:
    answer = share(client, two, [])
    assert answer.status_code == 400 and "at least one person" in answer.json()["error"]
    assert share(client, two, [], preview=True).json() == {"parts": [], "refused": answer.json()["error"]}
    assert share(client, [*two, "vid-none"], [ann.id]).status_code == 404
    client.cookies.set(COOKIE, ann.id)
    assert share(client, two, ["per-other"]).status_code == 403
    assert share(client, two, [ann.id]).status_code == 200  # one may take work oneself
    assert client.get("/api/queue").json()["left"] == 2


def test_the_library_names_everybodys_work(client: TestClient, ann: Person, two: list[str]) -> None:
    give(client, two, ann)
    client.cookies.set(COOKIE, ann.id)
    say(client, two[0], "flagged", note="no sound")
    rows = {row["id"]: row["work"] for row in client.get("/api/library").json()["videos"]}
    assert [(w["person"], w["state"], w["note"]) for w in rows[two[0]]] == [("ann", "flagged", "no sound")]
    assert [w["state"] for w in rows[two[1]]] == ["open"]


def test_refusals_are_sentences(client: TestClient, bench: Bench, ann: Person, two: list[str]) -> None:
    give(client, two[:1], ann)
    assert say(client, two[0], "done").status_code == 400  # it is not the owner's work
    assert say(client, two[0], "done", person=ann.id).status_code == 403
    client.cookies.set(COOKIE, ann.id)
    assert say(client, two[0], "flagged").status_code == 400
    assert say(client, two[0], "done", base="returned").status_code == 409
    answer = client.post(
        "/api/queue", json={"videos": two, "person": bench.workspace.owner().id, "task": "script"}
    )
    assert answer.status_code == 403 and "may not assign" in answer.json()["error"]


def test_a_machines_draft_is_not_done(client: TestClient, bench: Bench, ann: Person) -> None:
    """Every stage has written its drafts, and writes them again: the work is as open as before."""
    for task in ("script", "captions", "verdicts", "split", "keyframes"):
        give(client, [bench.video.id], ann, task)
    bench.run()
    row = client.get("/api/library").json()["videos"][0]
    assert {s["state"] for s in row["stages"] if s["stage"] == "script"} == {"done"}
    assert {w["state"] for w in row["work"]} == {"open"} and len(row["work"]) == 5
