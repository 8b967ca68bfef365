"""Logging in through an OpenID provider: a real one, on this machine, that can be told to lie."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import OctKey

from annotation.people import accounts, login_attempts, openid_identities
from annotation.records.decisions import Person
from backends.errors import UsageError
from tests.bench import Bench
from tests.ui.oidc_desk import Desk
from tests.ui.oidc_provider import CLIENT, SECRET, OpenIdProvider, new_key, running_provider
from ui.auth import openid
from ui.auth.current_person import COOKIE


def test_somebody_logs_in_and_out(desk: Desk) -> None:
    host = desk.provider.url.removeprefix("http://")
    assert desk.browser.get("/api/library").status_code == 401
    asked = desk.browser.get("/verdicts?qa=7&evaluation=a b")
    assert asked.headers["location"] == "/login?next=%2Fverdicts%3Fqa%3D7%26evaluation%3Da%2520b"
    page = desk.browser.get(asked.headers["location"]).text
    assert f"Log in with {host}" in page
    assert "password" not in page
    query = desk.leave_for("/verdicts?qa=7")
    assert query["scope"] == "openid profile email"
    assert query["code_challenge_method"] == "S256"
    back = desk.browser.get(desk.provider.code_for("bo", query))
    assert (back.status_code, back.headers["location"]) == (303, "/verdicts?qa=7")
    assert "dailies_login" not in str(desk.browser.cookies), "what waited for the answer is dropped"
    assert desk.who() == "bo: annotator"
    assert desk.browser.get("/api/me").json()["leaves"]
    assert desk.browser.post("/logout").headers["location"] == "/login?left=1"
    assert desk.who() is None
    assert desk.log() == [
        f"bo: came first through {host}: annotator",
        f"bo: logged in through {host}",
        "bo: logged out",
    ]


def test_a_second_login_is_the_same_person_under_a_new_name(desk: Desk) -> None:
    desk.log_in()
    desk.provider.people["bo"]["preferred_username"] = "bodil"
    desk.another_browser()
    desk.log_in()
    assert desk.who() == "bo: annotator"
    assert [p.name for p in desk.store.find(Person)] == ["bo"]


def test_two_who_are_called_alike_stay_two(desk: Desk) -> None:
    desk.log_in()
    desk.provider.people["other"] = {"sub": "18", "preferred_username": "bo"}
    desk.another_browser()
    refused = desk.log_in("other")
    assert refused.status_code == 403
    assert "account link" in refused.text
    assert desk.who() is None
    openid_identities.link(
        desk.store, desk.bench.workspace.add_person("bo the second", "expert"), desk.provider.url, "18"
    )
    desk.log_in("other")
    assert desk.who() == "bo the second: expert"


def test_an_account_of_the_workspace_is_not_taken_over(desk: Desk) -> None:
    ada = desk.bench.workspace.add_person("ada", "admin")
    desk.provider.people["ada"] = {"sub": "1", "preferred_username": "ada"}
    refused = desk.log_in("ada")
    assert refused.status_code == 403
    command = f"account link ada --issuer {desk.provider.url} --subject 1 "
    assert command in refused.text
    assert desk.who() is None
    desk.provider.people["ada"]["sub"] = "it's $(touch x)"
    desk.another_browser()
    quoted = "&#x27;it&#x27;&quot;&#x27;&quot;&#x27;s $(touch x)&#x27;"
    assert f"--subject {quoted} " in desk.log_in("ada").text, "a shell that it is copied into runs nothing"
    desk.provider.people["ada"]["sub"] = "1"
    desk.another_browser()
    assert "already an account called" in desk.log()[-1]
    openid_identities.link(desk.store, ada, desk.provider.url, "1")
    desk.log_in("ada")
    assert desk.who() == "ada: admin"
    with pytest.raises(UsageError, match="already linked to 'ada'"):
        openid_identities.link(
            desk.store, desk.bench.workspace.add_person("eve", "annotator"), desk.provider.url, "1"
        )


def test_whoever_is_kept_out_stays_out(desk: Desk) -> None:
    desk.log_in()
    [bo] = desk.store.find(Person, name="bo")
    accounts.set_disabled(desk.store, bo.id, True)
    assert desk.who() is None, "and the session is over"
    refused = desk.log_in()
    assert refused.status_code == 403
    assert "is disabled" in refused.text
    assert desk.who() is None
    assert desk.log()[-1].startswith(": login failed")


# --- answers that prove nothing ---------------------------------------------------------


def unsigned(claims: dict[str, Any]) -> str:
    parts = (
        urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
        for part in ({"alg": "none"}, claims)
    )
    return f"{'.'.join(parts)}."


LIES: dict[str, Callable[[OpenIdProvider], object]] = {
    "another nonce": lambda p: p.changed.update(nonce="n"),
    "no nonce": lambda p: p.changed.update(nonce=None),
    "another audience": lambda p: p.changed.update(aud="somebody"),
    "others too": lambda p: p.changed.update(aud=[CLIENT, "somebody"]),
    "for another party": lambda p: p.changed.update(aud=[CLIENT, "somebody"], azp="somebody"),
    "party alone": lambda p: p.changed.update(azp="somebody"),
    "no audience": lambda p: p.changed.update(aud=None),
    "another issuer": lambda p: p.changed.update(iss="https://login.example.org"),
    "no issuer": lambda p: p.changed.update(iss=None),
    "expired": lambda p: p.changed.update(exp=time.time() - 120),
    "never expires": lambda p: p.changed.update(exp=None),
    "not yet": lambda p: p.changed.update(nbf=time.time() + 300),
    "from the future": lambda p: p.changed.update(iat=time.time() + 300),
    "nobody": lambda p: p.changed.update(sub=None),
    "empty subject": lambda p: p.changed.update(sub=""),
    "unsigned": lambda p: setattr(p, "sign", unsigned),
    "signed with the secret": lambda p: setattr(
        p, "sign", lambda c: jwt.encode({"alg": "HS256", "kid": "one"}, c, OctKey.import_key(SECRET))
    ),
    "another's key": lambda p: setattr(
        p, "sign", lambda c: jwt.encode({"alg": "ES256", "kid": "one"}, c, new_key())
    ),
    "a key nobody knows": lambda p: setattr(
        p, "sign", lambda c: jwt.encode({"alg": "ES256", "kid": "x"}, c, new_key())
    ),
    "another signature": lambda p: setattr(p, "sign", lambda c: p.signed(c)[:-8] + "AAAAAAAA"),
    "no token": lambda p: setattr(p, "sign", lambda c: ""),
    "rubbish": lambda p: setattr(p, "sign", lambda c: "a.b.c"),
    "no name": lambda p: p.changed.update(preferred_username=None),
    "another state": lambda p: p.after.update(state="x"),
    "no state": lambda p: p.after.update(state=None),
    "no code": lambda p: p.after.update(code=None),
    "refused": lambda p: p.after.update(code=None, error="access_denied"),
    "an answer of another": lambda p: p.after.update(iss="https://login.example.org"),
    "another code": lambda p: p.after.update(code="guessed"),
}


def test_what_proves_nothing_lets_nobody_in(desk: Desk) -> None:
    wrong = []
    for n, (name, lie) in enumerate(LIES.items()):
        desk.provider.be_honest()
        lie(desk.provider)
        desk.another_browser(f"10.0.0.{n}")
        refused = desk.log_in()
        said = 'role="alert"' in refused.text and COOKIE not in refused.headers.get("set-cookie", "")
        if refused.status_code != 403 or not said or desk.who():
            wrong.append(f"{name}: {refused.status_code}")
    assert not wrong
    assert desk.store.find(Person) == []
    assert [" ".join(line.split()[:3]) for line in desk.log()] == [": login failed"] * len(LIES)
    desk.provider.be_honest()
    assert desk.log_in().status_code == 303


def test_clocks_may_be_a_little_apart(desk: Desk) -> None:
    desk.provider.changed.update(iat=time.time() + 20, nbf=time.time() + 20, exp=time.time() - 20)
    assert desk.log_in().status_code == 303


def test_a_code_and_an_answer_work_once(desk: Desk) -> None:
    answer = desk.provider.code_for("bo", desk.leave_for())
    waiting = dict(desk.browser.cookies)
    assert desk.browser.get(answer).status_code == 303
    assert desk.browser.get(answer).status_code == 403, "the state is used up"
    for name, value in waiting.items():
        desk.browser.cookies.set(name, value)
    refused = desk.browser.get(answer)
    assert refused.status_code == 403
    assert "invalid_grant" in refused.text


def test_a_link_with_somebody_elses_code_is_no_login(desk: Desk) -> None:
    link = desk.provider.code_for("bo", desk.leave_for())
    desk.another_browser()
    refused = desk.browser.get(link)
    assert refused.status_code == 403
    assert "another browser" in refused.text
    assert desk.who() is None


def test_two_logins_at_a_time(desk: Desk) -> None:
    first, second = desk.leave_for("/scores"), desk.leave_for("/split")
    assert desk.browser.get(desk.provider.code_for("bo", first)).headers["location"] == "/scores"
    assert desk.browser.get(desk.provider.code_for("bo", second)).headers["location"] == "/split"


def test_failures_fill_no_log(desk: Desk) -> None:
    for _ in range(login_attempts.TRIES + 5):
        assert desk.browser.get("/login/callback?code=x&state=y").status_code == 403
    assert len(desk.log()) == login_attempts.TRIES
    assert desk.log_in().status_code == 303, "who has proof comes in all the same"


# --- the provider -----------------------------------------------------------------------


def test_a_provider_that_is_down_is_one_line(bench: Bench) -> None:
    with running_provider() as gone:
        pass
    desk = Desk(bench, gone)
    page = desk.browser.get("/login/provider")
    assert page.status_code == 502
    assert "returned no valid response" in page.text
    assert "Traceback" not in page.text
    assert desk.browser.get("/login?left=1").status_code == 200, "without a way out of it"


def test_a_provider_that_goes_down_in_between(desk: Desk) -> None:
    query = desk.leave_for()
    desk.provider.facts["jwks_uri"] = f"{desk.provider.url}/nothing"
    desk.open()
    answer = desk.browser.get(desk.provider.code_for("bo", desk.leave_for()))
    assert answer.status_code == 502
    assert query


@pytest.mark.parametrize(
    "facts",
    [
        {"issuer": "https://login.example.org"},
        {"token_endpoint": "http://login.example.org/token"},
        {"authorization_endpoint": None},
        {"jwks_uri": "file:///etc/passwd"},
    ],
)
def test_a_description_that_cannot_be_trusted(desk: Desk, facts: dict[str, Any]) -> None:
    desk.provider.facts = facts
    assert desk.browser.get("/login/provider").status_code == 502


def test_what_it_says_is_fetched_once_and_new_keys_are_found(desk: Desk) -> None:
    for _ in range(3):
        assert desk.log_in().status_code == 303
    assert desk.provider.asked.count("/keys") == 1
    assert desk.provider.asked.count("/.well-known/openid-configuration") == 1
    desk.provider.keys = [new_key()]
    assert desk.log_in().status_code == 303
    assert desk.provider.asked.count("/keys") == 2


def test_it_is_fetched_again_some_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openid, "KEPT_S", 0.0)
    desk.log_in()
    assert desk.provider.asked.count("/.well-known/openid-configuration") == 2


def test_a_public_client_has_no_secret(desk: Desk) -> None:
    desk.provider.secret = ""
    desk.open(secret="")
    assert desk.log_in().status_code == 303


def test_a_secret_in_the_form_where_the_provider_wants_that(desk: Desk) -> None:
    desk.provider.facts["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
    assert desk.log_in().status_code == 303


def test_a_wrong_secret_is_told(desk: Desk) -> None:
    desk.open(secret="wrong")
    assert "invalid_client" in desk.log_in().text


def test_the_name_may_be_told_apart_from_the_token(desk: Desk) -> None:
    desk.provider.people["bo"] = {"sub": "17"}
    desk.provider.facts["userinfo_endpoint"] = f"{desk.provider.url}/userinfo"
    desk.provider.userinfo = {"email": "bo@example.org", "sub": "18"}
    assert "two different subjects" in desk.log_in().text
    desk.provider.userinfo = {"email": "bo@example.org"}
    assert desk.log_in().status_code == 303
    assert desk.who() == "bo@example.org: annotator"


def test_another_claim_for_names(desk: Desk) -> None:
    desk.provider.people["bo"] |= {"nickname": "  B\u202eo\x00\n"}
    desk.open(name="nickname")
    desk.log_in()
    assert desk.who() == "Bo: annotator"


# --- roles ------------------------------------------------------------------------------


def test_the_provider_gives_roles(desk: Desk) -> None:
    desk.provider.people["bo"]["realm_access"] = {"roles": ["offline", "expert", "researcher"]}
    desk.open(roles="realm_access.roles")
    desk.log_in()
    assert desk.who() == "bo: researcher"
    desk.provider.people["bo"]["realm_access"] = {"roles": ["nothing of ours"]}
    desk.log_in()
    assert desk.who() == "bo: annotator"
    desk.provider.people["bo"]["realm_access"] = {"roles": "admin"}
    desk.log_in()
    assert desk.who() == "bo: admin"
    [bo] = desk.store.find(Person, name="bo")
    refused = desk.browser.post(f"/api/accounts/{bo.id}", json={"role": "expert"})
    assert refused.status_code == 400
    assert "next login" in refused.json()["error"]


def test_what_names_no_role_gives_the_least(desk: Desk) -> None:
    desk.open(roles="groups")
    for value in (None, [], 7, "administrator", ["Admin"], [["admin"]], {"admin": True}, [None]):
        desk.provider.people["bo"]["groups"] = value
        desk.log_in()
        assert desk.who() == "bo: annotator", value


def test_a_scope_of_the_claims_name_is_asked_for(desk: Desk) -> None:
    desk.provider.facts["scopes_supported"] = ["openid", "groups"]
    desk.open(roles="groups")
    assert desk.leave_for()["scope"] == "openid profile email groups"


def test_without_a_claim_an_admin_gives_roles(desk: Desk) -> None:
    desk.log_in()
    [bo] = desk.store.find(Person, name="bo")
    accounts.set_role(desk.store, bo.id, "expert")
    desk.log_in()
    assert desk.who() == "bo: expert"
