"""Work that several processes begin at the same moment.

They are forked from a process that has read the modules and does nothing else: a copy of this one could wait
for ever for a lock that a thread of a library held in the moment of the fork.
"""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import Any

from annotation.workspace.workspace import Workspace

MODULES = [
    "exports.catalogue.format_registry",
    "annotation.pipeline.stage_runner",
    "annotation.pipeline.engines",
]
LONGEST_S = 120.0
"""A slow machine needs much of it."""
_gates: list[Barrier] = []


def together(count: int, work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """What `work(number, *arguments)` gave in each process, by its number; raises what it raised.

    `work` is a function of a module, or a `partial` of one. It calls `meet` where the others are waited for.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(MODULES)
    gate = context.Barrier(count, timeout=LONGEST_S)
    with context.Pool(count, _enter, (gate,)) as pool:  # its end kills those that are at work still
        each = [(number, *arguments) for number in range(count)]
        return pool.starmap_async(work, each, chunksize=1).get(2 * LONGEST_S)


def _enter(gate: Barrier) -> None:
    _gates.append(gate)


def meet() -> None:
    """Wait, in `work`, until all processes are here."""
    _gates[0].wait()


# --- on one workspace ----------------------------------------------------------------------

PROCESSES, ROUNDS = 4, 6
Act = Callable[[Workspace, int, int], Any]
"""What a process does: its workspace, the round, its number."""


def at_once(space: Workspace, act: Act, rounds: int = ROUNDS) -> list[list[Any]]:
    """Per round, what each of some processes gave, or the words of its error."""
    found = together(PROCESSES, _rounds, space.path, space.store.url, act, rounds)
    return [list(round_) for round_ in zip(*found, strict=True)]


def _rounds(number: int, folder: Path, url: str, act: Act, rounds: int) -> list[Any]:
    own = Workspace(folder, url)
    given = []
    for turn in range(rounds):
        meet()
        try:
            given.append(act(own, turn, number))
        except Exception as error:  # noqa: BLE001 - which one it is, is what the test asks
            given.append(f"{type(error).__name__}: {error}")
    own.close()
    return given
