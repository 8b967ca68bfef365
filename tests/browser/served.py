"""`python app.py ...` in processes that are copies of one that has imported everything already.

The app is started for every test, and most of a start is reading its modules and those of its libraries: 4 of
6 seconds of a processor. What is run is the same `main` with the same arguments.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.context import ForkServerProcess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READ_BEFORE = ["app", "uvicorn", "ui.server", "ui.app", "annotation.pipeline.engines"]


def start(arguments: Sequence[str], log: Path, environment: Mapping[str, str]) -> ForkServerProcess:
    """The app with these arguments in a process of its own, which writes to `log`."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(READ_BEFORE)
    process = context.Process(target=_run, args=(list(arguments), str(log), dict(environment)))
    process.start()
    return process


def _run(arguments: list[str], log: str, environment: dict[str, str]) -> None:
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(out, stream.fileno())
        stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["app.py", *arguments]
    import app

    sys.exit(app.main())
