"""Every route, tried by every role: whoever may not is refused, before anything else is looked at.

NEEDS names what a route asks for. A route that is not named fails the test: whoever adds one decides here
who may use it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest

from annotation.people import personal_tokens
from annotation.people.login_sessions import begin
from annotation.people.passwords import hash_password
from annotation.people.permissions import ALLOWED, BY_READING, NOT_BY_TOKEN, Scope
from annotation.records.allowed_values import Role
from annotation.records.decisions import Person
from tests.bench import Bench
from tests.ui.direct_client import DirectClient
from tests.ui.every_route import ROUTES, asked, path_of
from ui.auth.current_person import COOKIE, Account, AuthRules
from ui.pages.page_list import PAGES
from ui.web_app import build_app

ROLES = get_args(Role)
OPEN = (
    "GET /healthz",
    "GET /api/me",
    "POST /api/me",
    "GET /login",
    "POST /login",
    "POST /logout",
    "GET /login/provider",
    "GET /login/callback",
    "GET /favicon.ico",
)
"""For strangers too; /api/me tells them who they are not."""
DOCUMENTS = ("GET /", "GET /docs", "GET /library", *(f"GET /{page.name}" for page in PAGES[1:]))
"""Without anything of the workspace in them; strangers are sent to the login."""
OWN = (
    "POST /api/aspects/{video_id}/write",
    "POST /api/aspects/{video_id}/full",
    "POST /api/queue",
    "POST /api/queue/share",
)
"""For those to whom the work was given; an admin is refused as well.

tests/annotation/systems/carebench/test_aspects.py tries them.
"""
NEEDS = {
    "read": """
        GET /api/aspects/progress | GET /api/aspects/{video_id} | GET /api/queue | GET /api/queue/{video_id}
        GET /api/cuts/detectors | GET /api/cuts/{video_id} | GET /api/cuts/{video_id}/work | GET /api/blind
        GET /api/cuts/{video_id}/difference/{detection} | GET /api/library | GET /api/videos | GET /api/jobs
        GET /api/script/{video_id}/claims | GET /api/script/{video_id}/findings | GET /api/script/{video_id}
        GET /api/script/{video_id}/cuts | GET /api/player/{video_id} | GET /api/split/{video_id}
        GET /api/loading | GET /api/limits | GET /logged-in
        GET /api/verdicts | GET /api/verdicts/next | GET /api/verdicts/{verdict_id}
        GET /api/history/{subject_type}/{subject_id}/{field} | GET /api/items/{of} | GET /api/items/{of}/next
        GET /api/items/{of}/{item_id} | GET /api/keyframes/{video_id}
        GET /media/{video_id}/file | GET /media/{video_id}/frame/{index}.{kind} | GET /media/{video_id}/pts
        GET /media/{video_id}/{size}/{index}.jpg | GET /api/questions/{question_id} | GET /api/actions
        GET /api/scoring/table | GET /api/scoring/compare | GET /api/scoring/sound | GET /api/scoring/beside
        GET /api/scoring/systems | GET /api/scores/system/{name} | GET /api/speech/{video_id}
        GET /api/speech/choices | GET /api/tokens | POST /api/tokens | POST /api/tokens/{token_id}/revoke
        GET /api/formats | POST /api/password | GET /api/frame-labels/{video_id} | GET /api/studies
        GET /gradio_api/file={name:path} | POST /api/split/{video_id}/check
        POST /api/split/{video_id}/proposal
        GET /api/frame-evidence/{video_id} | GET /api/studies/{study_id}/sequences/{number}
        GET /api/studies/{study_id}/result | GET /api/scoring/causes
        GET /api/verdicts/{verdict_id}/evidence | GET /api/videos/{video_id}/evidence""",
    "edit": """
        POST /api/queue/begin | POST /api/queue/state
        POST /api/cuts/{video_id} | POST /api/cuts/{video_id}/looks-right | POST /api/blind | POST /api/edit
        POST /api/cuts/{video_id}/measure | POST /api/cuts/{video_id}/adopt | POST /api/error-source
        POST /api/text | POST /api/dismiss | POST /api/frame-labels | POST /api/elements
        POST /api/studies/{study_id}/choices
        POST /api/items/{of}/{item_id} | POST /api/keyframes | POST /api/keyframes/{video_id}/action
        POST /api/questions/{question_id}/pins
        POST /api/questions/{question_id}/exclusion | POST /api/replace/preview | POST /api/replace
        POST /api/speech/{video_id}/split | POST /api/speech/{video_id}/merge | POST /api/undo
        POST /api/speech/{video_id}/move | POST /api/speech/{video_id}/restore | POST /api/redo""",
    "export": """
        GET /api/export/{name} | GET /api/export/{name}/preview
        GET /api/keyframes/{video_id}/export/{kind}""",
    "assign": """
        POST /api/aspects/{video_id}/merge | POST /api/aspects/{video_id}/return
        POST /api/opinion-rule | POST /api/aspects/{video_id}/approve
        POST /api/studies | GET /api/study-models
        POST /api/studies/{study_id}/close
        POST /api/aspects/{video_id}/reopen | POST /api/queue/withdraw""",
    "run": """
        POST /api/cuts/{video_id}/detect | POST /api/cuts/{video_id}/halt
        POST /api/scoring/plan | POST /api/scoring/start | GET /api/scoring/prompts
        POST /api/scoring/prompts | POST /api/scoring/prompts/trial | POST /api/scoring/prompts/use
        POST /api/keyframes/{video_id}/run
        POST /api/items/hal/compare | POST /api/jobs | POST /api/jobs/estimate | POST /api/jobs/{job_id}/stop
        POST /api/verdicts/{verdict_id}/second-opinion
        POST /api/rerun | GET /metrics | POST /api/speech/{video_id}/hear""",
    "add": """
        POST /gradio_api/upload
        POST /api/files | GET /api/remote | POST /api/remote | POST /api/incoming | POST /api/sample
        POST /api/incoming/{heap_id}/files | GET /api/incoming/{heap_id} | DELETE /api/incoming/{heap_id}
        GET /api/incoming/{heap_id}/progress
        POST /api/incoming/{heap_id}/import | GET /api/videos/{video_id}/join | POST /api/join""",
    "remove": "DELETE /api/videos/{video_id}",
    "manage": """
        GET /api/models | POST /api/models/test | POST /api/models/use
        GET /api/accounts | POST /api/accounts | POST /api/accounts/{person_id} | GET /api/audit""",
}
"""By action of `annotation.people.permissions`."""
NEEDS["read"] += "".join(f"| GET /api/first/{page.name}" for page in PAGES)
NEED = {
    route.strip(): action
    for action, rows in NEEDS.items()
    for row in rows.strip().splitlines()
    for route in row.split("|")
}


def test_every_route_says_whom_it_is_for() -> None:
    assert sorted(ROUTES) == sorted([*NEED, *OPEN, *OWN, *DOCUMENTS])


class Everyone:
    """Requests of each role, and of nobody, to an app with accounts."""

    def __init__(self, bench: Bench, client: DirectClient) -> None:
        self.video, self.store, self.client = bench.video.id, bench.store, client
        self.headers = {"": SAME}
        for role in ROLES:
            session = begin(self.store, self.store.find(Person, name=role)[0].id, "", "logged in")
            self.headers[role] = {**SAME, "Cookie": f"{COOKIE}={session}"}

    def carry_tokens(self, scope: Scope) -> None:
        """In place of the sessions."""
        for role in ROLES:
            person = self.store.find(Person, name=role)[0]
            made = personal_tokens.make(self.store, person, scope, scope, 1, with_accounts=True)
            self.headers[role] = {**SAME, "Authorization": f"Bearer {made.token}"}

    def ask(self, role: str, name: str) -> int:
        values = {"video_id": self.video, "index": "0", "kind": "jpg", "size": "160", "of": "hal"}
        return self.answer(role, name.split(" ")[0], path_of(name, values), **asked(name))

    def answer(self, role: str, method: str, path: str, **request: Any) -> int:
        found = self.client.request(
            method, path, headers=self.headers[role], follow_redirects=False, **request
        )
        self.client.client.cookies.clear()  # of an answer
        return found.status_code


@pytest.fixture
def everyone(bench: Bench) -> Iterator[Everyone]:
    accounts = [Account(role, role, hash_password("correct horse")) for role in ROLES]
    with DirectClient(build_app(bench.workspace, bench.engines, AuthRules(accounts))) as client:
        yield Everyone(bench, client)


SAME = {"Sec-Fetch-Site": "same-origin"}


def test_each_role_is_refused_what_is_not_for_it(everyone: Everyone) -> None:
    wrong = []
    # What removes comes last.
    for name in sorted(NEED, key=lambda n: (n.startswith("DELETE"), n)):
        for role in ROLES:
            status = everyone.ask(role, name)
            allowed = NEED[name] in ALLOWED[role]
            if (status == 403) is allowed or status in (401, 500):
                wrong.append(f"{role}: {name} needs {NEED[name]}, answered {status}")
    assert not wrong, "\n".join(wrong)


OF_ONESELF = ("POST /api/password", "POST /api/tokens", "POST /api/tokens/{token_id}/revoke")
"""For everyone who is logged in, and for no token."""
CHANGES_NOTHING = "POST /api/split/{video_id}/check"


@pytest.mark.parametrize("scope", get_args(Scope))
def test_a_token_reaches_no_further_than_its_scope(everyone: Everyone, scope: Scope) -> None:
    everyone.carry_tokens(scope)
    wrong = []
    tried = [*NEED, *OWN, "POST /api/me", "POST /login", "POST /logout"]
    for name in sorted(tried, key=lambda n: (n.startswith("DELETE"), n)):
        reads = name.startswith("GET ") or name == CHANGES_NOTHING
        for role in ROLES:
            able = ALLOWED[role] & BY_READING if scope == "read" else ALLOWED[role] - NOT_BY_TOKEN
            allowed = NEED.get(name) in able and name not in OF_ONESELF and (reads or scope == "write")
            if name in OWN and scope == "write":
                continue  # test_aspects.py tries them
            status = everyone.ask(role, name)
            if (status == 403) is allowed or status in (401, 500):
                wrong.append(f"{role}: {name} answered {status}")
    assert not wrong, "\n".join(wrong)


def test_nobody_gets_nothing(everyone: Everyone) -> None:
    wrong = {name: status for name in (*NEED, *OWN) if (status := everyone.ask("", name)) != 401}
    assert not wrong
    for name in (*DOCUMENTS, "GET /config", "GET /gradio_api/info"):
        assert everyone.answer("", "GET", path_of(name, {})) in (303, 401), name
