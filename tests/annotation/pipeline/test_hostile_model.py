"""A judge that does everything wrong: what is no verdict gives no score, and a fault costs its item alone."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from threading import Event, Timer

import pytest

from annotation.records.runs import ModelCall
from annotation.workspace.workspace import Workspace
from backends.errors import Stopped
from tests.app_process import AppProcess
from tests.hostile_server import GOOD, MODES, HostileServer
from tests.judged_sample import ITEMS, judge_sample, sample_workspace

QUICK_MODES = [name for name, mode in MODES.items() if not mode.slow]
END_S = 5.0
"""After SIGINT, whatever the server does."""


@pytest.fixture(scope="module")
def judged_workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return sample_workspace(tmp_path_factory.mktemp("hostile") / "workspace")


def test_there_are_enough_ways_to_go_wrong() -> None:
    assert len(MODES) >= 25


@pytest.mark.parametrize("mode", QUICK_MODES)
def test_no_score_from_what_is_no_verdict(judged_workspace: Workspace, mode: str) -> None:
    with HostileServer(mode) as server:
        judged = judge_sample(judged_workspace, server.spec)
    assert judged.problems == ()
    assert judged.states == {MODES[mode].state: ITEMS}
    assert judged.scores == (ITEMS if MODES[mode].state == "done" else 0)
    assert all(verdict.reason or verdict.state == "done" for verdict in judged.verdicts)
    assert all("bug" not in verdict.reason for verdict in judged.verdicts)


def test_every_good_reply_of_a_mixed_server_is_kept(judged_workspace: Workspace) -> None:
    bad = [name for name in QUICK_MODES if MODES[name].state != "done"] + [
        "20 MB",
        "gzip bomb",
        "never answers",
    ]
    chosen: dict[str, str] = {}

    def choose(user: str) -> str:
        return chosen.setdefault(
            user, bad[len(chosen) // 2 % len(bad)] if len(chosen) % 2 else "no finish_reason"
        )

    with HostileServer("mixed", choose) as server:
        judged = judge_sample(judged_workspace, server.spec)
    good = sum(mode == "no finish_reason" for mode in chosen.values())
    assert good >= ITEMS // 2
    assert judged.problems == ()
    assert judged.states["done"] == judged.scores == good
    assert len(judged.verdicts) == ITEMS


def test_what_was_done_to_a_reply_is_said_beside_it(judged_workspace: Workspace) -> None:
    store = judged_workspace.store
    with HostileServer("lone surrogate") as server:
        judged = judge_sample(judged_workspace, server.spec)
    call = store.get(ModelCall, str(judged.verdicts[0].call_id))
    assert call.reply == GOOD + " half a \ufffd character"
    assert "replaced by U+FFFD" in call.note
    with HostileServer("content_filter") as server:
        judged = judge_sample(judged_workspace, server.spec)
        asked = server.asked
        judge_sample(judged_workspace, server.spec)
        assert server.asked == 2 * asked, "run again to repeat failed requests"
    call = store.get(ModelCall, str(judged.verdicts[0].call_id))
    assert (call.finish_reason, call.reply) == ("content_filter", "{'pred': 'yes', 'score': 5}")
    assert "content_filter" in judged.verdicts[0].reason


def test_a_long_reply_is_not_read_to_its_end(tmp_path: Path) -> None:
    """20 MB each made a database of 1.8 GB."""
    workspace = sample_workspace(tmp_path / "workspace")
    with HostileServer("20 MB") as server:
        judged = judge_sample(workspace, server.spec)
    assert judged.states == {"failed": ITEMS}
    assert "longer than 7,048,576 bytes" in judged.verdicts[0].reason
    assert (workspace.path / "dailies.db").stat().st_size < 10 << 20
    workspace.close()


@pytest.mark.parametrize("mode", ["never answers", "trickle", "slow headers", "endless 100 Continue"])
def test_a_stopped_run_ends_soon_whatever_the_server_does(judged_workspace: Workspace, mode: str) -> None:
    stop = Event()
    began: list[float] = []

    def ask_to_stop() -> None:
        began.append(time.monotonic())
        stop.set()

    with HostileServer(mode) as server:
        Timer(0.7, ask_to_stop).start()
        judge_sample_or_stop(judged_workspace, server.spec, stop)
        assert time.monotonic() - began[0] < END_S


def judge_sample_or_stop(workspace: Workspace, spec: str, stop: Event) -> None:
    with pytest.raises(Stopped):
        judge_sample(workspace, spec, stop)


def test_ctrl_c_ends_the_command(tmp_path: Path) -> None:
    """As somebody types it, with the usual time-outs: with 100 MB replies it took 44 s."""
    sample_workspace(tmp_path / "workspace").close()
    with HostileServer("trickle") as server:
        words = ("--stages", "verdicts", "--judge", server.spec, "--workspace", tmp_path / "workspace")
        process = AppProcess("run-evaluation", "hand-written", *words)
        until = time.monotonic() + 60
        while server.asked < 10 and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        _, err = process.communicate(timeout=60)
        took = time.monotonic() - began
    assert process.returncode == 130, err
    assert "Traceback" not in err
    assert took < END_S
