"""Random kills of the server or the browser while somebody types: what is lost?

    python -m benchmarks.kills                          # 100 of each: about half an hour
    python -m benchmarks.kills --server 3 --browser 3   # a short one

A real Chromium types into a real server, both are killed with SIGKILL at random moments. After each kill:
every text that the page had shown as "Saved" is in the database, the database is sound, and once both
are back, of what was typed at most the last second is missing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from backends.chat.ports import free_port

ROOT = Path(__file__).resolve().parent.parent
FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--remote-debugging-port=0", "--window-size=1280,720",
)  # fmt: skip
ALLOWED_S = 1.0
"""What may be missing: the last second of typing."""
START_S = 120.0
SCENE = 2
FIELD = f".dl-scenecard.dl-open[data-scene='{SCENE}'] .dl-field-content textarea"
SETTLED = """(field) => {
  const area = document.querySelector(field);
  const status = area?.closest('.dl-editor').querySelector('.dl-saved').className;
  return area && !/dl-saved-(typing|saving|waiting|failed)/.test(status) ? area.value : null;
}"""
"""The text of the field when the page says that nothing of it is under way, else null."""
WATCH = """new MutationObserver((changes) => {
  for (const { target } of changes) {
    if (!target.classList?.contains('dl-saved-saved')) continue;
    const area = target.closest('.dl-field-content')?.querySelector('textarea');
    if (area) window.dlSaved(area.value);
  }
}).observe(document, { subtree: true, attributes: true, attributeFilter: ['class'] });"""
"""Tells the program outside which text stood there whenever the page said "Saved"."""
WORDS = ("boat", "stream", "paper", "red", "windmill", "turns", "slowly", "while", "rain", "falls", "harbour",
         "light", "cat", "watches", "from", "the", "wall", "and", "then", "night")  # fmt: skip


@dataclass
class Outcome:
    """One kill."""

    victim: str
    typed: int
    """Characters whose key press was over when the kill came."""
    saved: int
    """Texts of this round that the page had shown as saved before the kill."""
    lost_s: float = 0.0
    """Age of the oldest character that is missing, seconds before the kill."""
    problems: list[str] = field(default_factory=list)


# --- the two victims --------------------------------------------------------------------


class Server:
    """The app on a workspace. A process that has imported everything forks a fresh server each time."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, "-m", "benchmarks.kills", "--nursery", str(workspace), str(self.port)]
        self.nursery = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.pid = 0

    def start(self) -> None:
        assert self.nursery.stdin and self.nursery.stdout
        self.nursery.stdin.write("start\n")
        self.nursery.stdin.flush()
        self.pid = int(self.nursery.stdout.readline())
        wait_until(lambda: answers(f"{self.url}/api/me"), "the server does not start")

    def kill(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)

    def close(self) -> None:
        with suppress(ProcessLookupError):
            self.kill()
        self.nursery.kill()
        self.nursery.wait(20)


def nursery(workspace: Path, port: int) -> None:
    """Forks a server for every line it reads, and says its process id."""
    import ui.app  # imported once, for all servers

    assert ui.app
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in sys.stdin:
        child = os.fork()
        if child == 0:
            os.dup2(2, 1)
            _serve(workspace, port)
            os._exit(0)
        print(child, flush=True)


def _serve(workspace: Path, port: int) -> None:
    from annotation.pipeline.engines import EngineChoice, make_engines
    from annotation.workspace import Workspace
    from ui.server import serve_app

    space, choice = Workspace(workspace), EngineChoice(speech="none")
    serve_app(space, lambda: make_engines(choice, space), "127.0.0.1", port, None)


class Chromium:
    """A browser with a profile that outlives it."""

    def __init__(self, driver: Any, program: str, profile: Path) -> None:
        self.driver, self.program, self.profile = driver, program, profile
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> Any:
        """A new page."""
        port_file = self.profile / "DevToolsActivePort"
        port_file.unlink(missing_ok=True)
        command = [self.program, *FLAGS, f"--user-data-dir={self.profile}", "about:blank"]
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, start_new_session=True, **quiet)
        wait_until(lambda: port_file.exists() and "\n" in port_file.read_text(), "Chromium does not start")
        port = port_file.read_text().split("\n")[0]
        self.browser = self.driver.chromium.connect_over_cdp(
            f"http://127.0.0.1:{port}", timeout=START_S * 1000
        )
        page = self.browser.contexts[0].pages[0]
        page.set_default_timeout(START_S * 1000)
        return page

    def kill(self) -> None:
        assert self.process
        os.killpg(self.process.pid, signal.SIGKILL)

    def gone(self) -> None:
        assert self.process
        self.process.wait(20)

    def close(self) -> None:
        if self.process and self.process.poll() is None:
            self.kill()
            self.gone()


# --- a round ----------------------------------------------------------------------------


class Typist:
    """Types into one field and remembers when which text stood there."""

    def __init__(self, page: Any, url: str, chance: random.Random) -> None:
        self.page, self.url, self.chance = page, url, chance
        self.saved: list[str] = []
        self.stood: list[tuple[float, str]] = []
        page.expose_function("dlSaved", lambda text: self.saved.append(text))
        page.add_init_script(WATCH)

    def open(self) -> None:
        self.page.goto(self.url)
        self.page.wait_for_selector(".dl-root[data-ready]")
        self.page.wait_for_selector(FIELD)

    def settled(self, text: str | None = None) -> str:
        """The text of the field once nothing of it is under way; `text`: once it is that."""
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            value = self.page.evaluate(SETTLED, FIELD)
            if value is not None and text in (None, value):
                return str(value)
            self.page.wait_for_timeout(50)
        raise AssertionError(f"not saved in {START_S} s: {text!r}")

    def type(self, text: str, over: Callable[[], bool]) -> None:
        """Presses key after key until `over()`.

        `stood` holds (time, text so far) of the presses that came back.
        """
        self.stood = []
        self.page.locator(FIELD).focus()
        self.page.keyboard.press("Control+a")
        for count, key in enumerate(text, 1):
            if over():
                break
            self.page.keyboard.type(key)
            self.stood.append((time.monotonic(), text[:count]))
            self.page.wait_for_timeout(self.chance.uniform(10, 110))


class Trial:
    """Kills one after the other on one workspace."""

    def __init__(self, workspace: Path, driver: Any, program: str, seed: int) -> None:
        self.chance = random.Random(seed)
        self.database = workspace / "dailies.db"
        self.server = Server(workspace)
        self.chromium = Chromium(driver, program, workspace / "chromium")
        self.round = 0

    def start(self) -> None:
        self.server.start()
        self.arrive()

    def arrive(self) -> None:
        self.typist = Typist(self.chromium.start(), f"{self.server.url}/script?scene={SCENE}", self.chance)
        self.typist.open()

    def run(self, victim: str) -> Outcome:
        self.round += 1
        text = f"{self.round}: " + " ".join(self.chance.choice(WORDS) for _ in range(60))
        self.typist.saved.clear()
        died = self._type_until_dead(victim, text)
        saved, stood = list(self.typist.saved), self.typist.stood
        before = [typed for at, typed in stood if at <= died]
        outcome = Outcome(victim, len(before[-1]) if before else 0, len(saved))
        kept = self._held("SELECT value FROM correction WHERE field = 'value'")
        outcome.problems += [f"shown as saved, but lost: {s[:60]!r}" for s in saved if s not in kept]
        outcome.problems += self._unsound()
        self._check_text(outcome, self._come_back(victim), stood, died)
        return outcome

    def _type_until_dead(self, victim: str, text: str) -> float:
        """When it died. Without a server the typing goes on for a while."""
        died: list[float] = []

        def kill() -> None:
            died.append(time.monotonic())
            (self.server if victim == "server" else self.chromium).kill()

        timer = threading.Timer(self.chance.uniform(0.2, 6.0), kill)
        timer.start()
        more = self.chance.uniform(0.0, 1.5) if victim == "server" else 60.0
        try:
            self.typist.type(text, lambda: bool(died) and time.monotonic() > died[0] + more)
        except Exception:  # the driver has many errors for a browser that is gone
            if victim == "server" or not died:
                raise
        timer.join()
        return died[0]

    def _come_back(self, victim: str) -> str:
        """The text once the victim is back and nothing is under way."""
        if victim == "browser":
            self.chromium.gone()
            self.arrive()
            return self.typist.settled()
        self.server.start()
        stood = self.typist.stood
        if self.chance.random() < 0.5:
            self.typist.open()
        return self.typist.settled(stood[-1][1] if stood else None)

    def _held(self, query: str) -> set[Any]:
        with closing(sqlite3.connect(self.database, timeout=30)) as db:
            return {json.loads(row[0]) for row in db.execute(query) if row[0]}

    def _unsound(self) -> list[str]:
        with closing(sqlite3.connect(self.database, timeout=30)) as db:
            found = db.execute("PRAGMA integrity_check").fetchone()[0]
        return [] if found == "ok" else [f"integrity_check: {found}"]

    def _check_text(self, outcome: Outcome, left: str, stood: list[tuple[float, str]], died: float) -> None:
        """What is missing, and whether the database holds what the page shows."""
        missing = [at for at, typed in stood if not left.startswith(typed)]
        outcome.lost_s = max(0.0, died - min(missing)) if missing else 0.0
        if missing and outcome.victim == "server":
            outcome.problems.append("typed text is gone though the browser lived on")
        if outcome.lost_s > ALLOWED_S:
            outcome.problems.append(f"{outcome.lost_s:.2f} s of typing are lost")
        if left not in self._held("SELECT value FROM current WHERE subject_type = 'text'"):
            outcome.problems.append("the page shows as saved what the database does not hold")

    def close(self) -> None:
        self.chromium.close()
        self.server.close()


def answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=2).close()
    except OSError:
        return False
    return True


def wait_until(holds: Callable[[], bool], complaint: str) -> None:
    end = time.monotonic() + START_S
    while not holds():
        if time.monotonic() > end:
            raise AssertionError(complaint)
        time.sleep(0.02)


# --- the report -------------------------------------------------------------------------


def trial(workspace: Path, server: int, browser: int, seed: int) -> list[Outcome]:
    """So many kills of each, in random order, on a workspace with the sample."""
    from playwright.sync_api import sync_playwright

    program = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert program, "no Chromium; install it (Debian: apt install chromium) or set CHROMIUM"
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
    """One row per victim."""
    head = ("killed", "times", "typed", "shown as saved", "of these lost", "most typing lost, s", "unsound")
    rows = [head, ("---",) * len(head)]
    for victim in ("server", "browser"):
        own = [o for o in outcomes if o.victim == victim]
        lost = sum("lost:" in p for o in own for p in o.problems)
        unsound = sum("integrity" in p for o in own for p in o.problems)
        worst = max((o.lost_s for o in own), default=0.0)
        counts = (len(own), sum(o.typed for o in own), sum(o.saved for o in own), lost)
        rows.append((victim, *(str(n) for n in counts), f"{worst:.2f}", str(unsound)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def sample_workspace(folder: Path) -> Path:
    """The sample, without speech: only its texts are needed."""
    from annotation.pipeline.engines import EngineChoice, make_engines
    from annotation.workspace import Workspace
    from exports.sample import fill_sample

    space = Workspace(folder)
    fill_sample(space, make_engines(EngineChoice(speech="none"), space), lambda *_: None, threading.Event())
    space.close()
    return folder


def main() -> None:
    parser = argparse.ArgumentParser(description="What random kills lose.")
    parser.add_argument("--server", type=int, default=100, help="kills of the server (default 100)")
    parser.add_argument("--browser", type=int, default=100, help="kills of the browser (default 100)")
    parser.add_argument("--seed", type=int, default=1, help="of the moments (default 1)")
    parser.add_argument("--workspace", type=Path, help="with the sample in it; made when not given")
    parser.add_argument("--nursery", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.nursery:
        nursery(Path(options.nursery[0]), int(options.nursery[1]))
        return
    with tempfile.TemporaryDirectory() as folder:
        workspace = options.workspace or sample_workspace(Path(folder) / "workspace")
        outcomes = trial(workspace, options.server, options.browser, options.seed)
    print(table(outcomes))
    problems = [f"{o.victim}: {problem}" for o in outcomes for problem in o.problems]
    print("\n".join(problems) or "nothing that was confirmed is lost")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
