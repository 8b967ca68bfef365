"""Every endpoint of Gradio's API under every role, blind or not, with a session and with every token.

Who may not is refused, in one line.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal, get_args

import httpx
import pytest
from sqlalchemy import update

from annotation.people import accounts, audit_log, personal_tokens
from annotation.people.login_sessions import begin
from annotation.people.passwords import hash_password
from annotation.people.permissions import ALLOWED, BY_READING, Scope
from annotation.people.who_labels_blind import set_mode
from annotation.records.allowed_values import Role
from annotation.records.captions_to_verdicts import Question, Verdict
from annotation.records.decisions import Person
from annotation.records.runs import Evaluation
from annotation.store import tables as t
from tests.bench import Bench
from tests.ui.agents import ask, call_tool
from tests.ui.programs import ENDPOINTS, call, upload
from tests.ui.serving import serving
from ui.auth.current_person import COOKIE, Account, AuthRules
from ui.web_app import build_app

ROLES = get_args(Role)
By = Literal["session", "read", "write"]
NEEDS = {
    "read": """videos video scenes frames transcript text_on_screen script captions texts keyframes
        evaluations verdicts question evidence scores compare label_next check_split runs progress formats""",
    "edit": "correct set_error_source dismiss",
    "add": "add_video import_files",
    "run": "run stop",
    "export": "export_preview export",
}
"""By action of `annotation.people.permissions`. An endpoint that is not named fails a test."""
NEED = {name: action for action, names in NEEDS.items() for name in names.split()}
SHOWS_VERDICTS = ("scores", "compare", "label_next", "export_preview", "export")
"""Not for people who label without seeing the judge."""
TOOLS = NEEDS["read"].replace("progress", "").split()
"""Of agents: what reads, and does not stream."""
AT_ONCE = 8
"""Calls under way: half of the time of one is waiting in Gradio's queue."""
AT_ONCE = 8
"""Calls under way: half of the time of one is waiting in Gradio's queue."""
NOTHING_THERE = ("progress", "stop", "compare")
"""There is no such run, and one evaluation: whoever may is told so."""


def test_every_endpoint_says_whom_it_is_for() -> None:
    assert sorted(NEED) == sorted(ENDPOINTS)


class World:
    """A server with accounts, and one session for each role."""

    def __init__(self, bench: Bench, port: int) -> None:
        self.bench, self.url = bench, f"http://127.0.0.1:{port}"
        self.people = {person.name: person for person in bench.store.find(Person)}

    def client(self, role: str) -> httpx.Client:
        session = begin(self.bench.store, self.people[role].id, "", "logged in") if role else ""
        return httpx.Client(base_url=self.url, cookies={COOKIE: session} if session else {}, timeout=60)

    def with_token(self, token: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={"Authorization": f"Bearer {token}"}, timeout=60)

    def token(self, role: str, scope: Scope, *, with_accounts: bool = True) -> str:
        store, name = self.bench.store, f"{role} {scope} {with_accounts}"
        made = personal_tokens.make(store, self.people[role], name, scope, 9, with_accounts=with_accounts)
        return made.token

    def program(self, role: str, by: By) -> httpx.Client:
        """With a session, or a token of this scope."""
        return self.client(role) if by == "session" else self.with_token(self.token(role, by))

    def given(self, name: str, client: httpx.Client, clip: Path) -> Mapping[str, Any]:
        """What makes the endpoint answer."""
        store, video = self.bench.store, self.bench.video.id
        verdict = store.find(Verdict, subject_type="answer")[0].id
        named = store.find(Evaluation)[0].name
        question = store.find(Question)[0].id
        finding = {"video_id": video, "check": "lost", "subject_type": "video", "subject_id": video}
        of: dict[str, Callable[[], Mapping[str, Any]]] = {
            "question": lambda: {"verdict": verdict},
            "evidence": lambda: {"verdict": verdict},
            "compare": lambda: {"a": named, "b": named},
            "frames": lambda: {"video": video, "frames": [0, 7]},
            "progress": lambda: {"run": "job-none"},
            "stop": lambda: {"run": "job-none"},
            "correct": lambda: {
                "subject": ["question", question, "text"],
                "value": "What?",
                "revision": store.current("question", question, "text").revision,
            },
            "set_error_source": lambda: {"verdict": verdict, "error_source": "judge"},
            "dismiss": lambda: {"finding": finding, "reason": "in order"},
            "add_video": lambda: {"file": _sent(client, clip)},
            "import_files": lambda: {"files": [_sent(client, clip)]},
            "run": lambda: {"videos": [video], "stages": ["probe"]},
            "export": lambda: {"format": "verdicts-csv"},
            "export_preview": lambda: {"format": "verdicts-csv"},
        }
        takes_video = "video" in inspect.signature(ENDPOINTS[name]).parameters
        return of.get(name, lambda: {"video": video} if takes_video else {})()


def _sent(client: httpx.Client, clip: Path) -> Mapping[str, Any]:
    asked = client.post("/gradio_api/upload", files=[("files", (clip.name, b""))])
    if asked.status_code != 200:  # who may not send files has none to name
        return {"path": "inc-x/0/x", "meta": {"_type": "gradio.FileData"}}
    return upload(client, clip.name, clip.read_bytes())


@pytest.fixture
def world(bench: Bench) -> Iterator[World]:
    bench.run()
    accounts = [Account(role, role, hash_password("correct horse")) for role in ROLES]
    with serving(build_app(bench.workspace, bench.engines, AuthRules(accounts), for_agents=True)) as port:
        yield World(bench, port)


@pytest.mark.parametrize("by", ["session", "read", "write"])
@pytest.mark.parametrize("blind", [False, True])
def test_each_role_is_refused_what_is_not_for_it(world: World, clip: Path, blind: bool, by: By) -> None:
    """A token reaches as far as its person, and one that reads no further than that."""

    def problems(name: str) -> list[str]:
        action, given = NEED[name], world.given(name, client, clip)
        allowed = action in able and not (blind and name in SHOWS_VERDICTS)
        answers = {"program": call(client, name, given)}
        if name in TOOLS:
            answers["agent"] = call_tool(client, name, given)
        return [
            f"{role}, as {way}: {name} needs {action}, answered {event}: {str(told)[:150]}"
            for way, (event, told) in answers.items()
            if not _is_right(name, event, told, allowed)
        ]

    wrong = []
    for role in ROLES:
        if blind:
            set_mode(world.bench.store, world.people["admin"], world.people[role].id, True)
        able = ALLOWED[role] & BY_READING if by == "read" else ALLOWED[role]
        with world.program(role, by) as client, ThreadPoolExecutor(AT_ONCE) as pool:
            wrong += [line for lines in pool.map(problems, NEED) for line in lines]
    assert not wrong, "\n".join(wrong)


def _is_right(name: str, event: str, told: Any, allowed: bool) -> bool:
    expected = "complete" if allowed and name not in NOTHING_THERE else "error"
    line = str(told.get("error")) if event == "error" else ""
    refused = any(words in line for words in ("may not", "may only read", "label blind"))
    return event == expected and refused is not allowed and "\n" not in line


def test_nobody_gets_nothing(world: World) -> None:
    for session in (world.client(""), httpx.Client(base_url=world.url, cookies={COOKIE: "no such session"})):
        gets_nothing(session)


def gets_nothing(session: httpx.Client) -> None:
    with session as client:
        assert {name: call(client, name, {})[0] for name in NEED} == dict.fromkeys(NEED, "401")
        sent = client.post("/gradio_api/upload", files=[("files", ("a.txt", b"x"))])
        assert sent.status_code == 401
        assert ask(client, "tools/list", {})[0] == "401"
        assert client.get("/gradio_api/file=media/x/preview/0.jpg").status_code == 401


def no_longer(world: World, state: str) -> str:
    """An admin's token that does not hold."""
    store, admin = world.bench.store, world.people["admin"]
    token = world.token("admin", "write", with_accounts=state != "made without accounts")
    if state == "garbage":
        return f"{token}x"
    if state == "expired":
        with store.writing() as conn:
            conn.execute(update(t.personal_token).values(until=1.0))
    elif state == "revoked":
        personal_tokens.revoke(store, personal_tokens.tokens(store, admin.id)[0].id)
    elif state == "disabled":
        accounts.set_role(store, world.people["expert"].id, "admin")
        accounts.set_disabled(store, admin.id, True)
    return token


@pytest.mark.parametrize("state", ["garbage", "expired", "revoked", "disabled", "made without accounts"])
def test_a_token_that_does_not_hold_gets_nothing(world: World, state: str) -> None:
    """Not with the session of somebody else beside it, either."""
    token = no_longer(world, state)
    client = world.with_token(token)
    client.cookies.set(COOKIE, begin(world.bench.store, world.people["researcher"].id, "", "logged in"))
    gets_nothing(client)
    (line, *_) = audit_log.entries(world.bench.store)
    assert line.what == "token refused" and line.who == ("" if state == "garbage" else "admin")


def test_a_token_ends_with_its_calls(world: World) -> None:
    """One that is revoked while its call waits is not answered any more."""
    with world.with_token(world.token("researcher", "write")) as client:
        event = client.post("/gradio_api/call/videos", json={"data": ["", "", "need", 0, 1]}).json()[
            "event_id"
        ]
        personal_tokens.revoke(world.bench.store, personal_tokens.tokens(world.bench.store)[0].id)
        assert client.get(f"/gradio_api/call/videos/{event}").status_code == 401


def test_a_file_is_readable_by_its_owner_alone(world: World) -> None:
    """What one has sent, and what was written for one; also under other names of the same file."""
    with world.client("researcher") as mine, world.client("admin") as other:
        sent = upload(mine, "words.txt", b"a secret")["path"]
        _, written = call(mine, "export", {"format": "verdicts-csv"})
        tokens = {"researcher": 200, "admin": 404}
        programs = {world.with_token(world.token(role, "read")): status for role, status in tokens.items()}
        for path in (sent, written["path"]):
            address = f"/gradio_api/file={path}"
            assert all(one.get(address).status_code == status for one, status in programs.items())
            assert mine.get(address).status_code == 200
            assert other.get(address).status_code == 404 and other.head(address).status_code == 404
            assert httpx.get(f"{world.url}{address}").status_code == 401
        assert mine.get(f"/gradio_api/file={sent}").content == b"a secret"
        for name in ("import_files", "add_video"):
            given = {"path": sent, "meta": {"_type": "gradio.FileData"}}
            event, told = call(other, name, {"file": given, "files": [given]})
            assert event == "error" and "no longer exist" in told["error"]
        heap = sent.partition("/")[0]
        assert other.get(f"/api/incoming/{heap}").status_code == 404
        assert mine.get(f"/api/incoming/{heap}").status_code == 200


@pytest.mark.parametrize("path", ["/etc/passwd", "../dailies.db", "{heap}/../owner", "{heap}/owner"])
def test_no_path_of_a_client_is_followed(world: World, path: str) -> None:
    with world.client("admin") as client:
        heap = upload(client, "a.txt", b"x")["path"].partition("/")[0]
        named = path.format(heap=heap)
        assert client.get(f"/gradio_api/file={named}").status_code == 404
        given = {"path": named, "meta": {"_type": "gradio.FileData"}}
        event, told = call(client, "import_files", {"files": [given]})
        assert event == "error" and "no longer exist" in told["error"]
        # Where a text is wanted, a file is refused like any other value.
        event, told = call(client, "videos", {"search": given})
        assert event == "error" and told["error"].startswith("search: give a string")
