"""What programs call with `gradio_client`: the pages' own answers, under the same rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from annotation.people.blind_labelling import set_mode
from annotation.people.passwords import hash_password
from annotation.records.decisions import Person
from annotation.records.runs import Evaluation
from tests.bench import Bench
from tests.paths import ROOT
from tests.ui.serving import serving
from ui.app import build_app
from ui.auth.current_person import COOKIE, Account

Call = Callable[..., Any]


@pytest.fixture
def url(bench: Bench) -> Iterator[str]:
    with serving(build_app(bench.workspace, bench.engines)) as port:
        yield f"http://127.0.0.1:{port}"


def client(url: str, person: Person | None = None) -> Client:
    headers = {"Cookie": f"{COOKIE}={person.id}"} if person else {}
    return Client(url, headers=headers, verbose=False)


def test_programs_find_the_endpoints_with_their_words(url: str) -> None:
    named = client(url).view_api(return_format="dict")["named_endpoints"]
    assert set(named) == {"/videos", "/verdicts", "/scores"}
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
def test_what_is_no_argument_is_one_line(url: str, arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(AppError, match=why) as error:
        client(url).predict(**arguments, api_name="/verdicts")
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


def test_strangers_find_the_door_locked(bench: Bench) -> None:
    accounts = [Account("ann", "annotator", hash_password("correct horse"))]
    with (
        serving(build_app(bench.workspace, bench.engines, accounts)) as port,
        pytest.raises(Exception, match="Please login"),
    ):
        client(f"http://127.0.0.1:{port}")
