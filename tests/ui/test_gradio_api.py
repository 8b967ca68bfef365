"""What programs call with `gradio_client`: the pages' own answers, under the same rules."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, get_args

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from annotation.people.blind_labelling import set_mode
from annotation.people.login_sessions import begin
from annotation.people.passwords import hash_password
from annotation.records.allowed_values import Role
from annotation.records.decisions import Person
from annotation.records.runs import Evaluation
from annotation.records.texts import Verdict
from tests.bench import Bench
from tests.paths import ROOT
from tests.ui.serving import serving
from ui.api.gradio_api import Api
from ui.app import build_app
from ui.auth.current_person import COOKIE, Account

Call = Callable[..., Any]
CALLS = {
    "evaluations": "",
    "videos": "",
    "verdicts": "",
    "question": "verdict",
    "evidence": "verdict",
    "script": "video",
    "scores": "",
    "compare": "two",
}
"""Every endpoint and what it has to be given."""


@pytest.fixture
def url(bench: Bench) -> Iterator[str]:
    with serving(build_app(bench.workspace, bench.engines)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture(scope="module")
def unchanged(module_bench: Bench) -> Iterator[Client]:
    """A program at an app of which nothing but answers is asked."""
    with serving(build_app(module_bench.workspace, module_bench.engines)) as port:
        yield client(f"http://127.0.0.1:{port}")


def client(url: str, person: Person | None = None) -> Client:
    headers = {"Cookie": f"{COOKIE}={person.id}"} if person else {}
    return Client(url, headers=headers, verbose=False)


def test_programs_find_the_endpoints_with_their_words(url: str) -> None:
    named = client(url).view_api(return_format="dict")["named_endpoints"]
    assert set(named) == {f"/{name}" for name in CALLS}
    for name, facts in named.items():
        assert len(facts["description"]) > 40, name
        assert all(parameter["parameter_name"] != "request" for parameter in facts["parameters"]), name
    assert [p["parameter_name"] for p in named["/scores"]["parameters"]] == ["evaluation", "by"]
    assert "worst video first" in named["/verdicts"]["description"]


def test_they_answer_as_the_pages_do(url: str, bench: Bench) -> None:
    program = client(url)
    (video,) = program.predict(api_name="/videos")
    assert video["id"] == bench.video.id and video["stages"]
    assert program.predict(search="no such title", api_name="/videos") == []
    rows = program.predict(limit=2, api_name="/verdicts")
    assert rows["total"] > 2 and len(rows["rows"]) == 2
    assert {"question", "label", "score", "error_source"} <= set(rows["rows"][0])
    more = program.predict(limit=2, offset=2, api_name="/verdicts")["rows"]
    assert not {row["verdict_id"] for row in rows["rows"]} & {row["verdict_id"] for row in more}
    assert program.predict(by="aspect", api_name="/scores")


def test_the_example_of_the_docs_runs(url: str, bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "docs/api.md").read_text(), re.DOTALL)
    name = bench.store.find(Evaluation)[0].name  # the baseline's own, whose verdicts are all "yes"
    code = code.replace("http://127.0.0.1:7860", url).replace("hand-written", name).replace('"no"', '"yes"')
    exec(compile(code, "docs/api.md", "exec"), {})
    assert bench.video.title in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"limit": 100_000}, "limit"),
        ({"offset": "first"}, "offset"),
        ({"search": "a\x00b"}, "cannot be stored"),
        ({"state": "yes"}, "state"),
        ({"evaluation": "none of these"}, "none of these"),
    ],
)
def test_what_is_no_argument_is_one_line(unchanged: Client, arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(AppError, match=why) as error:
        unchanged.predict(**arguments, api_name="/verdicts")
    assert "\n" not in str(error.value)


def test_who_labels_blind_learns_nothing_by_it(url: str, bench: Bench) -> None:
    ann = bench.workspace.add_person("ann", "annotator")
    set_mode(bench.store, ann, ann.id, True)
    program = client(url, ann)
    rows = program.predict(api_name="/verdicts")
    assert rows["blind"] and all(row["label"] == "" and row["score"] is None for row in rows["rows"])
    (video,) = program.predict(api_name="/videos")
    assert (video["worst"], video["aspects"], video["verdicts"]) == (None, [], {})
    with pytest.raises(AppError, match="you label blind"):
        program.predict(api_name="/scores")


def arguments(name: str, bench: Bench) -> dict[str, Any]:
    """What makes the endpoint answer on the bench's workspace."""
    first, *more = bench.store.find(Evaluation, order_by=["created_at"])
    return {
        "verdict": {"verdict": _judged(bench)},
        "video": {"video": bench.video.id},
        "two": {"a": first.id, "b": more[0].id if more else first.name},
        "": {},
    }[CALLS[name]]


def _judged(bench: Bench) -> str:
    """A verdict on an answer."""
    return bench.store.find(Verdict, subject_type="answer")[0].id


def test_every_role_may_read_and_a_stranger_may_not(bench: Bench) -> None:
    """With accounts: the session of each role, one that has ended, one that never was, and none."""
    accounts = [Account(role, role, hash_password("correct horse")) for role in get_args(Role)]
    with serving(build_app(bench.workspace, bench.engines, accounts)) as port:
        people = {person.name: person for person in bench.store.find(Person)}
        sessions = {role: begin(bench.store, people[role].id, "", "logged in") for role in get_args(Role)}
        for name in CALLS:
            given = arguments(name, bench)
            for role, session in sessions.items():
                assert _status(port, name, given, session) == 200, (name, role)
            for cookie in ("", "no such session", people["admin"].id):
                assert _status(port, name, given, cookie) == 401, (name, cookie)


def _status(port: int, name: str, given: dict[str, Any], session: str) -> int:
    """What the address of the endpoint answers, without Gradio's client in between."""
    cookies = {COOKIE: session} if session else {}
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", cookies=cookies) as program:
        order = list(inspect.signature(getattr(Api, name)).parameters)[2:]
        data = [given[each] for each in order if each in given]
        return program.post(f"/gradio_api/call/{name}", json={"data": data}).status_code


@pytest.mark.parametrize("given", [{"limit": "abc"}, {"offset": {"a": 1}}, {"search": ["a"]}])
def test_an_argument_of_the_library_of_another_kind_is_one_line(
    unchanged: Client, given: dict[str, Any]
) -> None:
    with pytest.raises(AppError, match=f"{next(iter(given))}: give a"):
        unchanged.predict(**given, api_name="/videos")


@pytest.mark.parametrize("name", [name for name, needs in CALLS.items() if needs])
@pytest.mark.parametrize("wrong", [7, None, {"id": "x"}, ["x"], "none of these", "a\x00b"])
def test_an_argument_of_another_kind_is_one_line(
    unchanged: Client, module_bench: Bench, name: str, wrong: object
) -> None:
    given = dict.fromkeys(arguments(name, module_bench), wrong)
    with pytest.raises(AppError) as error:
        unchanged.predict(**given, api_name=f"/{name}")
    assert "\n" not in str(error.value) and "Traceback" not in str(error.value)


def test_one_question_and_its_frames(url: str, bench: Bench) -> None:
    program, verdict = client(url), _judged(bench)
    about = program.predict(verdict, api_name="/question")
    assert about["id"] == verdict and about["verdict"]["value"] and about["raw"]
    found = program.predict(verdict, api_name="/evidence")
    assert found["video"] == bench.video.id and found["frames"]
    picture = httpx.get(f"{url}{found['frames'][0]['picture']}")
    assert picture.content.startswith(b"\xff\xd8")


def test_who_labels_blind_is_told_of_a_question_what_the_page_tells(url: str, bench: Bench) -> None:
    ann = bench.workspace.add_person("ann", "annotator")
    verdict = _judged(bench)
    seen = client(url).predict(verdict, api_name="/question")
    set_mode(bench.store, ann, ann.id, True)
    program = client(url, ann)
    hidden = program.predict(verdict, api_name="/question")
    page = httpx.get(f"{url}/api/verdicts/{verdict}", cookies={COOKIE: ann.id}).json()
    assert set(hidden) <= set(page)
    assert hidden["hidden"] and hidden["verdict"] == page["verdict"]
    assert seen["verdict"]["value"] and not hidden["verdict"]["value"] and not hidden["raw"]
    with pytest.raises(AppError, match="you label blind"):
        program.predict(**arguments("compare", bench), api_name="/compare")


def test_strangers_find_the_door_locked(bench: Bench) -> None:
    accounts = [Account("ann", "annotator", hash_password("correct horse"))]
    with (
        serving(build_app(bench.workspace, bench.engines, accounts)) as port,
        pytest.raises(Exception, match="Please login"),
    ):
        client(f"http://127.0.0.1:{port}")
