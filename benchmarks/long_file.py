"""A long 1080p film through `scenes` and `run`: memory, cost, and what is lost when it is killed.

    python -m benchmarks.long_file --cache FOLDER [--minutes 120] [--alone]

Makes the film in the cache folder (about a gigabyte for two hours), runs the real command line in processes
of their own, kills it in the middle of stages (SIGKILL) and starts it again, and prints Markdown
tables. `--alone` runs it once more without a kill and compares every record.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, select
from sqlalchemy.exc import SQLAlchemyError

from annotation.store import tables as t
from benchmarks.long_film import long_film
from benchmarks.processes import cpu_s, memory_mb, tree

ROOT = Path(__file__).resolve().parent.parent
KILLS = (
    ("scenes", 0.35),
    ("scenes", 0.7),
    ("speech", 0.4),
    ("speech", 0.75),
    ("measurements", 0.5),
    ("script", 0.5),
)
"""Where the run is killed: stage, and the part of it that was done."""
TIMES = {"created_at", "updated_at", "seconds"}
"""Columns that say when something happened; everything else must be the same."""


@dataclass(slots=True)
class Cost:
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    """Most memory of all its processes together, sampled twice a second."""


@dataclass(slots=True)
class Watched:
    """What was seen of a command while it ran."""

    stages: dict[str, Cost] = field(default_factory=dict)
    kills: list[tuple[str, float, float]] = field(default_factory=list)
    """Stage, part of it that was done, and part that the next run began with."""
    out: str = ""

    def add(self, stage: str, wall: float, cpu: float, mb: float) -> None:
        cost = self.stages.setdefault(stage, Cost())
        cost.wall_s += wall
        cost.cpu_s += max(0.0, cpu)
        cost.peak_mb = max(cost.peak_mb, mb)


def progress(workspace: Path, since: float) -> tuple[str, float]:
    """The stage that was heard of last, `since` then (epoch), and the part of it that is done."""
    if not (workspace / "dailies.db").exists():
        return "start", 0.0
    engine = create_engine(f"sqlite:///{workspace}/dailies.db")
    try:
        with engine.connect() as conn:
            table = t.metadata.tables["run_video"]
            row = conn.execute(select(table).order_by(table.c.updated_at.desc()).limit(1)).mappings().first()
    except SQLAlchemyError:  # the schema may be on its way
        row = None
    engine.dispose()
    if row is None or row["updated_at"] < since:
        return "start", 0.0
    if row["state"] == "done":
        return f"after {row['stage']}", 0.0
    return str(row["stage"]), row["done"] / max(1, row["total"])


def watch(
    command: Sequence[str],
    seen: Watched,
    where: Callable[[float], tuple[str, float]],
    kill: tuple[str, float] | None = None,
) -> bool:
    """Run it to its end, or until `kill`; whether it ended by itself."""
    log = Path(str(command[-1])).with_suffix(".log")
    said = log.with_suffix(".out")  # a pipe that nobody reads would hold the process up once it is full
    with log.open("ab") as err, said.open("wb") as out:
        process = subprocess.Popen(command[:-1], cwd=ROOT, stdout=out, stderr=err)
    began, last, last_cpu = time.time(), time.monotonic(), 0.0
    first: dict[str, float] = {}
    while process.poll() is None:
        time.sleep(0.5)
        pids = tree(process.pid)
        stage, part = where(began)
        now, cpu = time.monotonic(), cpu_s(pids)
        seen.add(stage, now - last, cpu - last_cpu, memory_mb(pids))
        last, last_cpu = now, max(cpu, last_cpu)
        if seen.kills and seen.kills[-1][0] == stage and seen.kills[-1][2] < 0 and stage not in first:
            first[stage] = part
            seen.kills[-1] = (*seen.kills[-1][:2], part)
        if kill and stage == kill[0] and part >= kill[1]:
            seen.kills.append((stage, part, -1.0))
            process.send_signal(signal.SIGKILL)
            process.wait()
            return False
    seen.out = said.read_text(encoding="utf-8")
    if process.returncode:
        raise SystemExit(f"{' '.join(command[:-1])} ended with {process.returncode}; see {log}")
    return True


def run_all(film: Path, workspace: Path, kills: Sequence[tuple[str, float]]) -> Watched:
    """`run` with every stage, killed at `kills`. A workspace that is there already is gone on with."""
    command = [sys.executable, "app.py", "run", str(film), "--workspace", str(workspace), "--json"]
    seen = Watched()
    waiting = list(kills)
    # A place that the run passes between two looks is left out.
    while not watch(
        [*command, str(workspace)],
        seen,
        lambda since: progress(workspace, since),
        waiting[0] if waiting else None,
    ):
        say(f"killed: {seen.kills[-1]}")
        waiting.pop(0)
    return seen


def run_scenes(film: Path, folder: Path) -> Watched:
    """`scenes`, killed once in the middle of the film."""
    command = [sys.executable, "app.py", "scenes", str(film), "--json"]
    seen = Watched()
    watch([*command, str(folder / "scenes")], seen, lambda _: ("scenes", 0.0))
    return seen


def contents(workspace: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, without times."""
    engine = create_engine(f"sqlite:///{workspace}/dailies.db")
    with engine.connect() as conn:
        return {
            table.name: sorted(
                tuple(json.dumps(v, sort_keys=True) for n, v in row.items() if n not in TIMES)
                for row in conn.execute(select(table)).mappings()
            )
            for table in t.metadata.tables.values()
            if table is not t.person
        }


def costs(seen: Watched, minutes: float) -> str:
    """Markdown."""
    stages: dict[str, Cost] = {}
    for name, cost in seen.stages.items():
        for into in ("between" if name.startswith("after") else name, "all"):
            one = stages.setdefault(into, Cost())
            one.wall_s += cost.wall_s
            one.cpu_s += cost.cpu_s
            one.peak_mb = max(one.peak_mb, cost.peak_mb)
    rows = ["| stage | wall s | processor s | per hour of film | most memory, MB |", "|---|---|---|---|---|"]
    stages["all"] = stages.pop("all")
    for name, cost in stages.items():
        an_hour = cost.cpu_s * 60 / minutes
        rows.append(f"| {name} | {cost.wall_s:.0f} | {cost.cpu_s:.0f} | {an_hour:.0f} | {cost.peak_mb:.0f} |")
    return "\n".join(rows)


def killed(seen: Watched) -> str:
    """Markdown."""
    rows = ["| killed in | when this was done | the next run began at |", "|---|---|---|"]
    rows += [f"| {stage} | {part:.1%} | {back:.1%} |" for stage, part, back in seen.kills]
    return "\n".join(rows)


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--alone", action="store_true", help="also without a kill, and compare all records")
    parser.add_argument("--scenes", action="store_true", help="only the command `scenes`")
    chosen = parser.parse_args()
    film = long_film(chosen.cache, chosen.minutes)
    say(f"{film.name}: {film.stat().st_size / 1e6:.0f} MB")
    if chosen.scenes:
        say(costs(run_scenes(film, chosen.cache), chosen.minutes))
        return
    seen = run_all(film, chosen.cache / f"workspace-{chosen.minutes:g}", KILLS)
    say(costs(seen, chosen.minutes))
    say(killed(seen))
    say(seen.out)
    if chosen.alone:
        alone = run_all(film, chosen.cache / f"alone-{chosen.minutes:g}", ())
        say(costs(alone, chosen.minutes))
        same = contents(chosen.cache / f"alone-{chosen.minutes:g}") == contents(
            chosen.cache / f"workspace-{chosen.minutes:g}"
        )
        say(f"every record the same as without a kill: {'yes' if same else 'NO'}")


if __name__ == "__main__":
    main()
