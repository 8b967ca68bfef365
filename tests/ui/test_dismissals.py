"""Waiving a finding over HTTP: any check, with a reason, undone, and whose word may be taken back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from annotation.editing.dismissed_findings import Found, dismissals
from annotation.people.passwords import hash_password
from annotation.records.captions_to_verdicts import Text
from annotation.records.elements import Finding
from annotation.store import changed_videos
from tests.bench import Bench
from tests.ui.test_routes import SAME_SITE, client
from ui.auth.current_person import Account, AuthRules
from ui.lib.findings_as_json import findings_json
from ui.web_app import build_app

__all__ = ["client"]


@pytest.fixture
def found(bench: Bench) -> Found:
    return Found(
        video_id=bench.video.id,
        check="action_in_spatial",
        subject_type="video",
        subject_id=bench.video.id,
        text="running  water",
        start=4,
        end=18,
        why="“running” tells of an action",
    )


def dismiss(client: TestClient, found: Found, reason: str = "", **other: object) -> dict:
    body = {name: getattr(found, name) for name in Found.__slots__} | other
    answer = client.post("/api/dismiss", json={"finding": body, "reason": reason})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_dismissal_holds_while_the_words_stand(client: TestClient, bench: Bench, found: Found) -> None:
    made = dismiss(client, found, " water that runs is a thing ")
    assert made["dismissal"]["reason"] == "water that runs is a thing"
    assert made["dismissal"]["by"] == client.get("/api/me").json()["person"]["name"]
    assert made["id"] == found.id
    moved = Found(
        video_id=bench.video.id,
        check="action_in_spatial",
        subject_type="video",
        subject_id=bench.video.id,
        text="Running water",
        start=40,
        end=53,
    )
    other = Found(
        video_id=bench.video.id,
        check="action_in_spatial",
        subject_type="video",
        subject_id=bench.video.id,
        text="running dogs",
    )
    listed = findings_json(bench.store, [moved, other])
    assert [bool(one["dismissal"]) for one in listed] == [True, False]
    assert dismiss(client, listed[0]["finding"])["dismissal"] is None
    assert findings_json(bench.store, [moved])[0]["dismissal"] is None


def test_a_dismissal_is_undone_and_redone(client: TestClient, bench: Bench, found: Found) -> None:
    dismiss(client, found, "it is a thing")
    dismiss(client, found, "it is a thing, see the tap")
    with bench.store.reading() as conn:
        before = changed_videos.newest(conn)
    assert (
        client.post("/api/undo", json={}).json()["action"]["what"].startswith("dismissed “action in spatial”")
    )
    assert dismissals(bench.store, [found.id])[found.id].reason == "it is a thing"
    client.post("/api/undo", json={})
    assert dismissals(bench.store, [found.id]) == {}
    client.post("/api/redo", json={})
    assert dismissals(bench.store, [found.id])[found.id].reason == "it is a thing"
    dismiss(client, found)
    client.post("/api/undo", json={})
    assert dismissals(bench.store, [found.id])[found.id].reason == "it is a thing"
    assert len(bench.store.find(Finding, check="action_in_spatial")) == 1
    with bench.store.reading() as conn:
        assert changed_videos.newest(conn) > before


def test_what_is_not_there_is_refused(client: TestClient, bench: Bench, found: Found) -> None:
    def status(**other: object) -> int:
        body = {name: getattr(found, name) for name in Found.__slots__} | other
        return client.post("/api/dismiss", json={"finding": body, "reason": "x"}).status_code

    text = bench.store.find(Text, order_by=["id"])[0]
    assert status(subject_type="text", subject_id=text.id) == 200
    assert status(subject_type="text", subject_id="txt-none") == 404
    assert status(subject_id="vid-other") == 404
    assert status(video_id="vid-none", subject_type="frame_pair") == 404
    assert status(check="Drop table") == 422
    assert status(subject_type="frame_pair", subject_id="12-13") == 200


@pytest.fixture
def three(bench: Bench) -> Iterator[list[TestClient]]:
    roles = (("ada", "annotator"), ("bo", "annotator"), ("eve", "expert"))
    accounts = [Account(name, role, hash_password("word-word")) for name, role in roles]
    with TestClient(
        build_app(bench.workspace, bench.engines, AuthRules(accounts)), headers=SAME_SITE
    ) as first:
        people = [first, *(TestClient(first.app, headers=SAME_SITE) for _ in roles[1:])]
        for one, (name, _) in zip(people, roles, strict=True):
            one.post("/login", data={"name": name, "password": "word-word"})
        yield people


def test_annotators_take_back_their_own_word_and_experts_any(
    three: list[TestClient], bench: Bench, found: Found
) -> None:
    ada, bo, eve = three
    dismiss(ada, found, "a thing")
    body = {name: getattr(found, name) for name in Found.__slots__}
    refused = bo.post("/api/dismiss", json={"finding": body, "reason": ""})
    assert (refused.status_code, "bo" in refused.json()["error"]) == (403, True)
    assert dismiss(bo, found, "I think so too")["dismissal"]["by"] == "bo"
    assert dismiss(eve, found)["dismissal"] is None
    assert eve.post("/api/undo", json={}).status_code == 200
    assert dismissals(bench.store, [found.id])[found.id].reason == "I think so too"
    stranger = TestClient(ada.app, headers=SAME_SITE)
    assert stranger.post("/api/dismiss", json={"finding": body, "reason": "x"}).status_code == 401
