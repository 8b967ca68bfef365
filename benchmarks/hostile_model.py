"""A judge that does everything wrong, on the 43 items of the sample: what becomes of each way.

    python -m benchmarks.hostile_model         # every mode: 43 items, then a run that is stopped by SIGINT
    python -m benchmarks.hostile_model trickle "100 MB"

Per mode: verdicts by state, scores, seconds, and the seconds from SIGINT to the end of `app.py run` (with the
usual time-outs). Exits with 1 when a score came from what is no verdict, a good reply was lost, or a run took
more than 5 s to end.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.hostile_server import MODES, HostileServer
from tests.judged_sample import ITEMS, judge_sample, sample_workspace

ROOT = Path(__file__).resolve().parent.parent
END_S = 5.0
ASKED_S = 60.0


@dataclass(frozen=True)
class Outcome:
    """What came of one mode."""

    mode: str
    states: str
    scores: int
    seconds: float
    database_mb: float
    ended_s: float
    code: int

    @property
    def wrong(self) -> bool:
        wanted = ITEMS if MODES[self.mode].state == "done" else 0
        return self.scores != wanted or self.ended_s > END_S

    def line(self) -> str:
        mark = "WRONG" if self.wrong else ""
        return (
            f"{self.mode:34} {self.states:16} {self.scores:6} {self.seconds:8.1f} {self.database_mb:6.1f} "
            f"{self.ended_s:8.1f} {self.code:5} {mark}"
        )


def measure(mode: str, folder: Path) -> Outcome:
    """One mode, in a workspace of its own."""
    workspace = sample_workspace(folder / "judged")
    with HostileServer(mode) as server:
        began = time.monotonic()
        judged = judge_sample(workspace, server.spec)
        seconds = time.monotonic() - began
    workspace.close()
    database = (folder / "judged" / "dailies.db").stat().st_size / 1e6
    states = ", ".join(f"{n} {state}" for state, n in judged.states.items())
    ended, code = stop_command(mode, folder / "stopped")
    return Outcome(mode, states, judged.scores, seconds, database, ended, code)


def stop_command(mode: str, workspace: Path) -> tuple[float, int]:
    """Seconds from SIGINT to the end of the command, and its code."""
    sample_workspace(workspace).close()
    with HostileServer(mode) as server:
        command = [
            sys.executable,
            "app.py",
            "run-evaluation",
            "hand-written",
            "--stages",
            "verdicts",
            "--judge",
            server.spec,
            "--workspace",
            str(workspace),
        ]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + ASKED_S
        while server.asked < 5 and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        began = time.monotonic()
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
        code = process.wait()
        return time.monotonic() - began, code


def main(names: list[str]) -> int:
    """The table; 1 when something is wrong in it."""
    wrong = 0
    print(f"{'mode':34} {'verdicts':16} {'scores':>6} {'seconds':>8} {'MB':>6} {'SIGINT s':>8} {'code':>5}")
    for mode in names or list(MODES):
        with tempfile.TemporaryDirectory() as folder:
            outcome = measure(mode, Path(folder))
        print(outcome.line(), flush=True)
        wrong += outcome.wrong
    print(f"{len(names or MODES)} modes of {ITEMS} items, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
