"""Logging in through an OpenID provider: beside passwords, behind a proxy, and where one goes then."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from annotation.people import accounts
from backends.errors import UsageError
from tests.bench import Bench
from tests.ui.oidc_desk import Desk
from tests.ui.oidc_provider import CLIENT, OpenIdProvider
from ui.auth.current_person import AuthRules
from ui.auth.openid import OidcRule
from ui.auth.site_address_and_cookies import Site
from ui.pages.login.login_page import own_path


def test_passwords_beside_the_provider(desk: Desk) -> None:
    ada = desk.bench.workspace.add_person("ada", "admin")
    accounts.set_password(desk.store, ada.id, "correct horse")
    words = {"name": "ada", "password": "correct horse", "next": "/scores?evaluation=e"}
    assert desk.browser.post("/login", data=words).status_code == 401, "not asked for"
    desk.open(passwords=True)
    assert "Log in with" in desk.browser.get("/login").text
    wrong = desk.browser.post("/login", data=words | {"password": "wrong"})
    assert 'value="/scores?evaluation=e"' in wrong.text, "a wrong password forgets nothing"
    assert desk.browser.post("/login", data=words).headers["location"] == "/scores?evaluation=e"
    assert desk.who() == "ada: admin"


def test_behind_a_proxy_the_address_is_said(desk: Desk) -> None:
    assert desk.leave_for()["redirect_uri"] == "http://testserver/login/callback"
    desk.open(site=Site("https://dailies.example.org"))
    query = desk.leave_for()
    assert query["redirect_uri"] == "https://dailies.example.org/login/callback"
    [waiting] = desk.browser.cookies.keys()
    assert waiting.startswith("__Host-dailies_login_")
    back = desk.browser.get(desk.provider.code_for("bo", query))
    assert "Secure" in back.headers["set-cookie"].split("dailies_login")[0]


def test_logging_out_offers_to_leave_the_provider_too(desk: Desk) -> None:
    desk.log_in()
    page = desk.browser.get(desk.browser.post("/logout").headers["location"]).text
    back = quote("http://testserver/login", safe="")
    assert f"{desk.provider.url}/end_session?client_id={CLIENT}&amp;post_logout_redirect_uri={back}" in page
    assert "too</a>" not in desk.browser.get("/login").text
    desk.provider.facts["end_session_endpoint"] = "javascript:alert(1)"
    desk.open()
    assert "too</a>" not in desk.browser.get("/login?left=1").text


ELSEWHERE = [
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "/\t/evil.example",
    "javascript:alert(1)",
    "evil.example",
    "",
    " /scores",
    "/login",
    "/logout",
    "/login/provider",
    "///evil.example",
    "/\n/evil.example",
    "http:/evil",
    "/x" * 2000,
    "//[",
    "/\u2028x",
]


def test_logging_in_leads_nowhere_else(desk: Desk) -> None:
    for to in ELSEWHERE:
        assert own_path(to) == "/", to
        desk.another_browser()
        assert desk.log_in(to=to).headers["location"] == "/", to
        desk.another_browser()
        assert 'href="/login/provider?next=%2F"' in desk.browser.get("/login", params={"next": to}).text, to


def test_what_waits_may_be_changed_by_whom_it_belongs_to_and_still_leads_nowhere_else(desk: Desk) -> None:
    query = desk.leave_for("/scores")
    [(name, packed)] = desk.browser.cookies.items()
    changed = json.loads(bytes.fromhex(packed)) | {"to": "https://evil.example"}
    desk.browser.cookies.clear()
    desk.browser.cookies.set(name, json.dumps(changed).encode().hex())
    assert desk.browser.get(desk.provider.code_for("bo", query)).headers["location"] == "/"


def test_what_waits_may_be_rubbish(desk: Desk) -> None:
    for packed in ("", "zz", "7b7d", b"[]".hex(), b'{"state": 1}'.hex(), b"\xff".hex()):
        query = desk.leave_for()
        [name] = desk.browser.cookies.keys()
        desk.browser.cookies.clear()
        desk.browser.cookies.set(name, packed)
        assert desk.browser.get(desk.provider.code_for("bo", query)).status_code == 403, packed
        desk.another_browser()


@pytest.mark.parametrize(
    "issuer",
    [
        "http://login.example.org",
        "login.example.org",
        "ftp://127.0.0.1",
        "https://",
        "https://a@b.example",
        "https://login.example.org?x=1",
        "https://login.example.org#x",
        "https://login.example.org:99999",
        "https://[",
    ],
)
def test_only_issuers_that_cannot_be_forged(issuer: str) -> None:
    with pytest.raises(UsageError, match="--oidc"):
        OidcRule.of(issuer, CLIENT, "", None, None)


def test_flags_that_do_not_fit(bench: Bench, provider: OpenIdProvider) -> None:
    rule = OidcRule.of(provider.url, CLIENT, "", None, None)
    with pytest.raises(UsageError, match="give one kind of login"):
        AuthRules([], oidc=rule)
    with pytest.raises(UsageError, match="--oidc-client"):
        OidcRule.of(provider.url, None, "", None, None)
