"""Real llama.cpp with a small language model: text, JSON, many at once, a crash, Ctrl-C, the hub's cache.
What the model says is no verdict of anything."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotation.records.captions_to_verdicts import Question, Verdict
from annotation.records.runs import ModelCall
from annotation.workspace.workspace import Workspace
from backends.chat import model_server_process
from backends.chat.chat_on_started_server import StartedChat
from backends.chat.registry import chat_model
from backends.chat.server_probe import SCHEMA, server_probes
from backends.errors import BackendUnavailable, RequestTooLarge
from backends.protocols import ChatRequest, Loading, Part
from tests.engines.small_gguf import ROOT, small_gguf

pytestmark = [pytest.mark.engines, pytest.mark.timeout(600)]

OPTIONS = "context=2048&threads=1"
"""One thread: those that wait for each other lose most of their time where the processor has other work."""
WAIT_S = 120.0


@pytest.fixture(scope="module")
def gguf() -> Path:
    return small_gguf()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Of logs and notes of servers; and nothing asks the model hub."""
    monkeypatch.delenv("DAILIES_LLAMA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    yield tmp_path / "cache"
    model_server_process.end_all()
    model_server_process._servers.clear()


def model(spec: str, cache: Path) -> StartedChat:
    made = chat_model(f"llama:{spec}?{OPTIONS}", folder=cache / "servers")
    assert isinstance(made, StartedChat)
    return made


def ask(text: str, schema: dict[str, object] | None = None, max_tokens: int = 40) -> ChatRequest:
    return ChatRequest(
        stage="probe", system="", user=(Part(text=text),), schema=schema, max_tokens=max_tokens
    )


def test_it_loads_answers_obeys_a_schema_and_takes_no_pictures(gguf: Path, cache: Path) -> None:
    judge = model(str(gguf), cache)
    told: list[Loading] = []
    judge.prepare(pictures=False, tell=told.append, stop=threading.Event())
    assert {"starting", "loading weights", "ready"} <= {loading.phase for loading in told}
    assert judge.model == gguf.stem
    assert judge.endpoint.startswith("llama#")

    assert judge.complete(ask("Name a colour.")).text.strip()
    reply = judge.complete(ask("Is the boat red?", SCHEMA))
    assert json.loads(reply.text)["pred"] in ("yes", "no")
    assert reply.finish_reason == "stop"
    with pytest.raises(BackendUnavailable, match="does not accept pictures"):
        judge.prepare(pictures=True, tell=told.append, stop=threading.Event())
    with pytest.raises(RequestTooLarge):
        judge.complete(ask("word " * 3000))

    client = judge.running()
    assert client
    found = {probe.what: (probe.fine, probe.said) for probe in server_probes(client, pictures=False)}
    assert found["JSON schema"] == (True, "obeyed")


def test_many_at_once(gguf: Path, cache: Path) -> None:
    judge = model(str(gguf), cache)
    assert judge.concurrency == 8, "the server works on four at a time"
    with ThreadPoolExecutor(judge.concurrency) as pool:
        replies = list(pool.map(lambda n: judge.complete(ask(f"Are {n} boats red?", SCHEMA)), range(16)))
    assert all(json.loads(reply.text)["pred"] in ("yes", "no") for reply in replies)


def test_a_repository_of_the_hub_that_is_in_its_cache(
    gguf: Path, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))
    repository = tmp_path / "hub" / "hub" / "models--org--small-GGUF"
    snapshot = repository / "snapshots" / "0123abcd"
    snapshot.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text("0123abcd")
    (snapshot / "small-Q4_K_M.gguf").symlink_to(gguf)

    here = model("org/small-GGUF:Q4_K_M", cache)
    assert (here.model, here.endpoint) == ("org/small-GGUF:Q4_K_M", "llama")
    assert here.complete(ask("Hi", max_tokens=4)).text
    with pytest.raises(BackendUnavailable, match=r"no file 'Q8_0'; name one of: small-Q4_K_M.gguf"):
        model("org/small-GGUF:Q8_0", cache).complete(ask("Hi"))
    with pytest.raises(BackendUnavailable, match=r"could not be downloaded .*write llama:FILE") as caught:
        model("org/elsewhere-GGUF", cache).complete(ask("Hi"))
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_model_says_why(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_text("hello")
    with pytest.raises(BackendUnavailable, match=r"llama.cpp with broken ended .*invalid magic"):
        model(str(tmp_path / "broken.gguf"), cache).complete(ask("Hi"))


def run(spec: str, folder: Path) -> subprocess.Popen[str]:
    """Two of the sample's captions judged by the model; the answers are the baseline's."""
    words = ["run", "sample/clip.mp4", "--workspace", str(folder), "--speech", "none", "--json"]
    for reference in ("vdc_captions", "vdc_qa/camera", "vdc_qa/short"):
        words += ["--reference", f"sample/{reference}.jsonl"]
    words += ["--stages", "captions,questions,answers,verdicts", "--judge", f"llama:{spec}?{OPTIONS}"]
    words += ["--extractor", "baseline"]
    return subprocess.Popen(
        [sys.executable, "-c", CATCHES_CTRL_C, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


CATCHES_CTRL_C = """
import runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores Ctrl-C
sys.argv[0] = "app.py"
runpy.run_path("app.py", run_name="__main__")
"""


def wait_for_verdicts(run: subprocess.Popen[str], folder: Path, number: int) -> None:
    until = time.monotonic() + WAIT_S
    while verdicts(folder) < number:
        assert run.poll() is None, run.communicate()[1]
        assert time.monotonic() < until
        time.sleep(0.1)


def verdicts(folder: Path) -> int:
    if not (folder / "dailies.db").exists():
        return 0
    space = Workspace(folder)
    try:
        return space.store.count(ModelCall, model=small_gguf().stem)
    finally:
        space.close()


def server_of(cache: Path) -> int:
    """The process that serves; its guard's number is in the note."""
    (note,) = (cache / "dailies" / "servers").glob("llama-*.json")
    guard = json.loads(note.read_text())["pid"]
    return int(Path(f"/proc/{guard}/task/{guard}/children").read_text().split()[0])


def test_nothing_is_lost_when_the_server_is_killed(gguf: Path, cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    judging = run(str(gguf), folder)
    try:
        wait_for_verdicts(judging, folder, 2)
        os.killpg(server_of(cache), signal.SIGKILL)
        said, told = judging.communicate(timeout=400)
    finally:
        judging.kill()
    assert told.count("restarting after a crash") == 1, told
    (summary,) = json.loads(said)
    assert summary["questions"] > 0
    space = Workspace(folder)
    try:
        judged = space.store.find(Verdict)
        assert len(judged) == space.store.count(Question) > 0
        assert {verdict.state for verdict in judged} <= {"done", "unparsed", "missing"}
        # What cannot be read is said by the exit code as well.
        assert judging.returncode == any(verdict.state == "unparsed" for verdict in judged), told
        assert sum(verdict.call_id is not None for verdict in judged) > len(judged) / 4
    finally:
        space.close()


def test_ctrl_c_ends_the_run_and_its_server(gguf: Path, cache: Path, tmp_path: Path) -> None:
    folder = tmp_path / "workspace"
    judging = run(str(gguf), folder)
    try:
        wait_for_verdicts(judging, folder, 1)
        server = server_of(cache)
        judging.send_signal(signal.SIGINT)
        judging.communicate(timeout=30)
    finally:
        judging.kill()
    until = time.monotonic() + 20
    while Path(f"/proc/{server}/cmdline").exists() and Path(f"/proc/{server}/cmdline").read_bytes():
        assert time.monotonic() < until
        time.sleep(0.1)
    assert verdicts(folder) > 0
