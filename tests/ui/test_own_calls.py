"""Calls in Gradio's queue are their person's: who knows the id of another's gets nothing and ends nothing."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError

from annotation.people import audit_log, personal_tokens
from annotation.people.login_sessions import begin
from annotation.people.passwords import hash_password
from annotation.people.permissions import Scope
from annotation.records.decisions import Person
from tests.bench import Bench
from tests.ui.serving import serving
from tests.ui.test_gradio_api import mounted, until
from ui.api.own_calls import own_name
from ui.auth.current_person import COOKIE, Account, AuthRules
from ui.web_app import build_app

VIDEOS = {"data": ["", "", "need", 0, 1]}
PEOPLE = ("rita", "ray")


class Desk:
    """A server with two people, one of whom has begun a run that lasts as long as the test wants."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.goes_on = bench, threading.Event()
        accounts = [Account(name, "researcher", hash_password("correct horse")) for name in PEOPLE]
        self.app = build_app(bench.workspace, bench.engines, AuthRules(accounts))
        self.jobs = self.app.state.parts.jobs
        engines = self.jobs.engines
        self.jobs.engines = lambda: engines() if self.goes_on.wait(60) else None
        self.run = {"data": [[bench.video.id], ["probe"]]}

    def person(self, name: str) -> Person:
        return self.bench.store.find(Person, name=name)[0]

    def client(self, name: str) -> httpx.Client:
        cookies = {COOKIE: begin(self.bench.store, self.person(name).id, "", "logged in")}
        return httpx.Client(base_url=self.url, cookies=cookies, timeout=60)

    def token(self, name: str, scope: Scope) -> str:
        made = personal_tokens.make(self.bench.store, self.person(name), scope, scope, 1, with_accounts=True)
        return made.token

    @property
    def gradio(self) -> Any:
        return mounted(mounted(self.app).app)

    def index(self, name: str) -> int:
        """Of an endpoint, as the queue counts them."""
        fns = self.gradio.get_blocks().fns
        return next(index for index, fn in fns.items() if fn.api_name == name)


@pytest.fixture
def desk(bench: Bench) -> Iterator[Desk]:
    made = Desk(bench)
    with serving(made.app) as port:
        made.url = f"http://127.0.0.1:{port}"
        yield made
        made.goes_on.set()
        until(lambda: all(job.finished for job in made.jobs.list()))


def begun(client: httpx.Client, name: str, body: dict[str, Any]) -> str:
    return str(client.post(f"/gradio_api/call/{name}", json=body).json()["event_id"])


@pytest.mark.parametrize("way", ["call/videos", "call/v2/videos", "queue/data"])
def test_what_was_asked_is_answered_to_who_asked(desk: Desk, way: str) -> None:
    with desk.client("rita") as rita, desk.client("ray") as ray:
        if way == "queue/data":
            joined = {**VIDEOS, "session_hash": "abc", "fn_index": 0}
            assert rita.post("/gradio_api/queue/join", json=joined).status_code == 200
            where = "/gradio_api/queue/data?session_hash=abc"
        else:
            body = VIDEOS if way == "call/videos" else {"search": "", "evaluation": ""}
            event = rita.post(f"/gradio_api/{way}", json=body).json()["event_id"]
            where = f"/gradio_api/{way}/{event}"
        if way == "queue/data":
            with pytest.raises(httpx.RemoteProtocolError):  # as for a session that never was
                ray.get(where)
        else:
            assert ray.get(where).status_code == 404
        assert desk.bench.video.title in rita.get(where).text


def test_two_people_may_call_their_sessions_alike(desk: Desk) -> None:
    """And neither hears what the other asked."""
    with desk.client("rita") as rita, desk.client("ray") as ray:
        rita.get("/config")
        asked = {rita: ("runs", []), ray: ("videos", VIDEOS["data"])}
        for client, (name, data) in asked.items():
            joined = {"data": data, "session_hash": "abc", "fn_index": desk.index(name)}
            assert client.post("/gradio_api/queue/join", json=joined).status_code == 200
        told = {client: client.get("/gradio_api/queue/data?session_hash=abc").text for client in asked}
        assert desk.bench.video.title in told[ray] and desk.bench.video.title not in told[rita]


def test_who_knows_an_id_ends_nothing_of_others(desk: Desk) -> None:
    """Neither with /cancel, nor with the session's heartbeat, which ends its calls when it is dropped."""
    with desk.client("rita") as rita, desk.client("ray") as ray:
        rita.get("/config")
        run = desk.index("run")
        joined = {**desk.run, "session_hash": "abc", "fn_index": run}
        event = rita.post("/gradio_api/queue/join", json=joined).json()["event_id"]
        with rita.stream("GET", "/gradio_api/queue/data?session_hash=abc") as told:
            lines = told.iter_lines()
            assert next(line for line in lines if "process_generating" in line)
            for session in ("abc", own_name(desk.person("rita").id, "abc")):
                cancel = {"session_hash": session, "event_id": event, "fn_index": run}
                assert ray.post("/gradio_api/cancel", json=cancel).status_code == 404
                own = {**cancel, "event_id": "none"}
                assert ray.post("/gradio_api/cancel", json=own).status_code == 404
                with ray.stream("GET", f"/gradio_api/heartbeat/{session}") as beat:
                    assert next(beat.iter_lines()) == "data: ALIVE"
            desk.goes_on.set()
            said = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
        (end,) = (one for one in said if one["msg"] == "process_completed")
        assert end["success"] and event == end["event_id"]
        assert not any(desk.gradio.get_blocks()._queue.active_jobs)


def test_a_session_of_ones_own_is_cancelled(desk: Desk) -> None:
    with desk.client("rita") as rita:
        rita.get("/config")
        run = desk.index("run")
        joined = {**desk.run, "session_hash": "abc", "fn_index": run}
        event = rita.post("/gradio_api/queue/join", json=joined).json()["event_id"]
        with rita.stream("GET", "/gradio_api/queue/data?session_hash=abc") as told:
            lines = told.iter_lines()
            assert next(line for line in lines if "process_generating" in line)
            cancel = {"session_hash": "abc", "event_id": event, "fn_index": run}
            assert rita.post("/gradio_api/cancel", json=cancel).json() == {"success": True}
            assert any("process_completed" in line for line in lines)
        left_nothing(desk)


def left_nothing(desk: Desk) -> None:
    queue = desk.gradio.get_blocks()._queue
    until(lambda: not queue.event_ids_to_events and not any(queue.active_jobs) and not desk.gradio.iterators)
    until(lambda: not queue.pending_event_ids_session and not queue.pending_messages_per_session)
    (job,) = desk.jobs.list()
    assert not job.finished and not job.stop.is_set(), "a run goes on when nobody listens"


@pytest.mark.parametrize("by", ["session", "token"])
def test_a_stream_of_the_queue_that_is_dropped_leaves_nothing_running(desk: Desk, by: str) -> None:
    token = {"Authorization": f"Bearer {desk.token('rita', 'write')}"} if by == "token" else {}
    client = httpx.Client(base_url=desk.url, headers=token, timeout=60) if token else desk.client("rita")
    with client as rita:
        rita.get("/config")
        joined = {**desk.run, "session_hash": "abc", "fn_index": desk.index("run")}
        assert rita.post("/gradio_api/queue/join", json=joined).status_code == 200
        with rita.stream("GET", "/gradio_api/queue/data?session_hash=abc") as told:
            assert next(line for line in told.iter_lines() if "process_generating" in line)
        left_nothing(desk)
        again = rita.post("/gradio_api/queue/join", json={**VIDEOS, "session_hash": "abc", "fn_index": 0})
        assert again.status_code == 200, "and nothing locked"
        assert "process_completed" in rita.get("/gradio_api/queue/data?session_hash=abc").text


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 100_000, b'"x"', b"null", b"[1]", b'{"session_hash": 1}'])
def test_what_is_no_request_is_refused(desk: Desk, body: bytes) -> None:
    with desk.client("rita") as rita:
        for path in ("queue/join", "cancel", "call/videos", "run/videos"):
            sent = rita.post(
                f"/gradio_api/{path}", content=body, headers={"Content-Type": "application/json"}
            )
            assert sent.status_code in (400, 404, 422), (path, sent.status_code)


def test_a_program_works_with_a_token_alone(desk: Desk, clip: Path) -> None:
    """Files, streams and pictures too."""
    desk.goes_on.set()
    headers = {"Authorization": f"Bearer {desk.token('rita', 'write')}"}
    program = Client(desk.url, headers=headers, verbose=False, httpx_kwargs={"timeout": 60})
    added = program.predict(handle_file(str(clip)), api_name="/add_video")
    told = list(program.submit([added["id"]], ["probe"], api_name="/run"))
    assert told[-1]["state"] == "done"
    written = Path(program.predict("dailies-jsonl", api_name="/export"))
    assert added["id"] in written.read_text(encoding="utf-8")
    lines = [line for line in audit_log.entries(desk.bench.store) if "token 'write'" in line.about]
    assert {"API /add_video", "API /run", "API /export", "POST /gradio_api/upload"} <= {x.what for x in lines}
    reading = Client(
        desk.url,
        headers={"Authorization": f"Bearer {desk.token('rita', 'read')}"},
        verbose=False,
        httpx_kwargs={"timeout": 60},
    )
    assert reading.predict(api_name="/videos")
    with pytest.raises(AppError, match="has only the scope read"):
        reading.predict([added["id"]], ["probe"], api_name="/run")
    (made, *_) = personal_tokens.tokens(desk.bench.store)
    personal_tokens.revoke(desk.bench.store, made.id)
    with pytest.raises(Exception, match=r"401|login"):
        reading.predict(api_name="/videos")
