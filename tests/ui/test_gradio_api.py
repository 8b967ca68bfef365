"""What programs call with `gradio_client`: the pages' own answers, under the same rules."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client, handle_file
from gradio_client.exceptions import AppError
from starlette.routing import Mount

from annotation.people import audit_log
from annotation.people.login_sessions import begin
from annotation.people.passwords import hash_password
from annotation.people.who_labels_blind import set_mode
from annotation.records.captions_to_verdicts import Verdict
from annotation.records.decisions import ErrorSource, Person
from annotation.records.runs import Evaluation, EvaluationRun, Run
from tests.backends.clips import textured, write_clip
from tests.bench import Bench
from tests.paths import ROOT
from tests.ui.programs import ENDPOINTS, data_of
from tests.ui.serving import serving
from ui.api import gradio_api
from ui.auth.current_person import COOKIE, Account, AuthRules
from ui.web_app import build_app


@pytest.fixture
def url(bench: Bench) -> Iterator[str]:
    with serving(build_app(bench.workspace, bench.engines)) as port:
        yield f"http://127.0.0.1:{port}"


def client(url: str, person: Person | None = None) -> Client:
    headers = {"Cookie": f"{COOKIE}={person.id}"} if person else {}
    return Client(url, headers=headers, verbose=False, httpx_kwargs={"timeout": 60})


def test_programs_find_the_endpoints_with_their_words(url: str) -> None:
    named = client(url).view_api(return_format="dict")["named_endpoints"]
    assert list(named) == [f"/{name}" for name in ENDPOINTS]
    for name, facts in named.items():
        assert len(facts["description"]) > 25 and facts["description"].endswith("."), name
        assert all(parameter["parameter_name"] != "request" for parameter in facts["parameters"]), name
    assert [p["parameter_name"] for p in named["/scores"]["parameters"]] == ["evaluation", "by"]
    assert "the video with the lowest mean first" in named["/verdicts"]["description"]


def test_what_view_api_prints_reads_like_documentation(url: str) -> None:
    """Every argument has its words and a type, and every answer says what it holds."""
    printed = client(url).view_api(return_format="str")
    arguments = re.findall(r"^     - \[Api\] (\w+): (.+)$", printed, re.M)
    assert len(arguments) > 80
    for name, words in arguments:
        assert re.search(r"\(.{8,}\) $", words) and "Literal[]" not in words, f"{name}: {words}"
    answers = [words for name, words in arguments if name == "answer"]
    assert len(answers) == len(ENDPOINTS) and all("Returns: " in words for words in answers)
    streamed = next(words for words in answers if words.startswith("dict(str, Any) (Runs the pipeline"))
    assert "belongs to it" in streamed


def test_they_answer_as_the_pages_do(url: str, bench: Bench) -> None:
    program = client(url)
    (video,) = program.predict(api_name="/videos")
    assert video["id"] == bench.video.id and video["stages"]
    assert program.predict(search="no such title", api_name="/videos") == []
    ids = {verdict.id for verdict in bench.store.find(Verdict, subject_type="answer")}
    pages = [program.predict(limit=1, offset=n, api_name="/verdicts") for n in range(len(ids))]
    assert all(page["total"] == len(ids) and len(page["rows"]) == 1 for page in pages)
    rows = [page["rows"][0] for page in pages]
    assert {row["verdict_id"] for row in rows} == ids
    assert {"question", "label", "score", "error_source"} <= set(rows[0])
    assert program.predict(by="aspect", api_name="/scores")


def test_the_examples_of_the_docs_run(
    url: str, bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs/api.md").read_text(encoding="utf-8"), re.DOTALL)
    clip = write_clip(tmp_path / "clip.mp4", [textured(3, 90.0) for _ in range(50)])
    name = bench.store.find(Evaluation)[0].name  # the baseline's own, whose verdicts are all "yes"
    code = "\n".join(blocks).replace("http://127.0.0.1:7860", url).replace("clip.mp4", str(clip))
    code = code.replace("hand-written", name).replace('state=["no"]', 'state=["yes"]')
    exec(compile(code, "docs/api.md", "exec"), {})
    told = capsys.readouterr().out
    assert bench.video.title in told and "done captions" in told and ".csv" in told
    assert bench.store.find(ErrorSource)[0].kind == "judge"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"limit": 100_000}, "limit"),
        ({"offset": "first"}, "offset"),
        ({"search": "a\x00b"}, "cannot be stored"),
        ({"state": "yes"}, "state"),
        ({"evaluation": "none of these"}, "none of these"),
        ({"state": ["done"]}, "'yes', 'no', 'unparsed'"),
        ({"state": ["no", "zz"]}, "'yes', 'no', 'unparsed'"),
        ({"error_source": "zz"}, "'caption_omits', .*'any', 'none'"),
        ({"video": "zz"}, "video 'zz' not found; /videos lists all videos"),
    ],
)
def test_what_is_no_argument_is_one_line(url: str, arguments: dict[str, Any], why: str) -> None:
    with pytest.raises(AppError, match=why) as error:
        client(url).predict(**arguments, api_name="/verdicts")
    assert "\n" not in str(error.value)


def test_evaluations_of_items_are_refused_where_questions_are_read(url: str, bench: Bench) -> None:
    evaluation = Evaluation(id="evl-ero", name="example · Vript-ERO", created_at=9.0)
    run = Run(
        id="run-ero", stage="verdicts", backend="b", model="m", created_at=9.0, params={"system": "vript-ero"}
    )
    link = EvaluationRun(id="erl-ero", evaluation_id=evaluation.id, role="verdicts", run_id=run.id)
    bench.store.add([run, evaluation, link])
    program = client(url)
    for name in ("scores", "verdicts", "label_next", "videos"):
        with pytest.raises(AppError, match=r"python app\.py score vript-ero --evaluation evl-ero"):
            program.predict(evaluation=evaluation.name, api_name=f"/{name}")
    with pytest.raises(AppError, match=r"python app\.py score vript-ero"):
        program.predict(a=bench.store.find(Evaluation)[0].id, b=evaluation.id, api_name="/compare")


def test_who_labels_blind_learns_nothing_by_it(url: str, bench: Bench) -> None:
    ann = bench.workspace.add_person("ann", "annotator")
    set_mode(bench.store, ann, ann.id, True)
    program = client(url, ann)
    rows = program.predict(api_name="/verdicts")
    assert rows["blind"] and all(row["label"] == "" and row["score"] is None for row in rows["rows"])
    (video,) = program.predict(api_name="/videos")
    assert (video["mean"], video["worst"], video["aspects"], video["verdicts"]) == (None, None, [], {})
    with pytest.raises(AppError, match="you label blind"):
        program.predict(api_name="/scores")


def _judged(bench: Bench) -> str:
    """A verdict on an answer."""
    return bench.store.find(Verdict, subject_type="answer")[0].id


@pytest.mark.parametrize("given", [{"limit": "abc"}, {"offset": {"a": 1}}, {"search": ["a"]}])
def test_an_argument_of_the_library_of_another_kind_is_one_line(url: str, given: dict[str, Any]) -> None:
    with pytest.raises(AppError, match=f"{next(iter(given))}: give a"):
        client(url).predict(**given, api_name="/videos")


@pytest.mark.parametrize("wrong", [7, None, {"id": "x"}, ["x", None], "none of these", "a\x00b", 1e400])
def test_an_argument_of_another_kind_is_one_line(url: str, wrong: object) -> None:
    """Whatever is given for all arguments: an answer, or an error of one line that is no bug's."""

    def answered(name: str) -> str:
        body = json.dumps({"data": [wrong] * len(data_of(name, {}))})
        headers = {"Content-Type": "application/json"}
        asked = program.post(f"/gradio_api/call/{name}", content=body, headers=headers)
        return program.get(f"/gradio_api/call/{name}/{asked.json()['event_id']}").text

    with httpx.Client(base_url=url, timeout=60) as program, ThreadPoolExecutor(8) as pool:
        answers = dict(zip(ENDPOINTS, pool.map(answered, ENDPOINTS), strict=True))
    for name, answer in answers.items():
        told = json.loads(answer.strip().rpartition("data: ")[2])
        if "event: complete" not in answer:
            assert told["error"] and "\n" not in told["error"], (name, told)
            assert "server's log" not in told["error"], (name, told)


def test_one_question_and_its_frames(url: str, bench: Bench) -> None:
    program, verdict = client(url), _judged(bench)
    about = program.predict(verdict, api_name="/question")
    assert about["id"] == verdict and about["verdict"]["value"] and about["raw"]
    found = program.predict(verdict, api_name="/evidence")
    assert found["video"] == bench.video.id and found["frames"]
    assert Path(found["frames"][0]["picture"]).read_bytes().startswith(b"\xff\xd8")


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
        program.predict("a", "b", api_name="/compare")


def test_strangers_find_the_door_locked(bench: Bench) -> None:
    accounts = [Account("ann", "annotator", hash_password("correct horse"))]
    with (
        serving(build_app(bench.workspace, bench.engines, AuthRules(accounts))) as port,
        pytest.raises(Exception, match="Please login"),
    ):
        client(f"http://127.0.0.1:{port}")


def test_a_clip_is_added_run_and_followed_and_its_captions_exported(
    url: str, bench: Bench, tmp_path: Path
) -> None:
    program = client(url)
    clip = write_clip(tmp_path / "third shot.mp4", [textured(3, 90.0) for _ in range(50)])
    added = program.predict(handle_file(str(clip)), api_name="/add_video")
    assert added["title"] == "third shot"
    assert program.predict(handle_file(str(clip)), api_name="/add_video") == added  # the same content
    run = program.submit([added["id"]], ["scenes", "captions"], api_name="/run")
    told = list(run)
    assert told[0]["state"] in ("queued", "running") and told[-1]["state"] == "done"
    assert {one["id"] for one in told} == {told[0]["id"]} and told[-1]["videos_done"] == 1
    assert program.predict(told[0]["id"], api_name="/progress")["state"] == "done"
    assert [one["id"] for one in program.predict(api_name="/runs")] == [told[0]["id"]]
    captions = program.predict(added["id"], api_name="/captions")
    assert captions["vdc:short"][0]["value"] and captions["vdc:short"][0]["baseline"]
    facts = program.predict(added["id"], api_name="/video")["facts"]
    assert (facts["frames"], facts["audio"]) == (50, False)
    assert program.predict(added["id"], api_name="/scenes")["detector"]["name"]
    exported = Path(program.predict("dailies-jsonl", api_name="/export"))
    assert "third shot" in exported.read_text()
    notes = [line.what for line in audit_log.entries(bench.store, None, 50)]
    assert {"API /add_video", "API /run", "API /export"} <= set(notes)
    assert "API /captions" not in notes


def test_what_is_no_video_is_not_added_but_imported(url: str, tmp_path: Path) -> None:
    program, words = client(url), tmp_path / "captions.json"
    words.write_text("[1]")
    with pytest.raises(AppError, match="is not a video; send it to /import_files"):
        program.predict(handle_file(str(words)), api_name="/add_video")
    (told,) = program.predict([handle_file(str(words))], api_name="/import_files")
    assert "error" in told


def test_a_correction_takes_the_revision_that_was_seen(url: str, bench: Bench) -> None:
    program, verdict = client(url), _judged(bench)
    about = program.predict(verdict, api_name="/question")
    subject, revision = about["question"]["subject"], about["question"]["revision"]
    saved = program.predict(subject, "Where?", revision, "clearer", api_name="/correct")
    assert saved["value"] == "Where?" and saved["machine"] != "Where?"
    with pytest.raises(AppError, match="changed"):
        program.predict(subject, "Why?", revision, api_name="/correct")
    back = program.predict(subject, "", saved["revision"], clear=True, api_name="/correct")
    assert back["value"] == back["machine"]


def test_a_finding_of_a_split_is_dismissed(url: str, bench: Bench) -> None:
    program, video = client(url), bench.video.id
    full, spatial = "A man in a red coat stands there. He runs away.", "A man in a red coat runs."
    found = program.predict(video, full, spatial, "He runs away.", api_name="/check_split")["findings"]
    assert found and not found[0]["dismissal"]
    now = program.predict(found[0]["finding"], "it is fine", api_name="/dismiss")
    assert now["dismissal"]["reason"] == "it is fine"
    again = program.predict(video, full, spatial, "He runs away.", api_name="/check_split")["findings"]
    assert again[0]["dismissal"]["reason"] == "it is fine"


def test_a_stream_that_is_dropped_ends_and_the_run_goes_on(bench: Bench) -> None:
    app = build_app(bench.workspace, bench.engines)
    jobs, goes_on = app.state.parts.jobs, threading.Event()
    engines = jobs.engines
    jobs.engines = lambda: engines() if goes_on.wait(60) else None  # it lasts as long as the test wants
    with serving(app) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as program:
        body = {"data": [[bench.video.id], ["probe"]]}
        event = program.post("/gradio_api/call/run", json=body).json()["event_id"]
        with program.stream("GET", f"/gradio_api/call/run/{event}") as told:
            assert next(line for line in told.iter_lines() if line == "event: generating")
        gradio = mounted(mounted(app).app)
        queue = gradio.get_blocks()._queue
        until(lambda: event not in queue.event_ids_to_events)
        assert not any(queue.active_jobs) and not gradio.iterators
        (job,) = jobs.list()
        assert not job.finished and not job.stop.is_set()
        goes_on.set()
        until(lambda: bool(job.finished))
        assert job.state == "done"


def test_a_stream_ends_with_its_session(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradio_api, "SESSION_CHECK_S", 0.0)
    rita = Account("rita", "researcher", hash_password("correct horse"))
    app, goes_on = build_app(bench.workspace, bench.engines, AuthRules([rita])), threading.Event()
    jobs = app.state.parts.jobs
    engines = jobs.engines
    jobs.engines = lambda: engines() if goes_on.wait(60) else None
    session = begin(bench.store, bench.store.find(Person, name="rita")[0].id, "", "logged in")
    with serving(app) as port:
        url, cookies = f"http://127.0.0.1:{port}", {COOKIE: session}
        with httpx.Client(base_url=url, cookies=cookies, timeout=60) as program:
            body = {"data": [[bench.video.id], ["probe"]]}
            event = program.post("/gradio_api/call/run", json=body).json()["event_id"]
            with program.stream("GET", f"/gradio_api/call/run/{event}") as told:
                lines = told.iter_lines()
                assert next(line for line in lines if line == "event: generating")
                assert httpx.post(f"{url}/logout", cookies=cookies).status_code < 400
                assert "log in again" in "".join(lines)
        goes_on.set()
        until(lambda: all(job.finished for job in jobs.list()))


def mounted(app: Any) -> Any:
    """The app that is mounted on another one."""
    (found,) = [route.app for route in app.routes if isinstance(route, Mount)]
    return found


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)
