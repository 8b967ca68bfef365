"""The answers that a page's document carries: those of the routes, for whoever asks for the page."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from fastapi import Request
from fastapi.testclient import TestClient

from annotation.people import personal_tokens
from annotation.people.passwords import hash_password
from annotation.people.who_labels_blind import set_mode
from annotation.records.videos import Video
from tests.bench import Bench
from ui.auth.current_person import COOKIE, Account, AuthRules
from ui.pages.verdicts import routes
from ui.requests import first_answers
from ui.web_app import build_app

ELEMENT = re.compile(r'<script type="application/json" id="dl-first-answers">(.*?)</script>', re.DOTALL)


@pytest.fixture
def client(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.setattr(first_answers, "WAIT_S", 30)  # a busy machine
    with TestClient(build_app(bench.workspace, bench.engines)) as client:
        yield client


def carried(client: TestClient, address: str) -> dict[str, object]:
    answer = client.get(address, headers={"accept": "text/html"})
    assert answer.headers["cache-control"] == "no-store"
    [found] = ELEMENT.findall(answer.text)
    return dict(json.loads(found))


def equal_to_routes(client: TestClient, found: dict[str, object]) -> list[str]:
    assert isinstance(found.pop("last change"), int)
    for path, said in found.items():
        assert client.get(path).json() == said, path
    return list(found)


def test_verdicts_carries_the_list_and_the_question_that_opens(client: TestClient, bench: Bench) -> None:
    [video] = bench.store.find(Video)
    paths = equal_to_routes(client, carried(client, "/verdicts"))
    assert paths[:2] == ["/api/me", "/api/verdicts?sort=mean&limit=100&offset=0"]
    first = client.get(paths[1]).json()["rows"][0]["verdict_id"]
    assert sorted(paths[2:]) == sorted(
        [
            f"/api/verdicts/{first}?",
            f"/api/verdicts/{first}/evidence",
            f"/api/player/{video.id}",
            f"/api/queue/{video.id}",
        ]
    )


def test_a_link_to_a_question_carries_that_one(client: TestClient) -> None:
    verdict = client.get("/api/verdicts").json()["rows"][-1]["verdict_id"]
    paths = equal_to_routes(client, carried(client, f"/verdicts?qa={verdict}"))
    assert paths[1] == f"/api/verdicts?sort=mean&limit=100&at={verdict}"
    assert f"/api/verdicts/{verdict}?" in paths


def test_an_unknown_question_has_no_player(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    answer = first_answers._answer

    async def noted(request: Request, path: str) -> bytes | None:
        asked.append(path)
        return await answer(request, path)

    monkeypatch.setattr(first_answers, "_answer", noted)
    assert list(carried(client, "/verdicts?qa=none"))[:2] == ["last change", "/api/me"]
    assert [path for path in asked if "player" in path] == []


def test_whoever_comes_with_a_token_is_given_none(client: TestClient, bench: Bench) -> None:
    owner = bench.workspace.owner()
    made = personal_tokens.make(bench.store, owner, "mine", "read", 9, with_accounts=False)
    answer = client.get("/verdicts", headers={"accept": "text/html", "authorization": f"Bearer {made.token}"})
    assert ELEMENT.findall(answer.text) == ["{}"]


def test_script_carries_the_video_that_opens(client: TestClient, bench: Bench) -> None:
    [video] = bench.store.find(Video)
    paths = equal_to_routes(client, carried(client, "/script"))
    assert paths[:2] == ["/api/me", "/api/videos?evaluation="]
    assert sorted(paths[2:]) == [f"/api/queue/{video.id}", f"/api/script/{video.id}"]


@pytest.mark.parametrize(
    ("address", "first"),
    [
        ("/", {"/api/library?q=&evaluation=&sort=need&work=&offset=0&limit=60", "/api/queue", "/api/jobs"}),
        ("/split", {"/api/split/{}?player=true"}),
        ("/keyframes", {"/api/keyframes/{}?"}),
        ("/scores", {"/api/scoring/systems", "/api/scoring/table?evaluation=&by=&q=", "/api/jobs"}),
    ],
)
def test_other_pages_carry_what_opens(
    client: TestClient, bench: Bench, address: str, first: set[str]
) -> None:
    [video] = bench.store.find(Video)
    paths = equal_to_routes(client, carried(client, address))
    assert {path.format(video.id) for path in first} <= set(paths)


@pytest.mark.parametrize(
    "address", ["/verdicts?of=vdc", "/verdicts?with=x", "/split?tab=write", "/keyframes?looks=x"]
)
def test_other_views_carry_what_the_bar_shows(client: TestClient, address: str) -> None:
    assert equal_to_routes(client, carried(client, address)) == ["/api/me"]


@pytest.mark.parametrize("name", ["library", "script", "verdicts", "split", "keyframes", "scores"])
def test_a_change_of_page_is_given_the_same_answers(client: TestClient, name: str) -> None:
    carries = carried(client, "/" if name == "library" else f"/{name}")
    found = client.get(f"/api/first/{name}").json()
    assert found and found == {
        path: said for path, said in carries.items() if path not in ("/api/me", "last change")
    }


def test_answers_for_a_change_of_page_are_for_its_person(client: TestClient, bench: Bench) -> None:
    made = personal_tokens.make(bench.store, bench.workspace.owner(), "mine", "read", 9, with_accounts=False)
    bearer = {"authorization": f"Bearer {made.token}"}
    assert client.get("/api/first/split", headers=bearer).json() == {}
    other = {"X-Dailies-For": f"{bench.workspace.id} per-other"}
    assert client.get("/api/first/split", headers=other).status_code == 403


def test_what_is_not_there_is_left_out(client: TestClient) -> None:
    assert "/api/script/vid-none" not in carried(client, "/script?video=vid-none")
    assert list(carried(client, "/verdicts?evaluation=none"))[:2] == ["last change", "/api/me"]


def test_a_text_does_not_end_the_element(client: TestClient, bench: Bench) -> None:
    [video] = bench.store.find(Video)
    title = "</script><script>alert(1)</script>"
    bench.store.put(replace(video, title=title))
    found = carried(client, "/script")
    assert found[f"/api/script/{video.id}"]["video"]["title"] == title  # type: ignore[index]


def test_whoever_labels_blind_is_told_nothing_more_than_by_the_routes(
    client: TestClient, bench: Bench
) -> None:
    ana = bench.workspace.add_person("ana", "annotator")
    set_mode(bench.store, bench.workspace.owner(), ana.id, True)
    client.cookies.set(COOKIE, ana.id)
    found = carried(client, "/verdicts")
    assert found["/api/me"]["person"]["id"] == ana.id  # type: ignore[index]
    equal_to_routes(client, found)


def test_a_stranger_is_sent_to_the_login_page(bench: Bench) -> None:
    accounts = [Account("ana", "annotator", hash_password("correct horse"))]
    with TestClient(build_app(bench.workspace, bench.engines, AuthRules(accounts))) as client:
        answer = client.get("/verdicts", headers={"accept": "text/html"}, follow_redirects=False)
    assert (answer.status_code, ELEMENT.search(answer.text)) == (303, None)


def test_a_page_is_not_held_up(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list that is read for the first time may take seconds."""
    go_on = threading.Event()
    monkeypatch.setattr(first_answers, "WAIT_S", 0.5)
    monkeypatch.setattr(routes, "list_json", lambda *_a, **_k: go_on.wait(60))
    try:
        assert list(carried(client, "/verdicts")) == ["last change", "/api/me"]
    finally:
        go_on.set()


def test_head_is_answered_without(client: TestClient) -> None:
    answer = client.head("/verdicts")
    assert (answer.status_code, answer.text) == (200, "")
