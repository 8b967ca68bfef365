"""Personal tokens at the door: they alone decide, for every path, and no further than their scope."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from annotation.people import accounts, audit_log, personal_tokens
from annotation.people.login_sessions import begin
from annotation.people.passwords import hash_password
from annotation.people.permissions import ALLOWED, Scope
from annotation.records.decisions import Person
from annotation.store import tables as t
from tests.bench import Bench
from ui.auth.current_person import COOKIE, Account, AuthRules, ProxyRule
from ui.auth.host_names import OwnNames
from ui.auth.openid import OidcRule
from ui.web_app import build_app

PASSWORD = hash_password("correct horse")
FILE = [Account("ada", "admin", PASSWORD), Account("rita", "researcher", PASSWORD)]


@pytest.fixture
def client(bench: Bench) -> Iterator[TestClient]:
    with TestClient(build_app(bench.workspace, bench.engines, AuthRules(FILE))) as found:
        yield found


def person(bench: Bench, name: str) -> Person:
    return bench.store.find(Person, name=name)[0]


def token(bench: Bench, name: str, scope: Scope = "write", *, with_accounts: bool = True) -> str:
    made = personal_tokens.make(
        bench.store, person(bench, name), f"for {name}", scope, 30, with_accounts=with_accounts
    )
    return made.token


def bearer(words: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {words}"}


def notes(bench: Bench) -> list[str]:
    return [f"{e.who}: {e.what} {e.about}".strip() for e in reversed(audit_log.entries(bench.store))]


def test_a_token_stands_for_its_person_with_and_without_scope(client: TestClient, bench: Bench) -> None:
    for scope in ("read", "write"):
        me = client.get("/api/me", headers=bearer(token(bench, "ada", scope))).json()
        assert me["person"]["name"] == "ada"
        expected = {"read", "export"} if scope == "read" else ALLOWED["admin"] - {"manage"}
        assert set(me["may"]) == expected
        personal_tokens.revoke(bench.store, personal_tokens.tokens(bench.store)[0].id)


def test_what_changes_something_is_not_for_a_token_that_reads(client: TestClient, bench: Bench) -> None:
    reads, writes = bearer(token(bench, "ada", "read")), bearer(token(bench, "rita"))
    body = {"video_id": bench.video.id, "stages": ["probe"]}
    refused = client.post("/api/jobs", json=body, headers=reads)
    assert refused.status_code == 403 and "has only the scope read" in refused.json()["error"]
    assert client.get("/api/videos", headers=reads).status_code == 200
    assert client.get("/metrics", headers=reads).status_code == 403, "for those who run"
    assert client.post("/api/blind", json={"on": False}, headers=writes).status_code == 200
    assert any("token refused POST /api/jobs" in line for line in notes(bench))


def test_a_token_changes_nothing_of_people_and_makes_no_tokens(client: TestClient, bench: Bench) -> None:
    ada = bearer(token(bench, "ada"))
    for path, body in (
        ("/api/accounts", {"name": "eve", "role": "admin"}),
        (f"/api/accounts/{person(bench, 'rita').id}", {"disabled": True}),
        ("/api/password", {"old": "correct horse", "new": "battery staple"}),
        ("/api/tokens", {"name": "more"}),
        (f"/api/tokens/{personal_tokens.tokens(bench.store)[0].id}/revoke", {}),
        ("/api/me", {"name": "eve"}),
    ):
        assert client.post(path, json=body, headers=ada).status_code == 403, path
    assert client.get("/api/accounts", headers=ada).status_code == 403
    assert client.get("/api/audit", headers=ada).status_code == 403
    assert len(personal_tokens.tokens(bench.store)) == 1
    assert not bench.store.find(Person, name="eve")


def test_no_cookie_helps_a_token_that_does_not_hold(client: TestClient, bench: Bench) -> None:
    client.cookies.set(COOKIE, begin(bench.store, person(bench, "ada").id, "", "logged in"))
    assert client.get("/api/accounts").status_code == 200
    for words in ("dailies_", "dailies_guessed", "dailies_" + "x" * 43):
        for path in ("/api/accounts", "/healthz", "/login", "/", "/gradio_api/info", "/mcp"):
            answer = client.get(path, headers=bearer(words))
            assert answer.status_code == 401 and "this token does not exist" in answer.json()["error"], path
    # Others' headers are no tokens of ours: the session counts.
    for other in ("Bearer hf_abc", "Basic ZGFpbGllc18=", "dailies_x"):
        assert client.get("/api/accounts", headers={"Authorization": other}).status_code == 200
    rita = bearer(token(bench, "rita", "read"))
    assert client.get("/api/me", headers=rita).json()["person"]["name"] == "rita"
    assert client.get("/api/accounts", headers=rita).status_code == 403


def test_a_token_needs_no_page_of_ours(client: TestClient, bench: Bench) -> None:
    """Whoever has the header was given it: no browser sends it for another site's page."""
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
    rita = bearer(token(bench, "rita"))
    assert client.post("/api/blind", json={"on": False}, headers=foreign | rita).status_code == 200
    client.cookies.set(COOKIE, begin(bench.store, person(bench, "rita").id, "", "logged in"))
    assert client.post("/api/blind", json={"on": False}, headers=foreign).status_code == 403
    # A page of another site may not even ask whether it may send one.
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    for path in ("/api/blind", "/gradio_api/call/videos"):
        answer = client.options(path, headers=foreign | asked)
        assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers


def test_each_state_is_refused_with_what_to_do_next(client: TestClient, bench: Bench) -> None:
    def ended(words: str) -> None:
        answer = client.get("/api/videos", headers=bearer(used))
        assert answer.status_code == 401 and words in answer.json()["error"]
        assert answer.headers["www-authenticate"] == "Bearer"
        assert notes(bench)[-1].startswith("rita: token refused GET /api/videos: ")

    used = token(bench, "rita")
    assert client.get("/api/videos", headers=bearer(used)).status_code == 200
    accounts.set_disabled(bench.store, person(bench, "rita").id, True)
    ended("disabled")
    accounts.set_disabled(bench.store, person(bench, "rita").id, False)
    assert client.get("/api/videos", headers=bearer(used)).status_code == 200
    accounts.set_role(bench.store, person(bench, "rita").id, "annotator")
    assert "run" not in client.get("/api/me", headers=bearer(used)).json()["may"]
    with bench.store.writing() as conn:
        conn.execute(update(t.personal_token).values(until=1.0))
    ended("has expired")
    personal_tokens.revoke(bench.store, personal_tokens.tokens(bench.store)[0].id)
    ended("has been revoked")


def test_a_token_of_somebody_who_left_the_file_does_not_hold(bench: Bench) -> None:
    build_app(bench.workspace, bench.engines, AuthRules(FILE))
    used = bearer(token(bench, "rita"))
    client = TestClient(build_app(bench.workspace, bench.engines, AuthRules(FILE[:1])))
    assert "was removed" in client.get("/api/videos", headers=used).json()["error"]


def test_a_name_of_another_site_helps_no_token(bench: Bench) -> None:
    """Without accounts the server answers to its own names alone, with a token too."""
    names = OwnNames.of("127.0.0.1", 7860)
    client = TestClient(build_app(bench.workspace, bench.engines, names=names), base_url="http://127.0.0.1")
    made = personal_tokens.make(bench.store, bench.workspace.owner(), "a", "read", 1, with_accounts=False)
    assert client.get("/api/videos", headers=bearer(made.token)).status_code == 200
    wrong = bearer(made.token) | {"Host": "elsewhere.example"}
    assert client.get("/api/videos", headers=wrong).status_code == 421


def test_a_token_counts_and_not_what_a_proxy_says(bench: Bench) -> None:
    rule = ProxyRule.of("X-Forwarded-User", ["127.0.0.1"])
    app = build_app(bench.workspace, bench.engines, AuthRules(proxy=rule))
    client = TestClient(app, client=("127.0.0.1", 5000))
    said = {"X-Forwarded-User": "ada"}
    assert client.get("/api/me", headers=said).json()["person"]["name"] == "ada"
    bench.workspace.add_person("rita", "researcher")
    rita = bearer(token(bench, "rita"))
    assert client.get("/api/me", headers=said | rita).json()["person"]["name"] == "rita"
    assert client.get("/api/me", headers=said | bearer("dailies_x")).status_code == 401
    direct = TestClient(app, client=("10.0.0.9", 5000))
    assert direct.get("/api/me", headers=rita).json()["person"]["name"] == "rita"


def test_every_use_is_in_the_audit_log(client: TestClient, bench: Bench) -> None:
    rita = bearer(token(bench, "rita"))
    before = len(notes(bench))
    client.get("/api/videos", headers=rita)
    client.get("/api/videos/none", headers=rita)
    client.post("/api/edit", json={}, headers=rita)
    client.post("/gradio_api/run/videos", json={"data": ["", "", "need", 0, 1]}, headers=rita)
    assert notes(bench)[before:] == [
        "rita: GET /api/videos token 'for rita'",
        "rita: GET /api/videos/none token 'for rita' refused (404)",
        "rita: POST /api/edit token 'for rita' refused (422)",
        "rita: API /videos token 'for rita'",
    ]
    (made,) = personal_tokens.tokens(bench.store)
    assert made.used_at is not None


def test_guesses_fill_no_log(client: TestClient, bench: Bench) -> None:
    before = len(notes(bench))
    for n in range(40):
        assert client.get("/api/videos", headers=bearer(f"dailies_{n}")).status_code == 401
    assert 0 < len(notes(bench)) - before <= 10


def test_what_was_made_without_accounts_does_not_hold_with_them(bench: Bench) -> None:
    free = TestClient(build_app(bench.workspace, bench.engines), headers={"Sec-Fetch-Site": "same-origin"})
    made = free.post("/api/tokens", json={"name": "notebook", "scope": "write"}).json()
    used = bearer(made["token"])
    assert free.get("/api/videos", headers=used).status_code == 200
    assert free.get("/api/videos", headers=bearer("dailies_x")).status_code == 401
    owner = bench.workspace.owner()
    accounts.set_password(bench.store, owner.id, "correct horse")
    rule = OidcRule("https://provider.example", "id", "secret")
    for options in ({"passwords": True}, {"oidc": rule}, {"accounts": FILE}):
        locked = TestClient(build_app(bench.workspace, bench.engines, AuthRules(**options)))
        answer = locked.get("/api/videos", headers=used)
        assert answer.status_code == 401 and "before logging in was required" in answer.json()["error"]


def test_the_page_makes_lists_and_revokes(client: TestClient, bench: Bench) -> None:
    client.cookies.set(COOKIE, begin(bench.store, person(bench, "rita").id, "", "logged in"))
    made = client.post("/api/tokens", json={"name": "  notebook ", "scope": "read", "days": 7}).json()
    assert made["token"].startswith("dailies_") and made["name"] == "notebook" and made["state"] == "valid"
    assert round((made["until"] - made["created_at"]) / 86400) == 7
    (listed,) = client.get("/api/tokens").json()
    assert "token" not in listed and listed["used_at"] is None
    for wrong in (
        {"name": "notebook"},
        {"name": " "},
        {"name": "x", "days": 0},
        {"name": "x", "scope": "all"},
    ):
        assert client.post("/api/tokens", json=wrong).status_code in (400, 422), wrong
    assert client.get("/api/videos", headers=bearer(made["token"])).status_code == 200
    client.cookies.set(COOKIE, begin(bench.store, person(bench, "ada").id, "", "logged in"))
    assert client.get("/api/tokens").json() == []
    assert client.post(f"/api/tokens/{made['id']}/revoke").json()["state"] == "revoked"  # an admin
    assert client.get("/api/videos", headers=bearer(made["token"])).status_code == 401
    client.cookies.set(COOKIE, begin(bench.store, person(bench, "rita").id, "", "logged in"))
    assert client.post("/api/tokens", json={"name": "notebook"}).status_code == 200, "the name is free again"


def test_nobody_revokes_anothers(client: TestClient, bench: Bench) -> None:
    token(bench, "ada")
    client.cookies.set(COOKIE, begin(bench.store, person(bench, "rita").id, "", "logged in"))
    of_ada = personal_tokens.tokens(bench.store)[0].id
    assert client.post(f"/api/tokens/{of_ada}/revoke").status_code == 403
    assert client.post("/api/tokens/tok-none/revoke").status_code == 404
    assert personal_tokens.tokens(bench.store)[0].state == "valid"
