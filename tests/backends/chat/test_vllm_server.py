"""`vllm:MODEL` with a program in vLLM's place: start, progress, crash, restart, end.

The real one is in tests/engines.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from backends.chat import model_server_process
from backends.chat.chat_on_started_server import StartedChat
from backends.chat.registry import chat_model
from backends.chat.startup_progress import cause_of, phase_of, plain
from backends.chat.vllm_arguments import VllmKind, engine_arguments, find_program, read_spec, serve_arguments
from backends.errors import BackendUnavailable, RequestFailed, Stopped, UsageError
from backends.protocols import ChatRequest, Loading, Part, ignore_progress
from tests.fake_vllm import ROOT, Conduct, FakeVllm, fake_vllm

REQUEST = ChatRequest(stage="verdict", system="Judge.", user=(Part(text="Is it?"),))
WAIT_S = 60.0


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Conduct], FakeVllm]]:
    """Replaces vLLM by a program; the test ends every process that it started."""

    def put(conduct: Conduct) -> FakeVllm:
        fake = fake_vllm(tmp_path, conduct)
        monkeypatch.setenv("DAILIES_VLLM", str(fake.program))
        return fake

    yield put
    model_server_process.end_all()
    model_server_process._servers.clear()


def model(tmp_path: Path, spec: str = "vllm:org/tiny") -> StartedChat:
    made = chat_model(spec, folder=tmp_path / "servers")
    assert isinstance(made, StartedChat)
    return made


def gone(pid: int) -> bool:
    """Whether a process has ended; a zombie counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_for(true: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_S
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_it_starts_tells_how_far_it_is_answers_and_ends(
    start: Callable[[Conduct], FakeVllm], tmp_path: Path
) -> None:
    fake = start(Conduct(load_s=1.5))
    told: list[Loading] = []
    chat = model(tmp_path, "vllm:org/tiny?max_model_len=4096&images=8")
    assert "starts it when a run needs it" in chat.check()
    assert fake.starts == []
    chat.prepare(pictures=True, tell=told.append, stop=threading.Event())
    assert chat.complete(REQUEST).text == "{'pred': 'yes', 'score': 4}"
    assert (chat.backend, chat.model, chat.endpoint) == (
        "vllm:org/tiny?max_model_len=4096&images=8",
        "org/tiny",
        "vllm",
    )

    phases = list(dict.fromkeys(loading.phase for loading in told))
    assert phases[0] == "starting"
    assert (told[-1].phase, told[-1].what) == ("ready", chat.backend)
    assert "loading weights" in phases
    assert told[-1].ready
    assert any("Loading weights took 0.20 seconds" in loading.lines for loading in told)

    (arguments,) = fake.starts
    assert arguments[:2] == ["serve", "org/tiny"]
    assert "--enable-prefix-caching" in arguments
    assert '{"backend":"xgrammar","disable_any_whitespace":true}' in arguments
    assert '{"image":8,"video":0}' in arguments
    assert arguments[arguments.index("--host") + 1] == "127.0.0.1"
    assert arguments[arguments.index("--max-model-len") + 1] == "4096"
    assert "runs at http://127.0.0.1:" in chat.check()

    (pid,) = fake.pids
    assert not gone(pid)
    model_server_process.end_all()
    wait_for(lambda: gone(pid))
    assert "starts it when a run needs it" in chat.check()


def test_after_a_crash_what_was_in_flight_is_asked_again(
    start: Callable[[Conduct], FakeVllm], tmp_path: Path
) -> None:
    fake = start(Conduct(crashes=(0,), crash_at=4))
    told: list[Loading] = []
    chat = model(tmp_path)
    chat.prepare(pictures=False, tell=told.append, stop=threading.Event())
    with ThreadPoolExecutor(12) as pool:
        replies = [reply.text for reply in pool.map(lambda _: chat.complete(REQUEST), range(12))]
    assert replies == ["{'pred': 'yes', 'score': 4}"] * 12
    assert len(fake.starts) == 2
    assert any("after a crash" in loading.phase for loading in told)
    assert told[-1].ready
    assert list((tmp_path / "servers").glob("*.before.log"))


def test_a_request_that_ends_every_server_is_given_up(
    start: Callable[[Conduct], FakeVllm], tmp_path: Path
) -> None:
    fake = start(Conduct(crashes=(0, 1, 2, 3, 4, 5, 6, 7), crash_at=1))
    chat = model(tmp_path)
    with pytest.raises(RequestFailed, match=r"crashed 3 times.*see its log") as caught:
        chat.complete(REQUEST)
    assert "\n" not in str(caught.value)
    assert len(fake.starts) == 3
    with pytest.raises((RequestFailed, BackendUnavailable)):
        chat.complete(REQUEST)
    with pytest.raises(BackendUnavailable, match="crashed 4 times"):
        chat.complete(REQUEST)
    assert len(fake.starts) == 4


def test_a_server_that_cannot_start_says_why(start: Callable[[Conduct], FakeVllm], tmp_path: Path) -> None:
    fake = start(Conduct(fails=(0,)))
    chat = model(tmp_path)
    with pytest.raises(BackendUnavailable, match=r"CUDA out of memory.*see its log .*\.log") as caught:
        chat.complete(REQUEST)
    assert "\n" not in str(caught.value)
    assert len(fake.starts) == 1


def test_a_model_without_vision_is_refused(start: Callable[[Conduct], FakeVllm], tmp_path: Path) -> None:
    start(Conduct(blind=True))
    with pytest.raises(BackendUnavailable, match=r"does not accept pictures.*name a vision model"):
        model(tmp_path).prepare(pictures=True, tell=lambda loading: None, stop=threading.Event())


def test_stopping_while_it_loads_ends_it(start: Callable[[Conduct], FakeVllm], tmp_path: Path) -> None:
    fake = start(Conduct(load_s=60))
    stop = threading.Event()
    threading.Timer(1.5, stop.set).start()
    with pytest.raises(Stopped):
        model(tmp_path).prepare(pictures=False, tell=lambda loading: None, stop=stop)
    assert all(gone(pid) for pid in fake.pids)


OTHER = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores Ctrl-C
from pathlib import Path
from backends.chat.registry import chat_model
from backends.protocols import ChatRequest, Part
chat = chat_model("vllm:org/tiny", folder=Path(sys.argv[1]))
print(chat.complete(ChatRequest(stage="verdict", system="", user=(Part(text="?"),))).text, flush=True)
if len(sys.argv) > 2: time.sleep(100)
"""


def other(tmp_path: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", OTHER, str(tmp_path / "servers"), *more]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_another_process_finds_the_server_and_leaves_it_alone(
    start: Callable[[Conduct], FakeVllm], tmp_path: Path
) -> None:
    fake = start(Conduct())
    chat = model(tmp_path)
    chat.complete(REQUEST)
    said, _ = other(tmp_path).communicate(timeout=WAIT_S)
    assert "yes" in said
    assert len(fake.starts) == 1
    assert "yes" in chat.complete(REQUEST).text
    assert len(fake.starts) == 1


def test_who_hears_late_that_its_server_died_finds_the_one_that_another_process_started(
    start: Callable[[Conduct], FakeVllm], tmp_path: Path
) -> None:
    fake = start(Conduct())
    kind = VllmKind("vllm:org/tiny")
    first, second = (
        model_server_process.ServerProcess("vllm:org/tiny", kind, tmp_path / "s") for _ in range(2)
    )
    try:
        running = first.ready(ignore_progress, threading.Event())
        os.kill(fake.pids[0], signal.SIGKILL)
        wait_for(lambda: gone(running.pid))
        next_one = second.ready(ignore_progress, threading.Event())
        assert first.lost(running)
        assert first.ready(ignore_progress, threading.Event()).port == next_one.port
        assert len(fake.starts) == 2
    finally:
        first.close()
        second.close()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_program_is_ended(
    start: Callable[[Conduct], FakeVllm], tmp_path: Path, how: signal.Signals
) -> None:
    fake = start(Conduct())
    process = other(tmp_path, "stay")
    assert process.stdout
    assert "yes" in process.stdout.readline()
    (pid,) = fake.pids
    assert not gone(pid)
    os.kill(process.pid, how)
    process.wait(WAIT_S)
    wait_for(lambda: gone(pid))
    # A server that is needed again is started, not searched at its old port.
    assert "yes" in model(tmp_path).complete(REQUEST).text
    assert len(fake.starts) == 2


def test_without_vllm_one_is_told_what_to_type(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DAILIES_VLLM", str(tmp_path / "none"))
    with pytest.raises(
        BackendUnavailable, match=r"DAILIES_VLLM names .*pip install -r requirements-vllm.txt"
    ):
        model(tmp_path, "vllm:org/other").check()
    monkeypatch.delenv("DAILIES_VLLM")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BackendUnavailable, match="vllm is not on the PATH"):
        find_program()


def test_a_python_that_has_vllm_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DAILIES_VLLM", sys.executable)
    assert find_program()[1:] == ["-m", "vllm.entrypoints.cli.main", "serve"]


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("vllm:", "name the model"),
        ("vllm:--help", "is not a model"),
        ("vllm:m?max-model-len=4096", "did you mean max_model_len?"),
        ("vllm:m?middleware=evil.Code", "unknown option 'middleware'"),
        ("vllm:m?dtype=--trust-remote-code", "dtype needs a value"),
        ("vllm:m?images=many", "images must be a number"),
    ],
)
def test_specs_that_are_wrong(spec: str, word: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_spec(spec)
    assert word in str(caught.value)


def test_options_become_arguments() -> None:
    wanted = read_spec("vllm:/models/a b?enforce_eager=1&gpu_memory_utilization=0.45")
    arguments = serve_arguments(wanted, 8123)
    assert arguments[0] == "/models/a b"
    assert arguments[-3:] == ["--enforce-eager", "--gpu-memory-utilization", "0.45"]
    inside = engine_arguments(wanted)
    assert (inside["enforce_eager"], inside["gpu_memory_utilization"]) == (True, 0.45)
    assert inside["limit_mm_per_prompt"] == {"image": 32, "video": 0}


def test_lines_of_a_log() -> None:
    line = "(EngineCore pid=6218) INFO 11-21 21:11:40 [core.py:133] Initializing a V1 LLM engine (v0.32.0)"
    assert plain(line) == "Initializing a V1 LLM engine (v0.32.0)"
    assert phase_of(line) == ("starting", None)
    assert phase_of("Loading safetensors checkpoint shards:  75% Completed") == ("loading weights", 0.75)
    assert phase_of("Capturing CUDA graphs (decode, FULL):  10%|#   | 3/35") == ("capturing CUDA graphs", 0.1)
    assert phase_of("something else") is None
    log = [
        "(APIServer pid=7) ERROR 11-21 21:01:56 [registry.py:1] subprocess.CalledProcessError: Command died",
        "(APIServer pid=7) ERROR 11-21 21:01:56 [r.py:1] ModuleNotFoundError: No module named 'torchvision'",
        "RuntimeError: Engine core initialization failed. See root cause above.",
    ]
    assert cause_of(log) == "ModuleNotFoundError: No module named 'torchvision'"
    assert cause_of(["", "last words"]) == "last words"
    assert cause_of([]) == "its log is empty"
