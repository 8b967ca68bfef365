"""Every route that Gradio itself brings, under a table: none is for strangers, none tells what is another's.

A route that the table does not name fails the test: whoever takes another Gradio decides here what its new
routes need.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

import httpx
import pytest
from starlette.routing import BaseRoute, Mount, Route

from annotation.people import personal_tokens
from annotation.people.login_sessions import begin
from annotation.people.passwords import hash_password
from annotation.people.permissions import Scope
from annotation.records.decisions import Person
from tests.bench import Bench
from tests.ui.serving import serving
from ui.auth.current_person import COOKIE, Account, AuthRules
from ui.demo.demo_app import demo_alone
from ui.web_app import build_app

OURS = """
    GET / | HEAD / | GET /openapi.json | HEAD /openapi.json | GET /favicon.ico | POST /login
    GET /gradio_api/file={path_or_url:path} | HEAD /gradio_api/file={path_or_url:path}
    POST /gradio_api/upload"""
"""In their places routes of ours answer, which test_roles.py tries."""
SHUT = """
    GET /gradio_api/deep_link | GET /gradio_api/proxy={url_path:path} | HEAD /gradio_api/proxy={url_path:path}
    POST /gradio_api/stream/{event_id} | POST /gradio_api/stream/{event_id}/close
    GET /gradio_api/stream/{session_hash}/{run}/{component_id}/playlist.m3u8
    GET /gradio_api/stream/{session_hash}/{run}/{component_id}/{segment_id}.{ext}
    GET /gradio_api/stream/{session_hash}/{run}/{component_id}/playlist-file
    GET /gradio_api/file/{path:path} | POST /gradio_api/component_server | POST /gradio_api/component_server/
    GET /gradio_api/upload_progress | POST /gradio_api/process_recording | GET /gradio_api/dev/reload"""
"""For nobody: files that others could read, and streams without an end."""
OFF = """
    GET /monitoring | GET /monitoring/summary | GET /monitoring/{key}
    POST /gradio_api/vibe-edit | POST /gradio_api/vibe-edit/ | POST /gradio_api/undo-vibe-edit
    POST /gradio_api/undo-vibe-edit/ | GET /gradio_api/vibe-code | GET /gradio_api/vibe-code/
    POST /gradio_api/vibe-code | POST /gradio_api/vibe-code/ | POST /gradio_api/vibe-starter-queries
    POST /gradio_api/vibe-starter-queries/"""
"""Gradio refuses them where they are not switched on."""
PLAIN = """
    GET /config | GET /config/ | GET /gradio_api/info | GET /gradio_api/info/ | GET /gradio_api/openapi.json
    GET /theme.css | GET /gradio_api/theme.css | GET /robots.txt | GET /manifest.json
    GET /pwa_icon | GET /pwa_icon/{size} | GET /static/{path:path} | GET /assets/{path:path}
    GET /svelte/{path:path} | GET /gradio_api/custom_component/{id}/{environment}/{type}/{file_name}
    GET /gradio_api/user | GET /gradio_api/user/ | GET /gradio_api/login_check | GET /gradio_api/login_check/
    GET /gradio_api/token | GET /gradio_api/token/ | GET /gradio_api/app_id | GET /gradio_api/app_id/
    GET /gradio_api/runs | GET /gradio_api/runs/ | GET /gradio_api/queue/status
    GET /gradio_api/startup-events
    POST /gradio_api/reset | POST /gradio_api/reset/ | GET /logout | POST /login/"""
"""For everyone who is logged in; nothing of the workspace is in them."""
CALLS = """
    POST /gradio_api/api/{api_name} | POST /gradio_api/api/{api_name}/ | POST /gradio_api/run/{api_name}
    POST /gradio_api/run/{api_name}/ | POST /gradio_api/call/{api_name} | POST /gradio_api/call/{api_name}/
    POST /gradio_api/call/v2/{api_name} | POST /gradio_api/call/v2/{api_name}/ | POST /gradio_api/queue/join
    POST /gradio_api/cancel | GET /gradio_api/call/{api_name}/{event_id}
    GET /gradio_api/call/v2/{api_name}/{event_id} | GET /gradio_api/queue/data
    GET /gradio_api/heartbeat/{session_hash}"""
"""Calls and what becomes of them: each is its person's. tests/ui/test_own_calls.py tries them."""


NUMBERS = count()


def names(table: str) -> list[str]:
    return [name.strip() for row in table.strip().splitlines() for name in row.split("|")]


def walk(routes: Iterable[BaseRoute]) -> Iterator[str]:
    """`METHOD /path` of each, through the routers that FastAPI keeps as they were included."""
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from walk(inner.routes)
        elif isinstance(route, Mount):
            assert not route.path, "Gradio's app is mounted where ours is"
            yield from walk(route.app.routes)  # type: ignore[attr-defined]
        else:
            assert isinstance(route, Route), f"no table for web sockets yet: {route}"
            yield from (f"{method} {route.path}" for method in route.methods or ())


@pytest.fixture(scope="module")
def bench(module_bench: Bench) -> Bench:
    """One for all: nothing that is asked here changes it."""
    return module_bench


@pytest.fixture(scope="module")
def app(bench: Bench) -> Any:
    accounts = [Account("rita", "researcher", hash_password("correct horse"))]
    return build_app(bench.workspace, bench.engines, AuthRules(accounts))


@pytest.fixture(scope="module")
def url(app: Any) -> Iterator[str]:
    """Gradio is made with the first request of somebody."""
    with serving(app) as port:
        yield f"http://127.0.0.1:{port}"


def rita(bench: Bench) -> Person:
    return bench.store.find(Person, name="rita")[0]


def session(bench: Bench) -> dict[str, str]:
    return {"Cookie": f"{COOKIE}={begin(bench.store, rita(bench).id, '', 'logged in')}"}


def token(bench: Bench, scope: Scope) -> dict[str, str]:
    name = f"{scope} {next(NUMBERS)}"
    made = personal_tokens.make(bench.store, rita(bench), name, scope, 1, with_accounts=True)
    return {"Authorization": f"Bearer {made.token}"}


BODY = {
    "data": [],
    "session_hash": "x",
    "event_id": "x",
    "fn_index": 0,
    "prompt": "x",
    "hash": "x",
    "code": "x",
}


MOUNTED = ("", "/demo")
"""The engine that programs call, and the Demo page. The page follows how far its upload has come."""
FOLLOWS = "GET /gradio_api/upload_progress"


def shut(at: str) -> list[str]:
    return [name for name in names(SHUT) if not at or name != FOLLOWS]


def ask(client: httpx.Client, name: str, at: str = "") -> httpx.Response:
    method, path = name.replace(" ", f" {at}").split(" ")
    filled = re.sub(r"\{\w+(:path)?\}", "x", path)
    return client.request(method, filled, json=BODY if method == "POST" else None)


def test_every_route_of_gradio_is_in_the_table(app: Any, url: str, bench: Bench) -> None:
    httpx.get(f"{url}/config", headers=session(bench), timeout=60)
    (mounted,) = (route.app for route in app.routes if isinstance(route, Mount))
    known = [*names(OURS), *names(SHUT), *names(OFF), *names(PLAIN), *names(CALLS)]
    assert sorted(set(walk(mounted.app.routes))) == sorted(known)


def test_the_demo_page_has_no_other_routes(bench: Bench) -> None:
    app = demo_alone(bench.engines, bench.workspace.limits)
    (mounted,) = (route.app for route in app.routes if isinstance(route, Mount))
    known = [*names(OURS), *names(SHUT), *names(OFF), *names(PLAIN), *names(CALLS)]
    assert sorted(set(walk(mounted.routes))) == sorted(known)


@pytest.mark.parametrize("at", MOUNTED)
def test_what_is_shut_is_shut_for_everyone(url: str, bench: Bench, at: str) -> None:
    for headers in ({}, session(bench), token(bench, "write")):
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            told = {name: ask(client, name, at).status_code for name in shut(at)}
            assert told == dict.fromkeys(shut(at), 404 if headers or not at else 401)


@pytest.mark.parametrize("at", MOUNTED)
def test_what_is_off_is_refused(url: str, bench: Bench, at: str) -> None:
    for headers in (session(bench), token(bench, "write")):
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            told = {name: ask(client, name, at).status_code for name in names(OFF)}
            assert told == dict.fromkeys(names(OFF), 403)


@pytest.mark.parametrize("at", MOUNTED)
@pytest.mark.parametrize("said", [{}, {"Cookie": f"{COOKIE}=none"}, {"Authorization": "Bearer dailies_none"}])
def test_strangers_come_nowhere(url: str, said: dict[str, str], at: str) -> None:
    wanted = [*names(OFF), *names(PLAIN), *names(CALLS)]
    wanted += [*names(OURS), FOLLOWS] if at else []
    with httpx.Client(base_url=url, headers=said, timeout=60) as client:
        assert {name: ask(client, name, at).status_code for name in wanted} == dict.fromkeys(wanted, 401)
        asked = {"Accept": "text/html"}
        where = {
            path: client.get(f"{at}{path}", headers=asked).headers.get("location", "")
            for path in ("/config", "/runs")
        }
    if "Authorization" not in said:
        assert all(place.startswith("/login?next=") for place in where.values())


@pytest.mark.parametrize("at", MOUNTED)
def test_who_is_logged_in_finds_nothing_of_the_workspace_there(url: str, bench: Bench, at: str) -> None:
    """A session and tokens of both scopes: no title, id or path of what is kept is in an answer."""
    kept = (bench.video.title, bench.video.id, str(bench.workspace.path), "owner")
    for headers in (session(bench), token(bench, "read"), token(bench, "write")):
        with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
            for name in names(PLAIN):
                answer = ask(client, name, at)
                by_token = "Authorization" in headers and name == "POST /login/"
                wanted = (403,) if by_token else (200, 302, 404, 422)
                if at:  # a token that reads sends nothing there
                    wanted = (200, 302, 403, 404, 422)
                assert answer.status_code in wanted, (name, answer.status_code)
                assert not [words for words in kept if words in answer.text], name
            if not at:
                assert client.get("/gradio_api/user").json() == "rita"
                assert client.get("/gradio_api/token").json() == {"token": None, "user": None}


def test_a_token_that_reads_may_call_and_may_not_log_in(url: str, bench: Bench) -> None:
    with httpx.Client(base_url=url, headers=token(bench, "read"), timeout=60) as client:
        assert client.post("/gradio_api/run/videos", json={"data": ["", "", "need", 0, 1]}).status_code == 200
        said = client.post("/gradio_api/run/run", json={"data": [[bench.video.id], ["probe"]]})
        assert said.status_code == 500 and "has only the scope read" in said.json()["error"]
        assert (
            client.post("/login/", data={"username": "rita", "password": "correct horse"}).status_code == 403
        )
