"""The Library with a hundred thousand videos: first page, every sort and filter, search as one types.

    python -m benchmarks.many_videos --workspace NEW [--database postgresql://...] [--before CHECKOUT]

Fills an empty workspace (titles, ids of a dataset, disciplines, a verdict for every tenth video, work for
every fiftieth), starts a server on it and asks over HTTP. `--before` is a checkout of an older version: its
server answers first; one that knows no pages sends all videos. Prints Markdown tables.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from annotation.editing.assignments import assign
from annotation.records.captions_to_verdicts import Question
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.videos import Alias, Dataset, Video
from annotation.workspace.workspace import Workspace
from benchmarks.browsing import ROOT, Started, dailies, started, table
from benchmarks.many_served import ask
from benchmarks.many_verdicts import verdicts
from benchmarks.processes import cpu_s, memory_mb, tree

ROUNDS = 7
ENOUGH_S = 6.0
"""For one question; at least one answer is waited for."""
JUDGED, GIVEN = 10, 50
"""One video of so many has a verdict, has work."""
THINGS = ("Harbour", "kitchen", "Algebra lecture", "street", "football", "Chemistry", "forest", "interview")
CHUNK = 20_000
ASKED = {
    "first page, by need": {},
    "by title": {"sort": "title"},
    "newest first": {"sort": "newest"},
    "rows 50,000 to 50,060 by title": {"sort": "title", "offset": "50000"},
    "a word of titles": {"q": "kitchen"},
    "two words": {"q": "algebra 77"},
    "an id": {"q": "vid-77"},
    "a name in a dataset": {"q": "v_00077"},
    "nothing fits": {"q": "nowhere"},
    "work of nobody": {"work": "nobody"},
    "a word, by title, with work of nobody": {"q": "street", "sort": "title", "work": "nobody"},
}


def fill(space: Workspace, count: int) -> float:
    """Seconds that it took."""
    begin, draw = time.monotonic(), random.Random(1)
    space.store.add([Dataset(id="dst-many", name="many", format="made")])
    for start in range(0, count, CHUNK):
        numbers = range(start, min(count, start + CHUNK))
        records: list[Record] = []
        for n in numbers:
            video = Video(
                id=f"vid-{n:06d}",
                title=f"{draw.choice(THINGS)} {draw.randrange(count)}",
                created_at=float(n),
                discipline=draw.choice(("", "Mathematics", "Physics")),
            )
            alias = Alias(id=f"als-{n:06d}", dataset_id="dst-many", alias=f"v_{n:06d}", video_id=video.id)
            records += [video, alias]
        space.store.add(records)
    asked = [_question(n) for n in range(0, count, JUDGED)]
    space.store.add(asked)
    space.store.add(verdicts(asked, 0))
    owner = space.owner()
    assign(space.store, owner, [f"vid-{n:06d}" for n in range(0, count, GIVEN)], owner.id, "script")
    return time.monotonic() - begin


def _question(number: int) -> Question:
    return Question(
        id=record_id("qst", "many", number),
        video_id=f"vid-{number:06d}",
        kind="vdc:camera",
        index=0,
        text="Does the camera move?",
        reference="it pans",
        created_at=1.0,
    )


def measure(server: Started, begin: float) -> Iterator[list[str]]:
    """Rows of the table: what, milliseconds (median and longest), kB as sent."""
    server.wait("/api/me")
    yield ["the server answers", f"{time.perf_counter() - begin:.1f} s", "", ""]
    ask(server.url, "library")
    yield ["its first page of the Library is there", f"{time.perf_counter() - begin:.1f} s", "", ""]
    for name, query in ASKED.items():
        took, size = _rounds(server.url, query)
        yield [name, f"{statistics.median(took):.0f} ms", f"{max(took):.0f} ms", f"{size / 1000:.0f} kB"]
    processes = tree(server.process.pid)
    yield ["memory of the server", f"{memory_mb(processes):.0f} MB", "", ""]
    yield ["its processor time", f"{cpu_s(processes):.1f} s", "", ""]


def _rounds(url: str, query: dict[str, str]) -> tuple[list[float], int]:
    """Milliseconds of each, and bytes as sent."""
    took: list[float] = []
    while len(took) < ROUNDS and sum(took) < 1000 * ENOUGH_S:
        milliseconds, size, _ = ask(url, "library", **query)
        took.append(milliseconds)
    return took, size


def served_from(checkout: Path, workspace: Path, database: str | None) -> list[list[str]]:
    begin = time.perf_counter()
    with started(dailies(workspace, database), checkout) as server:
        return list(measure(server, begin))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workspace", type=Path, required=True)
    parser.add_argument("--videos", type=int, default=100_000)
    parser.add_argument("--database")
    parser.add_argument("--before", type=Path)
    given = parser.parse_args()
    space = Workspace(given.workspace, given.database)
    if not space.store.count(Video):
        print(f"{given.videos:,} videos written in {fill(space, given.videos):.0f} s\n")
    space.close()
    head = ["what", "median", "longest", "as sent"]
    if given.before:
        print(
            "before:\n\n"
            + table(head, served_from(given.before, given.workspace, given.database))
            + "\n\nnow:\n"
        )
    print(table(head, served_from(ROOT, given.workspace, given.database)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
