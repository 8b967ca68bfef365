"""Where the app is, and who may show it: headers, cookies, origins, what a Space tells."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from annotation.people.login_sessions import begin
from annotation.people.passwords import hash_password
from annotation.records.decisions import Person
from backends.errors import UsageError
from tests.bench import Bench
from ui.auth.current_person import COOKIE, Account, AuthRules
from ui.auth.site_address_and_cookies import HUGGING_FACE, Site
from ui.web_app import build_app

WIKI = "https://wiki.example.org"
SAME = {"Sec-Fetch-Site": "same-origin"}
WORDS = {"name": "ann", "password": "correct horse"}


def browser(bench: Bench, site: Site, url: str = "https://dailies.example.org") -> TestClient:
    accounts = [Account("ann", "annotator", hash_password("correct horse"))]
    app = build_app(bench.workspace, bench.engines, AuthRules(accounts), site=site)
    return TestClient(app, url, headers=SAME, follow_redirects=False)


PAGES = ("/", "/login", "/api/library", "/app/x", "/healthz", "/nothing")


def test_other_sites_show_nothing_unless_they_are_named(bench: Bench) -> None:
    client = browser(bench, Site())
    for page in PAGES:
        headers = client.get(page, headers={"Accept": "text/html"}).headers
        assert headers["content-security-policy"] == "frame-ancestors 'self'", page
        assert headers["x-frame-options"] == "SAMEORIGIN", page


def test_those_that_are_named_may(bench: Bench) -> None:
    client = browser(bench, Site(frames=(WIKI, "https://b.example:8443")))
    for page in PAGES:
        headers = client.get(page, headers={"Accept": "text/html"}).headers
        assert headers["content-security-policy"] == f"frame-ancestors 'self' {WIKI} https://b.example:8443"
        assert "x-frame-options" not in headers, "it knows one's own site alone"


def cookies(client: TestClient, token: str = "") -> list[str]:
    """Attributes of those that logging in sets, or logging out with the token."""
    leave = {"headers": {"Cookie": f"{COOKIE}={token}"}}
    answer = client.post("/logout", **leave) if token else client.post("/login", data=WORDS)
    assert answer.status_code == 303
    return [c.partition("=")[2].partition(";")[2].strip() for c in answer.headers.get_list("set-cookie")]


def test_a_cookie_is_for_ones_own_site(bench: Bench) -> None:
    [attributes] = cookies(browser(bench, Site()))
    assert attributes == "HttpOnly; Max-Age=1209600; Path=/; SameSite=lax; Secure"
    [attributes] = cookies(browser(bench, Site(), "http://dailies.example.org"))
    assert "Secure" not in attributes
    behind_a_proxy = Site("https://dailies.example.org")
    [attributes] = cookies(browser(bench, behind_a_proxy, "http://dailies.example.org"))
    assert attributes.endswith("SameSite=lax; Secure")


@pytest.mark.parametrize(
    ("site", "url"),
    [
        (Site(frames=(WIKI,)), "https://dailies.example.org"),
        (Site(frames=(WIKI,)), "http://127.0.0.1:7860"),
        (Site("https://dailies.example.org", (WIKI,)), "http://inside:7860"),
        (Site(frames=(WIKI,)), "http://localhost:7860"),
    ],
)
def test_a_cookie_in_a_frame_is_kept_for_that_outer_page_alone(bench: Bench, site: Site, url: str) -> None:
    client = browser(bench, site, url)
    old, new = cookies(client)
    assert "Max-Age=0" in old
    assert "SameSite=lax" in old
    assert new == "HttpOnly; Max-Age=1209600; Path=/; SameSite=none; Secure; Partitioned"
    [ann] = bench.store.find(Person, name="ann")
    gone = cookies(client, begin(bench.store, ann.id, "", "logged in"))
    assert [("Max-Age=0" in c, "Partitioned" in c) for c in gone] == [(True, False), (True, True)]


def test_over_http_from_elsewhere_a_cookie_stays_as_it_is(bench: Bench) -> None:
    [attributes] = cookies(browser(bench, Site(frames=(WIKI,)), "http://10.0.0.7:7860"))
    assert attributes == "HttpOnly; Max-Age=1209600; Path=/; SameSite=lax"
    assert "only over https" in Site(frames=(WIKI,)).warning()
    assert not Site().warning()
    assert not Site("https://dailies.example.org", (WIKI,)).warning()


def test_who_one_is_may_be_chosen_in_a_frame(bench: Bench) -> None:
    app = build_app(bench.workspace, bench.engines, site=Site("https://dailies.example.org", (WIKI,)))
    answer = TestClient(app, headers=SAME).post("/api/me", json={"name": "bo"})
    assert answer.headers.get_list("set-cookie")[1].endswith("SameSite=none; Secure; Partitioned")
    assert COOKIE in answer.headers["set-cookie"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": WIKI},
        {"Sec-Fetch-Site": "cross-site", "Origin": WIKI},
        {"Origin": "null"},
    ],
)
def test_the_outer_page_changes_nothing_itself(bench: Bench, headers: dict[str, str]) -> None:
    app = build_app(bench.workspace, bench.engines, site=Site(frames=(WIKI,)))
    client = TestClient(app, "https://dailies.example.org", headers=headers)
    assert client.post("/api/me", json={"name": "bo"}).status_code == 403
    assert client.post("/login", data=WORDS).status_code == 403


@pytest.mark.parametrize(
    "given",
    [
        [WIKI, "https://b.example"],
        [f"{WIKI} https://b.example"],
        [f"{WIKI},https://b.example"],
        [f"{WIKI}, https://b.example", WIKI],
    ],
)
def test_origins_are_given_one_by_one_or_together(given: list[str]) -> None:
    assert Site.of(None, given, {}).frames == (WIKI, "https://b.example")


def test_this_machine_needs_no_https() -> None:
    assert Site.of(None, ["http://localhost:8000"], {}).frames == ("http://localhost:8000",)


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "https://*",
        "https://*.hf.space",
        "http://wiki.example.org",
        "wiki.example.org",
        "https://a.example/",
        "https://a.example/page",
        "https://a.example?x",
        "https://a@b.example",
        "'self'",
        "null",
        "data:",
        "https://a.example;script-src",
        "https://a.example:999999",
        "HTTPS://a.example",
        "https://bücher.example",
    ],
)
def test_what_is_no_origin_is_refused(origin: str) -> None:
    with pytest.raises(UsageError, match="--embed-in"):
        Site.of(None, [origin], {})


@pytest.mark.parametrize("url", ["dailies.example.org", "https://a.example/dailies", "https://", "ftp://a"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="--public-url"):
        Site.of(url, [], {})


def test_a_space_is_shown_by_hugging_face() -> None:
    space = {"SPACE_ID": "lab/dailies", "SPACE_HOST": "lab-dailies.hf.space"}
    assert Site.of(None, [], space) == Site("https://lab-dailies.hf.space", (HUGGING_FACE,))
    assert Site.of("https://dailies.example.org/", [WIKI], space) == Site(
        "https://dailies.example.org", (WIKI,)
    )
    assert Site.of(None, [], {"SPACE_HOST": "x"}) == Site()
