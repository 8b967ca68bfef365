"""Real vLLM, on a machine without a GPU: captions from pictures by a tiny vision model, verdicts by a small
language model, and both servers killed half way. What the models say is no verdict of anything."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from annotation.records.captions_to_verdicts import Answer, Question, Text, Verdict
from annotation.records.runs import ModelCall
from annotation.workspace.workspace import Workspace
from backends.chat import model_server_process
from backends.chat.chat_on_started_server import StartedChat
from backends.chat.probe_picture import shown
from backends.chat.registry import chat_model
from backends.chat.server_probe import SCHEMA, server_probes
from backends.errors import BackendUnavailable, RequestTooLarge
from backends.protocols import ChatReply, ChatRequest, Loading, Part
from tests.engines.small_gguf import ROOT
from tests.engines.vllm_env import VllmEnv

pytestmark = [pytest.mark.engines, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def servers(vllm: VllmEnv, vllm_cache: Path) -> Iterator[tuple[StartedChat, StartedChat]]:
    """The captioner's and the judge's server. They load at the same time: neither needs much memory."""
    told: list[Loading] = []
    folder = vllm_cache / "dailies" / "servers"
    models = [chat_model(spec, folder=folder) for spec in specs(vllm)]
    threads = [threading.Thread(target=model.complete, args=(ask("Hi", max_tokens=1),)) for model in models]
    for model in models:
        assert isinstance(model, StartedChat)
        model._tell = told.append
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    phases = {loading.phase for loading in told}
    assert {"starting", "loading weights", "ready"} <= phases, phases
    yield models[0], models[1]  # type: ignore[misc]
    model_server_process.end_all()


def specs(vllm: VllmEnv) -> tuple[str, str]:
    return f"vllm:{vllm.sees}?{vllm.options}", f"vllm:{vllm.small}?{vllm.options}"


def ask(text: str, **more: object) -> ChatRequest:
    return ChatRequest(stage="probe", system="", user=(Part(text=text),), **more)  # type: ignore[arg-type]


def test_the_judge_obeys_a_schema_and_takes_no_pictures(servers: tuple[StartedChat, StartedChat]) -> None:
    _, judge = servers
    reply = judge.complete(ask("Is the boat red?", schema=SCHEMA, max_tokens=40))
    assert json.loads(reply.text)["pred"] in ("yes", "no")
    assert reply.finish_reason == "stop"
    with pytest.raises(BackendUnavailable, match="does not accept pictures"):
        judge.prepare(pictures=True, tell=lambda loading: None, stop=threading.Event())


def test_the_captioner_takes_as_many_pictures_as_it_was_told(
    servers: tuple[StartedChat, StartedChat],
) -> None:
    captioner, _ = servers
    captioner.prepare(pictures=True, tell=lambda loading: None, stop=threading.Event())
    reply = captioner.complete(shown(16, "What is it?", 8))
    assert isinstance(reply, ChatReply)
    with pytest.raises(RequestTooLarge) as caught:
        captioner.complete(shown(17, "What is it?", 8))
    assert caught.value.most == 16


def test_prompts_longer_than_the_context_are_told_apart(servers: tuple[StartedChat, StartedChat]) -> None:
    for model in servers:
        with pytest.raises(RequestTooLarge):
            model.complete(ask("word " * 5000, max_tokens=8))


def test_what_doctor_says_of_vllm(servers: tuple[StartedChat, StartedChat]) -> None:
    client = servers[0].running()
    assert client
    found = {probe.what: (probe.fine, probe.said) for probe in server_probes(client, pictures=True)}
    assert all(fine for fine, _ in found.values()), found
    assert found["JSON schema"] == (True, "obeyed")


def test_a_clip_goes_through_and_nothing_is_lost_when_the_servers_are_killed(
    servers: tuple[StartedChat, StartedChat], vllm: VllmEnv, tmp_path: Path
) -> None:
    """The program finds the servers that this process started; when they are killed, it starts its own."""
    captioner, judge = specs(vllm)
    folder = tmp_path / "workspace"
    command = [
        sys.executable,
        "app.py",
        "run",
        "sample/clip.mp4",
        "--reference",
        "sample/vdc_captions.jsonl",
        "--reference",
        "sample/vdc_qa",
        "--workspace",
        str(folder),
        "--speech",
        "none",
        "--json",
        "--captioner",
        captioner,
        "--writer",
        "baseline",
        "--judge",
        judge,
        "--stages",
        "captions,questions,answers,verdicts",
    ]
    run = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        for server, replies in zip(servers, (0, 12), strict=True):  # in captions, then in answers
            until = time.monotonic() + 300
            while calls(folder) < replies or at_work(server) < 2:
                assert run.poll() is None, run.communicate()[1]
                assert time.monotonic() < until
                time.sleep(0.1)
            kill(server)
        said, told = run.communicate(timeout=600)
    finally:
        run.kill()
    assert told.count("restarting after a crash") == 2, told
    (summary,) = json.loads(said)
    assert summary["questions"] > 0
    space = Workspace(folder)
    try:
        records = [record for kind in (Text, Answer, Verdict) for record in space.store.find(kind)]
        # Small models are no judges: what cannot be read says so, what hangs on it is missing, not failed.
        assert {record.state for record in records} <= {"done", "unparsed", "missing"}
        assert run.returncode == any(record.state == "unparsed" for record in records), told
        judged = space.store.find(Verdict)
        assert len(judged) == space.store.count(Answer) == space.store.count(Question) > 0
        assert all(j.label for j in judged if j.state == "done")
        assert sum(j.call_id is not None for j in judged) > len(judged) / 4
        captions = [text for text in space.store.find(Text) if text.run_id]
        assert len({text.kind for text in captions}) == 5
        assert all(text.frames and not text.baseline for text in captions)
        assert {len(call.frames) for call in space.store.find(ModelCall, backend=captioner)} == {16}
    finally:
        space.close()


def calls(folder: Path) -> int:
    """Replies that are kept so far."""
    if not (folder / "dailies.db").exists():
        return 0
    space = Workspace(folder)
    try:
        return space.store.count(ModelCall)
    finally:
        space.close()


def at_work(server: StartedChat) -> int:
    """Requests that a server works on now, by its own count."""
    running = server._server._running
    assert running
    with urlopen(f"{running.url}/metrics", timeout=30) as page:
        found = re.findall(r"^vllm:num_requests_running\{.*\} ([\d.]+)$", page.read().decode(), re.M)
    return int(sum(map(float, found)))


def kill(server: StartedChat) -> None:
    """SIGKILL to the server and its engine, as the kernel does when memory runs out."""
    running = server._server._running
    assert running
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    for child in children:
        os.killpg(int(child), signal.SIGKILL)


def test_in_process(vllm: VllmEnv, servers: tuple[StartedChat, StartedChat]) -> None:
    """What every chat model must do, by vLLM inside a process that has it."""
    model_server_process.end_all()  # the machine may be small
    command = [str(vllm.python), "-m", "tests.engines.inside", f"vllm-engine:{vllm.sees}?{vllm.options}"]
    environment = {**os.environ, "VLLM_ENABLE_V1_MULTIPROCESSING": "0"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found == {
        "says": True,
        "replies": 6,
        "schema": True,
        "pictures": True,
        "most": 16,
        "one_line": True,
        "phases": ["loading into this process", "ready"],
    }
