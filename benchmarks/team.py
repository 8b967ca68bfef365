"""Fifty people at work on a hundred thousand verdicts: the time of each action, and whether a save is lost.

    python -m benchmarks.team --workspace FOLDER                        # filled by benchmarks.many_verdicts
    python -m benchmarks.team --workspace FOLDER --database postgresql://... --processes 2

Each scripted person does one thing every five seconds on average: opens a verdict, saves one, scrolls,
filters, or looks at the Library, with the requests that the pages send for it. The people run at nice 19, so
that the server has the processors first. Prints a Markdown table: seconds per kind of request, and the
server's processor time per action. The exit status is 1 when a limit is not kept or a save is lost.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from annotation.records.decisions import Correction
from annotation.store.store import Store
from benchmarks.browsing import Started, dailies, started, table
from benchmarks.processes import cpu_s, tree
from ui.auth.current_person import COOKIE

REUSED_S = 2
"""As in `benchmarks.annotators`: uvicorn closes a connection that is idle for 5 s."""
LIMITS_S = {"save": 1.0, "verdict": 1.0, "list": 1.5, "library": 1.5}
"""Of 95 % of the requests."""
PAGE = 100
"""Rows that the Verdicts page requests."""
SHARES = {"open": 30, "save": 25, "scroll": 20, "filter": 15, "library": 10}
"""Of a hundred actions."""
FILTERS: Sequence[dict[str, str]] = (
    {"state": "no"},
    {"state": "open"},
    {"aspect": "vdc:camera"},
    {"sort": "verdict"},
    {"sort": "newest"},
    {"q": "camera"},
    {"sort": "unsure", "state": "open"},
    {"error_source": "none", "sort": "verdict"},
)


@dataclass
class Log:
    """What one person did."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """Per kind of request, until it was answered."""
    saved: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    """By verdict and revision: the value that the server confirmed."""
    actions: int = 0
    errors: list[str] = field(default_factory=list)


class Person:
    """One person with a list of verdicts before them."""

    def __init__(self, urls: Sequence[str], number: int, every_s: float) -> None:
        self.chance, self.log, self.every_s = random.Random(number), Log(), every_s
        own = {"Sec-Fetch-Site": "same-origin"}
        limits = httpx.Limits(keepalive_expiry=REUSED_S)
        url = urls[number % len(urls)]
        self.client = httpx.Client(base_url=url, timeout=60, headers=own, limits=limits)
        person = self.client.post("/api/me", json={"name": f"person {number}"}).json()["id"]
        self.client.cookies.set(COOKIE, person)
        self.narrowed: dict[str, str] = {}
        self.rows: list[str] = []
        self.total = 0

    def work(self, until: float) -> None:
        """Act until then; two actions begin `every_s` seconds apart on average."""
        time.sleep(self.chance.random() * self.every_s)
        self._list()
        while True:
            time.sleep(min(self.chance.expovariate(1 / self.every_s), max(0, until - time.monotonic())))
            if time.monotonic() >= until:
                return
            action = self.chance.choices(list(SHARES), list(SHARES.values()))[0]
            self.log.actions += 1
            try:
                getattr(self, action)()
            except httpx.HTTPError as error:
                self.log.errors.append(f"{action}: {error!r}")

    # --- actions ------------------------------------------------------------------------

    def open(self) -> dict[str, Any] | None:
        return self._get("verdict", f"/api/verdicts/{self.chance.choice(self.rows)}") if self.rows else None

    def save(self) -> None:
        """Correct or confirm what is open; the page then requests it anew, and the counts."""
        detail = self.open()
        if detail is None:
            return
        label = self.chance.choice(["yes", "no"])
        value = {"label": label, "score": self.chance.choice([4, 5] if label == "yes" else [0, 1])}
        verdict = detail["verdict"]
        body = {"subject": verdict["subject"], "value": value, "base_revision": verdict["revision"]}
        answer = self._timed("save", lambda: self.client.post("/api/edit", json=body))
        if answer.status_code == 200:
            self.log.saved[detail["id"], answer.json()["revision"]] = value
        else:
            self.log.errors.append(f"save: {answer.status_code} {answer.text[:200]}")
        self._get("verdict", f"/api/verdicts/{detail['id']}")
        self._get("list", "/api/verdicts", **self.narrowed, offset="0", limit="1")

    def scroll(self) -> None:
        self._list(self.chance.randrange(0, max(1, self.total // PAGE)) * PAGE)

    def filter(self) -> None:
        self.narrowed = dict(self.chance.choice(FILTERS))
        self._list()

    def library(self) -> None:
        self._get("library", "/api/library", offset="0", limit="60")

    # --- requests -----------------------------------------------------------------------

    def _list(self, offset: int = 0) -> None:
        page = self._get("list", "/api/verdicts", **self.narrowed, offset=str(offset), limit=str(PAGE))
        if page:
            self.rows, self.total = [row["verdict_id"] for row in page["rows"]] or self.rows, page["total"]

    def _get(self, kind: str, path: str, **query: str) -> dict[str, Any] | None:
        answer = self._timed(kind, lambda: self.client.get(path, params=query))
        if answer.status_code == 200:
            found: dict[str, Any] = answer.json()
            return found
        self.log.errors.append(f"{kind}: {answer.status_code} {answer.text[:200]}")
        return None

    def _timed(self, kind: str, send: Any) -> httpx.Response:
        begin = time.perf_counter()
        try:
            answer: httpx.Response = send()
        finally:
            self.log.seconds[kind].append(time.perf_counter() - begin)
        return answer


@dataclass(frozen=True, slots=True)
class Report:
    """What came of it."""

    seconds: dict[str, list[float]]
    """Sorted, per kind of request."""
    actions: int
    cpu_s: float
    """Of the servers, without the database's."""
    saves: int
    lost: tuple[str, ...]
    errors: tuple[str, ...]
    load: float
    """Of the machine at the end, over one minute."""

    def kept(self, kind: str) -> bool:
        return _within(self.seconds[kind], 0.95) <= LIMITS_S[kind]


def _within(times: Sequence[float], share: float) -> float:
    return times[min(len(times) - 1, int(len(times) * share))] if times else 0.0


def measure(
    workspace: Path, database: str, people: int, seconds: float, every_s: float, processes: int
) -> Report:
    """So many people at work on a workspace that holds an evaluation."""
    with _serving(workspace, database, processes) as apps:
        os.nice(19)
        team = [Person([app.url for app in apps], number, every_s) for number in range(people)]
        pids = [pid for app in apps for pid in tree(app.process.pid)]
        before, until = cpu_s(pids), time.monotonic() + seconds
        with ThreadPoolExecutor(people) as pool:
            list(pool.map(lambda person: person.work(until), team))
        used = cpu_s(pids) - before
    logs = [person.log for person in team]
    times: dict[str, list[float]] = defaultdict(list)
    for log in logs:
        for kind, found in log.seconds.items():
            times[kind] += found
    return Report(
        {kind: sorted(found) for kind, found in times.items()},
        sum(log.actions for log in logs),
        used,
        sum(len(log.saved) for log in logs),
        tuple(_lost(workspace, database, logs)),
        tuple(error for log in logs for error in log.errors),
        os.getloadavg()[0],
    )


@contextmanager
def _serving(workspace: Path, database: str, processes: int) -> Iterator[list[Started]]:
    """So many servers on one workspace, warm: each has answered a list, the Library and a table of scores."""
    command = [*dailies(workspace, database or None), "--speech", "none"]
    with ExitStack() as stack:
        apps = [stack.enter_context(started(command)) for _ in range(processes)]
        for app in apps:
            app.wait("/healthz")
        for app in apps:
            for path in ("verdicts", "verdicts?flag=suspect", "library", "scoring/table"):
                httpx.get(f"{app.url}/api/{path}", timeout=300).raise_for_status()
        yield apps


def _lost(workspace: Path, database: str, logs: Sequence[Log]) -> Iterator[str]:
    """Confirmed saves that are not in the history as they were sent."""
    store = Store(database or f"sqlite:///{workspace / 'dailies.db'}")
    history = {
        (one.subject_id, one.revision): one.value for one in store.find(Correction, subject_type="verdict")
    }
    store.close()
    for log in logs:
        for key, value in log.saved.items():
            if history.get(key) != value:
                yield f"{key}: {value} was confirmed, the history has {history.get(key)}"


def lines(report: Report) -> str:
    """One row per kind of request, and one about all."""
    head = ["request", "times", "median s", "95 % within s", "longest s", "limit of 95 %, s", "kept"]
    rows = [
        [
            kind,
            str(len(times)),
            f"{statistics.median(times):.2f}",
            f"{_within(times, 0.95):.2f}",
            f"{times[-1]:.2f}",
            str(LIMITS_S[kind]),
            "yes" if report.kept(kind) else "**no**",
        ]
        for kind, times in sorted(report.seconds.items())
    ]
    each = 1000 * report.cpu_s / max(1, report.actions)
    return (
        f"{table(head, rows)}\n\n{report.actions} actions, {report.saves} saves confirmed, "
        f"{len(report.lost)} lost, {len(report.errors)} errors; {each:.0f} ms of the servers' processor time "
        f"per action; load {report.load:.1f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="A team at work on many verdicts.")
    parser.add_argument("--workspace", type=Path, required=True, help="filled by benchmarks.many_verdicts")
    parser.add_argument("--database", default="", help="URL; default: the workspace's SQLite")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they work (default 60)")
    parser.add_argument("--every", type=float, default=5.0, help="seconds between actions (default 5)")
    parser.add_argument("--processes", type=int, default=1, help="servers on one database (default 1)")
    given = parser.parse_args()
    report = measure(
        given.workspace, given.database, given.people, given.seconds, given.every, given.processes
    )
    print(lines(report))
    print("\n".join((*report.lost, *report.errors)[:20]))
    return int(bool(report.lost or report.errors) or not all(map(report.kept, report.seconds)))


if __name__ == "__main__":
    sys.exit(main())
