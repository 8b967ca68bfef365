"""A page says for whom it works; what comes under another name is refused, and nothing is stored."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from annotation.people import accounts
from annotation.records.captions_to_verdicts import Text
from annotation.records.decisions import Correction
from tests.bench import Bench
from ui.auth.current_person import COOKIE, AuthRules
from ui.requests.page_owner import HEADER, stated
from ui.web_app import build_app

OWN = {"Sec-Fetch-Site": "same-origin"}


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    with TestClient(build_app(bench.workspace, bench.engines), headers=OWN) as found:
        yield found


def body(bench: Bench, words: str) -> dict[str, object]:
    return {"video_id": bench.video.id, "kind": "vdc:camera", "value": words}


def test_a_save_of_another_persons_page_is_refused(bench: Bench, client: TestClient) -> None:
    ana, bo = (bench.workspace.add_person(name, "annotator") for name in ("ana", "bo"))
    page = {HEADER: stated(bench.workspace.id, ana.id)}
    client.cookies.set(COOKIE, ana.id)
    assert client.post("/api/text", json=body(bench, "By ana."), headers=page).status_code == 200
    client.cookies.set(COOKIE, bo.id)
    for path, what in (
        ("/api/text", body(bench, "Also by ana.")),
        ("/api/edit", {"subject": ["text", "x", "value"], "value": "", "base_revision": 0}),
        ("/api/undo", {}),
    ):
        refused = client.post(path, json=what, headers=page)
        assert refused.status_code == 403
        assert refused.json()["other"] == {"id": bo.id, "name": "bo"}
        assert "works as bo now" in refused.json()["error"]
    assert client.get("/api/library", headers=page).status_code == 403
    assert {c.person_id for c in bench.store.find(Correction)} == {ana.id}
    assert not bench.store.find(Text, person_id=bo.id)


def test_a_page_of_another_workspace_is_refused(bench: Bench, client: TestClient) -> None:
    owner = bench.workspace.owner()
    refused = client.post("/api/text", json=body(bench, "x"), headers={HEADER: stated("wsp-other", owner.id)})
    assert refused.status_code == 403 and "another workspace" in refused.json()["error"]
    assert not bench.store.find(Text, person_id=owner.id)


def test_a_program_need_not_say_it(bench: Bench, client: TestClient) -> None:
    assert client.post("/api/text", json=body(bench, "By a program.")).status_code == 200
    said = client.get("/api/me").json()
    page = {HEADER: stated(said["workspace_id"], said["person"]["id"])}
    assert client.get("/api/me", headers=page).status_code == 200


def test_a_dialog_logs_in_and_stays_on_its_page(bench: Bench) -> None:
    ana = bench.workspace.add_person("ana", "admin")
    accounts.set_password(bench.store, ana.id, "secret words")
    app = build_app(bench.workspace, bench.engines, AuthRules(passwords=True))
    with TestClient(app, headers=OWN | {"Accept": "application/json"}, follow_redirects=False) as client:
        wrong = client.post("/login", data={"name": "ana", "password": "other words"})
        assert wrong.status_code == 401 and "wrong name or password" in wrong.json()["error"]
        assert client.post("/login", data={"name": "ana", "password": "secret words"}).json() == {}
        assert client.get("/api/me").json()["person"]["name"] == "ana"
        assert "You are logged in" in client.get("/logged-in").text
        client.cookies.clear()
        assert client.get("/logged-in", headers={"Accept": "text/html"}).status_code == 303


def test_what_a_person_writes_is_written_and_what_another_changes_is_corrected(
    bench: Bench, client: TestClient
) -> None:
    ana = bench.workspace.add_person("ana", "annotator")
    client.cookies.set(COOKIE, ana.id)
    made = client.post("/api/text", json=body(bench, "A pan.")).json()
    assert (made["author"], made["corrected"], made["person"]) == ("ana", False, ana.id)
    assert made["place"] == {"video_id": bench.video.id, "kind": "vdc:camera", "scene": ""}
    change = {"subject": made["subject"], "base_revision": made["revision"]}
    typed = client.post("/api/edit", json=change | {"value": "A slow pan."}).json()
    assert typed["corrected"] is False
    client.cookies.set(COOKIE, bench.workspace.owner().id)
    change["base_revision"] = typed["revision"]
    corrected = client.post("/api/edit", json=change | {"value": "A tilt."}).json()
    assert (corrected["corrected"], corrected["author"]) == (True, "ana")
    shown = client.get(f"/api/script/{bench.video.id}").json()["captions"]["vdc:camera"]
    assert [t["corrected"] for t in shown if t["person"]] == [True]
