"""What a server with a hundred thousand verdicts takes: over HTTP, in Chromium, and in memory."""

from __future__ import annotations

import gzip
import json
import statistics
import time
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.browsing import chromium, dailies, started
from benchmarks.processes import memory_mb, tree

ROUNDS = 5
FILTER_MS, PAINT_MS, ANSWER_KB, MEMORY_MB = 300, 2000, 300, 1000
PAGES = {"verdicts": ".dl-item[data-id]", "": ".dl-video", "scores": "table"}
SORTS = ("need", "mean", "aspect", "title", "verdict", "newest", "unsure", "inconsistent", "differs")
FILTERS: Mapping[str, Mapping[str, str]] = {
    "no": {"state": "no"},
    "open": {"state": "open"},
    "one aspect": {"aspect": "vdc:camera"},
    "text": {"q": "camera"},
    "category": {"category": "color"},
    "suspect": {"flag": "suspect"},
    "not set the error source of": {"error_source": "none"},
    "differs from another": {"differs": "true"},
    "text, by verdict": {"q": "camera", "sort": "verdict"},
}


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table."""

    what: str
    found: str
    limit: str
    kept: bool | None
    about: str = ""

    def __str__(self) -> str:
        kept = "" if self.kept is None else "yes" if self.kept else "**no**"
        return f"| {self.what} | {self.found} | {self.limit} | {kept} | {self.about} |"


def table(lines: list[Line]) -> str:
    head = ["| what | found | limit | kept | about |", "| --- | --- | --- | --- | --- |"]
    return "\n".join([*head, *map(str, lines)])


def ask(url: str, path: str, **query: str) -> tuple[float, int, bytes]:
    """Milliseconds, bytes as sent, and the answer."""
    address = f"{url}/api/{path}?{urlencode(query)}"
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    begin = time.perf_counter()
    with urllib.request.urlopen(request, timeout=120) as answer:
        body = answer.read()
        took = 1000 * (time.perf_counter() - begin)
        packed = answer.headers.get("Content-Encoding") == "gzip"
    return took, len(body), gzip.decompress(body) if packed else body


def measure(workspace: Path, database: str | None = None) -> list[Line]:
    """Every line of the table."""
    begin = time.perf_counter()
    with started(dailies(workspace, database)) as server:
        server.wait()
        url, pid = server.url, server.process.pid
        evaluations = [e["id"] for e in json.loads(ask(url, "me")[2])["evaluations"]]
        known = {"evaluation": evaluations[0], "with": evaluations[-1]}
        ask(url, "verdicts", evaluation=known["evaluation"])
        first = time.perf_counter() - begin
        ask(url, "scoring/table", evaluation=known["evaluation"])
        scored = time.perf_counter() - begin
        ask(url, "verdicts", **known, flag="suspect")
        warm = time.perf_counter() - begin
        lines = [
            Line("start of the server to the first list", f"{first:.1f} s", "", None, "verdicts read once"),
            Line("until scores are known", f"{scored:.1f} s", "", None, "in the background"),
            Line("until flags are known too", f"{warm:.1f} s", "", None, "in the background"),
        ]
        lines += list(_lists(url, known)) + list(_paint(url))
        held = memory_mb(tree(pid))
        lines.append(Line("memory of the server", f"{held:.0f} MB", f"below {MEMORY_MB}", held < MEMORY_MB))
        return lines


def _lists(url: str, known: Mapping[str, str]) -> Iterator[Line]:
    asked = {f"sort {sort}": {"sort": sort} for sort in SORTS} | {
        f"filter {n}": dict(q) for n, q in FILTERS.items()
    }
    asked["the last page"] = {"sort": "mean", "offset": "96600"}
    sizes = []
    for name, query in asked.items():
        first, size, _ = ask(url, "verdicts", **known, **query)
        again = [ask(url, "verdicts", **known, **query)[0] for _ in range(ROUNDS)]
        sizes.append(size)
        middle = statistics.median([first, *again])
        about = f"first {first:.0f}, longest {max(first, *again):.0f}; {size / 1000:.0f} kB"
        yield Line(name, f"{middle:.0f} ms", f"at most {FILTER_MS}", middle <= FILTER_MS, about)
    for path in ("library", "videos", "scoring/table"):
        took, size, _ = ask(url, path, evaluation=known["evaluation"])
        sizes.append(size)
        yield Line(f"/api/{path}", f"{took:.0f} ms", "", None, f"{size / 1000:.0f} kB as sent")
    largest = max(sizes) / 1000
    yield Line("the longest answer", f"{largest:.0f} kB", f"at most {ANSWER_KB}", largest <= ANSWER_KB)


def _paint(url: str) -> Iterator[Line]:
    """From the request to the first row on the screen."""
    with chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        for path, first in PAGES.items():
            took = []
            for _ in range(ROUNDS):
                begin = time.perf_counter()
                page.goto(f"{url}/{path}")
                page.wait_for_selector(first, timeout=60_000)
                took.append(1000 * (time.perf_counter() - begin))
            middle = statistics.median(took)
            about = f"median of {ROUNDS}, {min(took):.0f} to {max(took):.0f}"
            name = f"first paint of {path or 'library'}"
            yield Line(name, f"{middle:.0f} ms", f"at most {PAINT_MS}", middle <= PAINT_MS, about)
        page.goto(f"{url}/verdicts")
        page.wait_for_selector(".dl-verdict")
        yield Line("rows in the page", str(page.locator(".dl-item").count()), "", None, "of the whole list")
