"""One seed from its first step to its last, and what was found."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.monkey.acts import Step
from benchmarks.monkey.database import Database
from benchmarks.monkey.page import Page
from benchmarks.monkey.served import App, copy_of, database_of
from benchmarks.monkey.session import Session
from benchmarks.monkey.tokens import Violation
from ui.auth.current_person import COOKIE

LATE_MS = (0, 15, 60, 150)
"""By seed: how late requests leave, and replies come, at least."""


@dataclass
class Outcome:
    """How a seed went."""

    seed: int
    steps: list[Step] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What was violated, each with the number of the step."""
    picture: str = ""
    seconds: float = 0.0
    typed: int = 0
    """Phrases that were followed."""
    stored: int = 0
    """Those of them that came into the database."""


def run_seed(
    browser: Any,
    filled: Path,
    seed: int,
    steps: int,
    given: Sequence[Step] = (),
    *,
    postgres: str = "",
    most: int = 1,
) -> Outcome:
    """Goes on until so many violations (`most`) were found. `given`: these steps instead of chosen ones."""
    outcome = Outcome(seed)
    began = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix=f"monkey-{seed}-"))
    with ExitStack() as stack:
        workspace = copy_of(filled, folder)
        url = stack.enter_context(database_of(workspace, postgres))
        passwords = seed % 3 == 2
        app = App(workspace, url, passwords=passwords)
        stack.callback(app.close)
        app.start()
        database = Database(url)
        stack.callback(database.close)
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        stack.callback(context.close)
        page = Page(context, app.url, LATE_MS[seed % len(LATE_MS)])
        if not passwords:
            context.add_cookies([{"name": COOKIE, "value": database.person("ana"), "url": app.url}])
        session = Session(seed, page, app, database, passwords=passwords)
        stack.callback(_count, session, outcome)
        outcome.picture = str(Path(tempfile.gettempdir()) / f"monkey-seed-{seed}.png")
        _walk(session, outcome, steps, given, most)
    outcome.seconds = time.monotonic() - began
    shutil.rmtree(folder, ignore_errors=True)
    return outcome


def _count(session: Session, outcome: Outcome) -> None:
    followed = [token for token in session.rules.tokens.values() if token.named]
    outcome.typed, outcome.stored = len(followed), sum(token.state == "stored" for token in followed)


def _walk(session: Session, outcome: Outcome, steps: int, given: Sequence[Step], most: int) -> None:
    for n in range((len(given) or steps) + 1):
        try:
            if n == (len(given) or steps):
                session.finish()
                return
            step = given[n] if given else session.next_step(n)
            outcome.steps.append(step)
            session.do(n, step)
        except Violation as violation:
            session.page.picture(Path(outcome.picture))
            outcome.problems.append(f"step {n}: {violation}")
            if len(outcome.problems) == most:
                return
            session.begin_anew()
