"""How long pages take to open: the first, others of the same document, and the next question.

    python -m benchmarks.page_times --before CHECKOUT   # needs requirements-browser.txt and a Chromium

The workspace is the sample and a second film, so that the next question can be one of another video.
`--before` serves a copy of it from another checkout of Dailies at the same time: the two are measured by
turns, so that other work on the machine disturbs both alike. Each figure is the time from the request, the
click or the key to a page that is drawn and answers keys (`data-ready`); of a question, to its words and its
confirmed frame.
Prints a Markdown table: median and 95 % of all rounds, requests and bytes as sent (medians). Ctrl-C ends it
with the table of the rounds so far.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import Any

from annotation.pipeline.engines import choose, make_engines
from annotation.workspace.workspace import Workspace
from benchmarks.browsing import ROOT, NoBrowser, app, chromium, dailies, started, table
from exports.sample import fill_sample
from tests.backends.clips import textured, write_clip
from ui.commands.terminal_output import Bars, stoppable

PAGES = ("library", "script", "verdicts", "split", "keyframes", "scores")
VIEW = {"width": 1280, "height": 720}
FRAMES, SHOT_FRAMES = 150, 25
READING_S = 1.0
"""Between two figures: what a page requests in its own time is there, as when a person reads it."""
RESTS_MS = 300
"""Of the pointer on a link."""
PROBE = """
performance.setResourceTimingBufferSize(10000);
window.since = (begin) => {
  const here = performance.getEntriesByType('resource').filter((entry) => entry.startTime >= begin);
  const first = begin ? [] : performance.getEntriesByType('navigation');
  const sizes = [...first, ...here].map((entry) => entry.transferSize);
  return [performance.now() - begin, sizes.length, sizes.reduce((sum, size) => sum + size, 0)];
};
window.until = (holds, begin) => new Promise((resolve) => {
  const look = () => (holds() ? resolve(window.since(begin)) : requestAnimationFrame(look));
  look();
});
window.opened = new Promise((resolve) => {
  const ready = () => document.querySelector('.dl-root[data-ready]');
  requestAnimationFrame(() => window.until(ready, 0).then(resolve));
});
"""
CHANGE = """(name) => {
  const drawn = () => document.querySelector(`.dl-root[data-ready][data-page=${name}]`);
  const begin = performance.now();
  [...document.querySelectorAll('nav[aria-label=Pages] a')]
    .find((link) => link.textContent.toLowerCase() === name).click();
  return window.until(drawn, begin);
}"""
OF_MOST_VIDEOS = """async () => {
  const get = async (path) => (await fetch(path)).json();
  const found = [];
  for (const { id } of (await get('/api/me')).evaluations)
    found.push([id, (await get(`/api/verdicts?evaluation=${id}`)).rows]);
  const videos = ([, rows]) => new Set(rows.map((row) => row.video_id)).size;
  return found.reduce((one, other) => (videos(other) > videos(one) ? other : one));
}"""
NEXT = """(words) => {
  const there = () => document.querySelector('.dl-q')?.textContent === words
    && document.querySelector('.dl-shown.dl-is-confirmed');
  window.next = new Promise((resolve) => document.addEventListener('keydown', () => {
    window.until(there, performance.now()).then(resolve);
  }, { once: true, capture: true }));
}"""


@dataclass(slots=True)
class Figures:
    """What was measured of one thing, each round."""

    ms: list[float] = field(default_factory=list)
    requests: list[float] = field(default_factory=list)
    sent: list[float] = field(default_factory=list)

    def add(self, found: list[float]) -> None:
        for values, value in zip((self.ms, self.requests, self.sent), found, strict=True):
            values.append(value)

    def times(self) -> str:
        high = sorted(self.ms)[int(0.95 * (len(self.ms) - 1) + 0.5)]
        return f"{statistics.median(self.ms):.0f}, {high:.0f}"

    def loads(self) -> str:
        return f"{statistics.median(self.requests):.0f}, {statistics.median(self.sent) / 1000:.0f} kB"


Measured = dict[str, Figures]


def make_workspace(folder: Path) -> None:
    """The sample, and a film of six shots with the questions of the embedded baseline."""
    space = Workspace(folder)
    with stoppable() as stop, Bars() as bars:
        fill_sample(space, make_engines(choose({}), space), bars, stop)
    space.close()
    pictures = (textured(100 + n // SHOT_FRAMES, 90 + n // SHOT_FRAMES * 9, 480, 288) for n in range(FRAMES))
    film = write_clip(folder.parent / "shots.mp4", pictures)
    app("run", str(film), "--speech", "none", "--workspace", str(folder))


class Side:
    """One server, and what was measured of it."""

    def __init__(self, url: str, browser: Any) -> None:
        self.url, self.browser = url, browser
        self.found: Measured = defaultdict(Figures)
        self.warm = self._context()

    def _context(self) -> Any:
        context = self.browser.new_context(viewport=VIEW)
        context.set_default_timeout(60_000)
        context.add_init_script(PROBE)
        return context

    def _open(self, context: Any, name: str, query: str = "") -> tuple[Any, list[float]]:
        page = context.new_page()
        page.goto(f"{self.url}/{'' if name == 'library' else name}{query}")
        found = page.evaluate("() => window.opened")
        return page, found

    def first_after_start(self) -> None:
        """The first pages of a server, in the order in which a person opens them."""
        page, found = self._open(self.warm, "library")
        self.found["first page of the server, Library"].add(found)
        time.sleep(4)  # a person looks at it
        self.found["first Split of the server"].add(page.evaluate(CHANGE, "split"))
        page.close()

    def first(self, name: str) -> None:
        for kind in ("warm", "cold"):
            context = self.warm if kind == "warm" else self._context()
            page, found = self._open(context, name)
            self.found[f"first page, {name.capitalize()}, {kind} cache"].add(found)
            page.close()
            if kind == "cold":
                context.close()

    def unseen(self, name: str) -> None:
        page, _ = self._open(self.warm, "script" if name == "library" else "library")
        time.sleep(READING_S)
        self.found[f"{name.capitalize()}, not seen before"].add(page.evaluate(CHANGE, name))
        page.close()

    def seen(self) -> None:
        page, _ = self._open(self.warm, "library")
        for name in PAGES[1:]:
            page.evaluate(CHANGE, name)
        for name in PAGES:
            time.sleep(READING_S / 3)
            self.found[f"{name.capitalize()}, seen before"].add(page.evaluate(CHANGE, name))
        for name in PAGES:
            page.locator("nav[aria-label=Pages] a", has_text=name.capitalize()).hover()
            page.wait_for_timeout(RESTS_MS)
            self.found["any, seen before, after resting on its link"].add(page.evaluate(CHANGE, name))
        page.close()

    def questions(self, most: int) -> None:
        """By `j` from a question to the next one of the list."""
        page, _ = self._open(self.warm, "verdicts")
        evaluation, rows = page.evaluate(OF_MOST_VIDEOS)
        pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for row, other in pairwise(rows):
            kind = "the same" if row["video_id"] == other["video_id"] else "another"
            pairs[kind].append((row["verdict_id"], other["question"]))
        for kind, found in pairs.items():
            for verdict, words in islice(cycle(found), most):
                page.goto(f"{self.url}/verdicts?evaluation={evaluation}&qa={verdict}")
                page.wait_for_selector(".dl-shown.dl-is-confirmed")
                time.sleep(READING_S / 3)
                page.evaluate(NEXT, words)
                page.keyboard.press("j")
                self.found[f"next question, {kind} video"].add(page.evaluate("() => window.next"))
        page.close()


def measure(sides: list[Side], rounds: int) -> None:
    for side in sides:
        side.first_after_start()
    for _ in range(rounds):
        for name in ("library", "verdicts"):
            for side in sides:
                side.first(name)
        for name in PAGES:
            for side in sides:
                side.unseen(name)
        for side in sides:
            side.seen()
    for side in sides:
        side.questions(rounds)


def head_of(sides: list[Side]) -> list[str]:
    if len(sides) == 1:
        return ["what", "n", "ms", "requests"]
    return ["what", "n", "before, ms", "before, requests", "ms", "requests", "ratio"]


def rows_of(sides: list[Side]) -> Iterator[list[str]]:
    now, *before = reversed(sides)
    for name, figures in now.found.items():
        cells = [figures.times(), figures.loads()]
        for side in before:
            earlier = side.found[name]
            ratio = statistics.median(figures.ms) / statistics.median(earlier.ms)
            cells = [earlier.times(), earlier.loads(), *cells, f"{ratio:.2f}"]
        yield [name, str(len(figures.ms)), *cells]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--before", type=Path, help="another checkout of Dailies")
    parser.add_argument("--workspace", type=Path, help="one that was made before; it is copied")
    parser.add_argument("--rounds", type=int, default=20)
    given = parser.parse_args()
    checkouts = [*([given.before.resolve()] if given.before else []), ROOT]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        made = given.workspace or Path(folder) / "made"
        if not made.exists():
            make_workspace(made)
        try:
            browser = stack.enter_context(chromium())
        except NoBrowser as error:
            print(error, file=sys.stderr)
            return 2
        sides = []
        for number, checkout in enumerate(checkouts):
            copy = Path(folder) / f"served-{number}"
            shutil.copytree(made, copy)
            server = stack.enter_context(started(dailies(copy), checkout))
            server.wait("/healthz")
            sides.append(Side(server.url, browser))
        with suppress(KeyboardInterrupt):
            measure(sides, given.rounds)
        print(table(head_of(sides), list(rows_of(sides))), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
