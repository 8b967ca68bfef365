"""Seeded sequences of keys, typing and clicks in Chromium: does the database hold what people typed?

With slow, late and lost answers, sessions that end, and a server that is killed. After each step four
properties are checked: every row that changed is one that the page had named (I1), text that was called saved
is there letter for letter under the person shown (I2), no row or draft of another person changed or was shown
(I3), every letter typed is stored, in its owner's draft, on the screen, or was reported as not written (I4).

python -m benchmarks.monkey --seeds 60 --steps 200             # the long run
python -m benchmarks.monkey --kept seeds.jsonl                 # the same, to be ended and gone on with
python -m benchmarks.monkey --seed 7 --steps 200               # one seed again
python -m benchmarks.monkey --replay steps.json                # the steps that a violation printed
python -m benchmarks.monkey --seeds 12 --steps 200 --postgres  # on PostgreSQL
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.browsing import FLAGS, NO_CHROMIUM, chromium_program
from benchmarks.kills import sample_workspace
from benchmarks.monkey.run_seed import Outcome, run_seed
from benchmarks.monkey.served import prepare
from tests.postgres import running_server


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser."""
    from playwright.sync_api import sync_playwright

    program = chromium_program()
    assert program, NO_CHROMIUM
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


def told(outcome: Outcome) -> str:
    """A violation, with what does it again."""
    steps = "\n".join(
        f"  {n:3d} {json.dumps(step, ensure_ascii=False)}" for n, step in enumerate(outcome.steps)
    )
    kept = Path(tempfile.gettempdir()) / f"monkey-seed-{outcome.seed}.json"
    kept.write_text(json.dumps({"seed": outcome.seed, "steps": outcome.steps}, ensure_ascii=False))
    return (
        "\n".join(f"seed {outcome.seed}, {problem}" for problem in outcome.problems)
        + f"\n{steps}\nagain: python -m benchmarks.monkey --replay {kept}\nscreenshot: {outcome.picture}"
    )


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Does the database hold what people typed?")
    parser.add_argument("--seeds", type=int, default=60, help="how many (default 60)")
    parser.add_argument("--first", type=int, default=0, help="the first of them (default 0)")
    parser.add_argument("--seed", type=int, help="this one alone")
    parser.add_argument("--steps", type=int, default=200, help="of each (default 200)")
    parser.add_argument("--replay", type=Path, help="a file that a violation named")
    parser.add_argument(
        "--postgres", action="store_true", help="on a PostgreSQL server that is started for it"
    )
    parser.add_argument("--workspace", type=Path, help="prepared by an earlier run; made when not given")
    parser.add_argument(
        "--most", type=int, default=1, help="violations of a seed after which it ends (default 1)"
    )
    parser.add_argument("--stop", action="store_true", help="at the first seed with a violation")
    parser.add_argument(
        "--kept", type=Path, help="a file with a line for each seed that is done; those in it are left out"
    )
    return parser.parse_args()


def wanted(options: argparse.Namespace) -> tuple[list[int], list[Any]]:
    """The seeds, and the steps where they are given."""
    if options.replay:
        given = json.loads(options.replay.read_text())
        return [given["seed"]], given["steps"]
    if options.seed is not None:
        return [options.seed], []
    return [n for n in range(options.first, options.first + options.seeds) if n not in done(options.kept)], []


def done(kept: Path | None) -> set[int]:
    """The seeds of an earlier run that was ended."""
    lines = kept.read_text().splitlines() if kept and kept.exists() else []
    return {json.loads(line)["seed"] for line in lines}


def keep(kept: Path | None, outcome: Outcome) -> None:
    if not kept:
        return
    rate = outcome.seconds / max(1, len(outcome.steps))
    line = {"seed": outcome.seed, "steps": len(outcome.steps), "rate": rate, "problems": outcome.problems}
    with kept.open("a") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")


def say(outcome: Outcome) -> None:
    rate = outcome.seconds / max(1, len(outcome.steps))
    print(
        f"seed {outcome.seed}: {len(outcome.steps)} steps, {rate:.2f} s a step; "
        f"{outcome.typed} phrases typed, {outcome.stored} stored",
        flush=True,
    )
    if outcome.problems:
        print(told(outcome), flush=True)


def main() -> None:
    options = read_options()
    seeds, given = wanted(options)
    tried = failed = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        chromium() as browser,
        database_server(options.postgres) as server,
    ):
        filled = options.workspace or prepare(sample_workspace(Path(folder) / "workspace"))
        for seed in seeds:
            outcome = run_seed(
                browser, filled, seed, options.steps, given, postgres=server, most=options.most
            )
            say(outcome)
            keep(options.kept, outcome)
            tried, failed = tried + 1, failed + bool(outcome.problems)
            if failed and options.stop:
                break
    print(f"{tried} seeds, {failed} with a violation")
    sys.exit(bool(failed))


@contextmanager
def database_server(wanted: bool) -> Iterator[str]:
    """The URL of a PostgreSQL server, empty for SQLite."""
    if not wanted:
        yield ""
        return
    with running_server() as url:
        yield url


if __name__ == "__main__":
    main()
