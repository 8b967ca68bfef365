"""Random kills of the server or the browser while two people type and cut: what is lost, and whose is it?

    python -m benchmarks.kills                          # 100 of each: about half an hour
    python -m benchmarks.kills --server 12 --browser 11 # a short one

A real Chromium types into a real server: into a text that is there, into one that nobody has written yet, and
splits, moves and merges scenes by keys. Both are killed with SIGKILL at random moments. Lost is what was
typed and is neither in the database nor in the draft. After each kill (SQLite is asked for its
`integrity_check`): everything that the page had shown as saved is in the database, which is sound; once both
are back, of what was typed at most the last second is missing; and nothing of it was shown to the other
person at the same browser, or stored under their name.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.browsing import NO_CHROMIUM, chromium_program
from benchmarks.kill_victims import START_S, Chromium, Server

ALLOWED_S = 1.0
"""What may be missing: the last second of typing."""
LOOK_S = 2.0
"""So long the other person looks at the page, after a browser was killed."""
SCENE, CUT_FROM = 2, 8
"""The scene whose content is typed over; from the other one on scenes are cut."""
KINDS = ("camera", "short", "background", "main_object", "detailed")
CUTTING = ("ArrowRight", "s", "Alt+.", "Alt+.", "Alt+,", "m")
PEOPLE = ("ana", "bo")
SETTLED = """(field) => {
  const area = document.querySelector(field);
  const status = area?.closest('.dl-editor').querySelector('.dl-saved').className;
  return area && !/dl-saved-(typing|saving|waiting|failed)/.test(status) ? area.value : null;
}"""
"""The text of the field when the page says that nothing of it is under way, else null."""
SHOWS = """(field) => {
  const editor = document.querySelector(field)?.closest('.dl-editor');
  return editor ? [editor.querySelector('.dl-saved').className, editor.innerText] : document.body.innerText;
}"""
"""What the page shows of the field, or everything where there is no such field."""
WATCH = """new MutationObserver((changes) => {
  for (const { target, type } of changes) {
    if (type === 'childList') {
      if (target.classList?.contains('dl-cutsaid') && target.textContent) window.dlCut(target.textContent);
    } else if (target.classList?.contains('dl-saved-saved')) {
      const area = target.closest('.dl-editor')?.querySelector('textarea');
      if (area) window.dlSaved(area.value);
    }
  }
}).observe(document, { subtree: true, attributes: true, attributeFilter: ['class'], childList: true });"""
"""Tells the program outside which text stood there when the page said "Saved", and each cut that it named."""
SHOWN = "[...document.querySelectorAll('textarea')].map((area) => area.value)"
WORDS = (
    "boat",
    "stream",
    "paper",
    "red",
    "windmill",
    "turns",
    "slowly",
    "while",
    "rain",
    "falls",
    "harbour",
    "light",
    "cat",
    "watches",
    "from",
    "the",
    "wall",
    "and",
    "then",
    "night",
)


@dataclass
class Outcome:
    """One kill."""

    victim: str
    doing: str
    """`text`: typed over one that is there. `new`: wrote one. `cut`: split, moved and merged scenes."""
    person: str
    typed: int = 0
    """Characters, or keys, whose press was over when the kill came."""
    saved: int = 0
    """Texts, or cuts, of this round that the page had shown as saved before the kill."""
    lost_s: float = 0.0
    """Age of the oldest character that is missing, seconds before the kill."""
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Task:
    """What a round does."""

    doing: str
    person: str
    address: str
    field: str = ""
    """Selector of the text field."""


class Typist:
    """Presses keys in one page, and remembers what the page confirmed and when which text stood there."""

    def __init__(self, page: Any, chance: random.Random) -> None:
        self.page, self.chance = page, chance
        self.saved: list[str] = []
        self.cuts: list[str] = []
        self.stood: list[tuple[float, str]] = []
        page.expose_function("dlSaved", lambda text: self.saved.append(text))
        page.expose_function("dlCut", lambda said: self.cuts.append(said))
        page.add_init_script(WATCH)

    def open(self, url: str, person_id: str, field: str) -> None:
        self.page.goto("about:blank")
        cookie = {"name": "dailies_person", "value": person_id, "url": url}
        self.page.context.add_cookies([cookie])
        self.page.goto(url)
        self.page.wait_for_selector(".dl-root[data-ready]")
        self.page.wait_for_selector(field or ".dl-shown.dl-is-confirmed")

    def settled(self, field: str, text: str | None = None) -> str:
        """The text of the field once nothing of it is under way; `text`: once it is that."""
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            value = self.page.evaluate(SETTLED, field)
            if value is not None and text in (None, value):
                return str(value)
            self.page.wait_for_timeout(50)
        shown = self.page.evaluate(SHOWS, field)
        raise AssertionError(f"not settled in {START_S} s: waited for {text!r}; the page shows {shown!r}")

    def type(self, field: str, text: str, over: Callable[[], bool]) -> None:
        """Presses key after key until `over()`. `stood`: (time, text so far) of presses that came back."""
        self.stood = []
        self.page.locator(field).focus()
        self.page.keyboard.press("Control+a")
        for count, key in enumerate(text, 1):
            if over():
                break
            self.page.keyboard.type(key)
            self.stood.append((time.monotonic(), text[:count]))
            self.page.wait_for_timeout(self.chance.uniform(10, 110))

    def cut(self, over: Callable[[], bool]) -> None:
        """Splits, moves and merges until `over()`. `stood`: as of `type`, with the keys as the text."""
        self.stood, keys = [], ""
        while not over():
            for key in CUTTING:
                self.page.keyboard.press(key)
                keys += key[-1]
                self.stood.append((time.monotonic(), keys))
                self.page.wait_for_timeout(self.chance.uniform(100, 500))


class Trial:
    """Kills one after the other on one workspace, by two people at one browser."""

    def __init__(self, workspace: Path, driver: Any, program: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.database = workspace / "dailies.db"
        self.people, self.video = prepared(workspace)
        self.server = Server(workspace)
        self.chromium = Chromium(driver, program, workspace / "chromium")
        self.round = 0
        self.cuts: Counter[str] = Counter()

    def start(self) -> None:
        self.server.start()
        self.typist = Typist(self.chromium.start(), self.chance)

    def task(self) -> Task:
        """The next thing to do: the three in turn, by both people."""
        doing, turn = ("text", "new", "cut")[self.round % 3], self.round // 3
        person = PEOPLE[turn % 2]
        if doing == "text":
            at = f".dl-scenecard.dl-open[data-scene='{SCENE}'] .dl-field-content textarea"
            return Task(doing, person, f"scene={SCENE}", at)
        if doing == "new":
            kind = KINDS[turn // 2 % len(KINDS)]
            return Task(doing, person, f"tab={kind}", f"[data-key='own:{self.video}:vdc:{kind}:'] textarea")
        return Task(doing, person, f"scene={CUT_FROM}")

    def open(self, task: Task, person: str = "") -> None:
        url = f"{self.server.url}/script?video={self.video}&{task.address}"
        own = task.field if not person or task.doing == "text" else ""
        self.typist.open(url, self.people[person or task.person], own)

    def run(self, victim: str) -> Outcome:
        task = self.task()
        self.round += 1
        text = f"{self.round}: " + " ".join(self.chance.choice(WORDS) for _ in range(60))
        self.open(task)
        self.typist.saved.clear()
        self.typist.cuts.clear()
        died = self._busy_until_dead(victim, task, text)
        saved, cuts, stood = list(self.typist.saved), list(self.typist.cuts), self.typist.stood
        before = [typed for at, typed in stood if at <= died]
        typed = len(before[-1]) if before else 0
        outcome = Outcome(victim, task.doing, task.person, typed, len(saved) + len(cuts))
        kept = self._values("SELECT value FROM correction WHERE field = 'value'")
        outcome.problems += [f"shown as saved, but lost: {s[:60]!r}" for s in saved if s not in kept]
        outcome.problems += self._lost_cuts(cuts) + self._unsound()
        left = self._come_back(victim, task, outcome)
        if task.field:
            self._check_text(outcome, left, stood, died)
        outcome.problems += self._foreign()
        return outcome

    def _busy_until_dead(self, victim: str, task: Task, text: str) -> float:
        """When it died. Without a server the work goes on for a while."""
        died: list[float] = []

        def kill() -> None:
            died.append(time.monotonic())
            (self.server if victim == "server" else self.chromium).kill()

        timer = threading.Timer(self.chance.uniform(0.2, 6.0), kill)
        timer.start()
        more = self.chance.uniform(0.0, 1.5) if victim == "server" else 60.0

        def over() -> bool:
            return bool(died) and time.monotonic() > died[0] + more

        try:
            if task.field:
                self.typist.type(task.field, text, over)
            else:
                self.typist.cut(over)
        except Exception:  # the driver has many errors for a browser that is gone
            if victim == "server" or not died:
                raise
        timer.join()
        return died[0]

    def _come_back(self, victim: str, task: Task, outcome: Outcome) -> str:
        """The text once the victim is back and nothing is under way."""
        if victim == "browser":
            self.chromium.gone()
            self.typist = Typist(self.chromium.start(), self.chance)
            self._look_as_other(task, outcome)
            self.open(task)
            return self.typist.settled(task.field) if task.field else ""
        stood = self.typist.stood
        self.server.start()
        if not task.field or self.chance.random() < 0.5:
            self.open(task)
        return self.typist.settled(task.field, stood[-1][1] if stood else None) if task.field else ""

    def _look_as_other(self, task: Task, outcome: Outcome) -> None:
        """The other person comes first: what was not saved is not for their eyes."""
        other = next(name for name in PEOPLE if name != task.person)
        self.open(task, other)
        self.typist.page.wait_for_timeout(LOOK_S * 1000)
        stored = self._values("SELECT value FROM current WHERE subject_type = 'text'")
        shown = [t for t in self.typist.page.evaluate(SHOWN) if t.startswith(f"{self.round}: ")]
        outcome.problems += [f"a draft shown to {other}: {t[:60]!r}" for t in shown if t not in stored]

    # --- what the database says ------------------------------------------------------------

    def _rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.database, timeout=30)) as db:
            return db.execute(query, values).fetchall()

    def _values(self, query: str) -> set[Any]:
        return {json.loads(row[0]) for row in self._rows(query) if row[0]}

    def _lost_cuts(self, said: list[str]) -> list[str]:
        """Cuts that the page spoke of, and no version of the scenes holds."""
        self.cuts.update(said)
        kept = Counter(row[0] for row in self._rows("SELECT note FROM scene_list"))
        return [f"shown as done, but lost: {what}" for what in set(said) if kept[what] < self.cuts[what]]

    def _unsound(self) -> list[str]:
        found = self._rows("PRAGMA integrity_check")[0][0]
        return [] if found == "ok" else [f"integrity_check: {found}"]

    def _foreign(self) -> list[str]:
        """Words of a round under the name of who did not type them."""
        person = self.people[next(name for name in PEOPLE if name != PEOPLE[(self.round - 1) // 3 % 2])]
        like = f'"{self.round}: %'
        found = self._rows("SELECT value FROM correction WHERE person_id = ? AND value LIKE ?", person, like)
        return [f"stored under another name: {row[0][:60]}" for row in found]

    def _check_text(self, outcome: Outcome, left: str, stood: list[tuple[float, str]], died: float) -> None:
        """What is missing, and whether the database holds what the page shows."""
        missing = [at for at, typed in stood if not left.startswith(typed)]
        outcome.lost_s = max(0.0, died - min(missing)) if missing else 0.0
        if missing and outcome.victim == "server":
            outcome.problems.append("typed text is gone though the browser lived on")
        if outcome.lost_s > ALLOWED_S:
            outcome.problems.append(f"{outcome.lost_s:.2f} s of typing are lost")
        if left and left not in self._values("SELECT value FROM current WHERE subject_type = 'text'"):
            outcome.problems.append("the page shows as saved what the database does not hold")

    def close(self) -> None:
        self.chromium.close()
        self.server.close()


def prepared(workspace: Path) -> tuple[dict[str, str], str]:
    """Ids of the two people and of the video that they work on."""
    from annotation.records.videos import Video
    from annotation.workspace.workspace import Workspace

    space = Workspace(workspace)
    try:
        space.owner()
        people = {name: space.add_person(name, "researcher").id for name in PEOPLE}
        return people, next(video.id for video in space.store.find(Video) if video.facts)
    finally:
        space.close()


# --- the report -------------------------------------------------------------------------


def trial(workspace: Path, server: int, browser: int, seed: int) -> list[Outcome]:
    """So many kills of each, in random order, on a workspace with the sample."""
    from playwright.sync_api import sync_playwright

    program = chromium_program()
    assert program, NO_CHROMIUM
    victims = ["server"] * server + ["browser"] * browser
    random.Random(seed).shuffle(victims)
    outcomes = []
    with sync_playwright() as driver:
        running = Trial(workspace, driver, program, seed)
        try:
            running.start()
            for victim in victims:
                outcomes.append(running.run(victim))
                print(json.dumps(asdict(outcomes[-1])), file=sys.stderr, flush=True)
        finally:
            running.close()
    return outcomes


def table(outcomes: list[Outcome]) -> str:
    """One row per victim and kind of work."""
    head = (
        "killed",
        "while",
        "times",
        "keys",
        "shown as saved",
        "of these lost",
        "most typing lost, s",
        "other person's",
        "unsound",
    )
    rows = [head, ("---",) * len(head)]
    for victim in ("server", "browser"):
        for doing in ("text", "new", "cut"):
            own = [o for o in outcomes if (o.victim, o.doing) == (victim, doing)]
            lost, foreign, unsound = (_counted(own, *words) for words in PROBLEMS)
            worst = max((o.lost_s for o in own), default=0.0)
            numbers = (len(own), sum(o.typed for o in own), sum(o.saved for o in own), lost)
            rows.append((victim, doing, *map(str, numbers), f"{worst:.2f}", str(foreign), str(unsound)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


PROBLEMS = (("lost:",), ("shown to", "another name"), ("integrity",))
"""Words of the problems that have a column: lost, another person's, unsound."""


def _counted(outcomes: list[Outcome], *words: str) -> int:
    return sum(any(word in problem for word in words) for o in outcomes for problem in o.problems)


def sample_workspace(folder: Path) -> Path:
    """The sample, without speech: only its texts are needed."""
    from annotation.pipeline.engines import EngineChoice, make_engines
    from annotation.workspace.workspace import Workspace
    from exports.sample import fill_sample

    space = Workspace(folder)
    engines = make_engines(EngineChoice(speech="none", ocr="none"), space)
    fill_sample(space, engines, lambda *_: None, threading.Event())
    space.close()
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description="What random kills lose.")
    parser.add_argument("--server", type=int, default=100, help="kills of the server (default 100)")
    parser.add_argument("--browser", type=int, default=100, help="kills of the browser (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default 1)")
    parser.add_argument("--workspace", type=Path, help="with the sample in it; made when not given")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = options.workspace or sample_workspace(Path(folder) / "workspace")
        outcomes = trial(workspace, options.server, options.browser, options.seed)
    print(table(outcomes))
    problems = [f"{o.victim}, {o.doing}: {problem}" for o in outcomes for problem in o.problems]
    print("\n".join(problems) or "nothing that was confirmed is lost, and nothing went to another person")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
