"""Several people on one workspace at once: is an update lost, is a conflict shown that is none?

    python -m benchmarks.annotators              # 8 annotators for 60 s
    python -m benchmarks.annotators --annotators 24 --processes 3 --database postgresql://user@host/empty

Scripted annotators correct the same texts of one video (script, captions, extracted answers, speech) over
HTTP, as fast as the server answers. Each edit adds a word that nobody else writes to the text as its
author saw it last; an author who is refused adds the word to what is there now, as a person who takes both.
With several processes on one database, each request of each person goes to another one of them.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from annotation.records.decisions import Correction
from annotation.store.copy_database import copy_database
from annotation.store.database import open_engine
from annotation.store.store import Store
from benchmarks.browsing import dailies, started
from benchmarks.kills import sample_workspace
from ui.auth.current_person import COOKIE

REUSED_S = 2
"""A connection that was idle for longer is not used again: uvicorn closes it after 5 s, and a request that is
sent at that moment gets no reply."""
SHARED = 12
"""Texts that everybody works on: few, so that people meet."""
Subject = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A 409 that a page would have shown."""

    subject: Subject
    person_id: str
    base: int


@dataclass
class Log:
    """What one annotator did."""

    confirmed: list[tuple[Subject, str, int]] = field(default_factory=list)
    """Subject, the word that was added, the revision that the server named."""
    refused: list[Refusal] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """Per edit, until it was answered."""
    errors: list[str] = field(default_factory=list)


class Annotator:
    """One person, with what they saw last of every text."""

    def __init__(self, urls: Sequence[str], number: int) -> None:
        self.name, self.chance, self.log = f"annotator {number}", random.Random(number), Log()
        own = {"Sec-Fetch-Site": "same-origin"}
        limits = httpx.Limits(keepalive_expiry=REUSED_S)
        self.clients = [httpx.Client(base_url=url, timeout=60, headers=own, limits=limits) for url in urls]
        self.person = self.client.post("/api/me", json={"name": self.name}).json()["id"]
        for client in self.clients:
            client.cookies.set(COOKIE, self.person)
        self.video = self.client.get("/api/videos").json()["videos"][0]
        self.seen: dict[Subject, tuple[str, int]] = {}
        self.words = 0

    @property
    def client(self) -> httpx.Client:
        """Of one process or another."""
        return self.chance.choice(self.clients)

    def look(self) -> None:
        """Read the texts anew."""
        page = self.client.get(f"/api/script/{self.video}").raise_for_status().json()
        values = [text for fields in page["script"].values() for text in fields.values()]
        values += [text for texts in page["captions"].values() for text in texts]
        values += [line["text"] for line in page["player"].get("speech", {}).get("segments", [])]
        texts = {tuple(v["subject"]): (str(v["value"]), int(v["revision"])) for v in values}
        self.seen = {subject: texts[subject] for subject in sorted(texts)[:: max(1, len(texts) // SHARED)]}

    def work(self, until: float) -> None:
        self.look()
        while time.monotonic() < until:
            if self.chance.random() < 0.1:
                self.look()
            self.edit(self.chance.choice(list(self.seen)))

    def edit(self, subject: Subject) -> None:
        self.words += 1
        word = f"w{self.name.split()[1]}x{self.words}"
        while not self._try(subject, word):
            pass

    def _try(self, subject: Subject, word: str) -> bool:
        """False when somebody was faster: what they wrote has been seen then."""
        value, base = self.seen[subject]
        body = {"subject": subject, "value": f"{value} {word}", "base_revision": base}
        begin = time.perf_counter()
        answer = self.client.post("/api/edit", json=body)
        self.log.seconds.append(time.perf_counter() - begin)
        found = answer.json()
        if answer.status_code == 200:
            self.seen[subject] = (found["value"], found["revision"])
            self.log.confirmed.append((subject, word, found["revision"]))
        elif answer.status_code == 409:
            self.seen[subject] = (found["current"], found["revision"])
            self.log.refused.append(Refusal(subject, self.person, base))
            return False
        else:
            self.log.errors.append(f"{answer.status_code}: {found}")
        return True


@dataclass(frozen=True, slots=True)
class Report:
    """What the database says of what the annotators were told."""

    annotators: int
    seconds: float
    edits: int
    conflicts: int
    lost: tuple[str, ...]
    """Updates that were confirmed and are not in the text any more, or never were."""
    false: tuple[str, ...]
    """Conflicts although nobody else had changed the text."""
    doubled: tuple[str, ...]
    """Edits that stand twice: in the text, in the history, or under one revision with another."""
    errors: tuple[str, ...]
    median_ms: float
    p95_ms: float


def check(store: Store, logs: list[Log]) -> tuple[list[str], list[str]]:
    """(lost updates, conflicts that are none)."""
    history: dict[Subject, list[Correction]] = defaultdict(list)
    for c in store.find(Correction, order_by=["revision"]):
        history[c.subject_type, c.subject_id, c.field].append(c)
    lost, false = [], []
    for log in logs:
        for subject, word, revision in log.confirmed:
            since = [c for c in history[subject] if c.revision >= revision]
            now = str(store.current(*subject).value)  # type: ignore[arg-type]
            if not since or any(word not in str(c.value).split() for c in since) or word not in now.split():
                lost.append(f"{word} of {subject}")
        for refusal in log.refused:
            newer = [c for c in history[refusal.subject] if c.revision > refusal.base]
            if all(c.person_id == refusal.person_id for c in newer):
                false.append(f"{refusal}")
    return lost, false


def check_doubled(store: Store, logs: list[Log], before: int = 0) -> list[str]:
    """Edits that were made more than once. `before` are the corrections that were there already."""
    found, seen = [], set()
    for log in logs:
        for subject, word, revision in log.confirmed:
            times = str(store.current(*subject).value).split().count(word)  # type: ignore[arg-type]
            if times > 1:
                found.append(f"{word} stands {times} times in {subject}")
            if (subject, revision) in seen:
                found.append(f"revision {revision} of {subject} was given twice")
            seen.add((subject, revision))
    more = store.count(Correction) - before - sum(len(log.confirmed) for log in logs)
    return [*found, f"{more} more in the history than were confirmed"] if more > 0 else found


@contextmanager
def serving(workspace: Path, database: str, processes: int) -> Iterator[list[str]]:
    """The addresses of so many apps on one workspace and database."""
    command = [*dailies(workspace), "--database", database, "--speech", "none"]
    with ExitStack() as stack:
        apps = [stack.enter_context(started(command)) for _ in range(processes)]
        for app in apps:
            app.wait("/healthz")
        yield [app.url for app in apps]


def measure(
    workspace: Path, annotators: int, seconds: float, processes: int = 1, database: str = ""
) -> Report:
    """So many people at work on a workspace with the sample. A database that is given is empty."""
    here = f"sqlite:///{workspace / 'dailies.db'}"
    if database:
        _move(here, database)
    store = Store(database or here)
    before = store.count(Correction)
    with serving(workspace, database or here, processes) as urls:
        people = [Annotator(urls, number + 1) for number in range(annotators)]
        until = time.monotonic() + seconds
        with ThreadPoolExecutor(annotators) as pool:
            list(pool.map(lambda person: person.work(until), people))
    logs = [person.log for person in people]
    (lost, false), doubled = check(store, logs), check_doubled(store, logs, before)
    store.close()
    times = sorted(1000 * s for log in logs for s in log.seconds)
    return Report(
        annotators,
        seconds,
        sum(len(log.confirmed) for log in logs),
        sum(len(log.refused) for log in logs),
        tuple(lost),
        tuple(false),
        tuple(doubled),
        tuple(e for log in logs for e in log.errors),
        statistics.median(times),
        times[int(len(times) * 0.95)],
    )


def _move(source: str, target: str) -> None:
    one, other = open_engine(source), open_engine(target)
    copy_database(one, other)
    one.dispose()
    other.dispose()


def table(report: Report) -> str:
    """One row."""
    rows = (
        (
            "annotators",
            "seconds",
            "edits confirmed",
            "lost",
            "doubled",
            "conflicts shown",
            "of these none",
            "median ms",
            "95 % within ms",
        ),
        ("---",) * 9,
        (
            str(report.annotators),
            f"{report.seconds:.0f}",
            str(report.edits),
            str(len(report.lost)),
            str(len(report.doubled)),
            str(report.conflicts),
            str(len(report.false)),
            f"{report.median_ms:.0f}",
            f"{report.p95_ms:.0f}",
        ),
    )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Several annotators on one workspace.")
    parser.add_argument("--annotators", type=int, default=8, help="people (default 8)")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long they work (default 60)")
    parser.add_argument("--processes", type=int, default=1, help="apps on one database (default 1)")
    parser.add_argument("--database", default="", help="URL of an empty one; default: the workspace's SQLite")
    parser.add_argument("--workspace", type=Path, help="with the sample in it; made when not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = options.workspace or sample_workspace(Path(folder) / "workspace")
        report = measure(workspace, options.annotators, options.seconds, options.processes, options.database)
    print(table(report))
    problems = (*report.lost, *report.doubled, *report.false, *report.errors)
    print("\n".join(problems[:20]) or "nothing was lost or doubled, and every conflict was one")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
