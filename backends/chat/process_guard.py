"""Prevents a server from outliving the program that started it.

    python process_guard.py PROGRAM ARGUMENT...

Starts PROGRAM in a new process group. Ends the whole group when this process receives a signal, when
standard input closes (the starter has ended for any reason), or when PROGRAM ends but leaves children.
Exits with PROGRAM's code, or with 128 plus the signal that ended it. Imports only the standard library,
so that it starts quickly and in any environment.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence

GRACE_S = 10.0
"""How long the program may take to exit before it is killed."""
_LOOK_S = 0.1


def main(command: Sequence[str]) -> int:
    """Run the command until it ends or must be ended; return the exit code."""
    over = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: over.set())
    try:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        sys.stderr.write(f"cannot start {command[0]}: {error}\n")
        return 127
    threading.Thread(target=_watch_starter, args=(over,), daemon=True).start()
    while child.poll() is None and not over.wait(_LOOK_S):
        pass
    end_group(child)
    return child.returncode if child.returncode >= 0 else 128 - child.returncode


def _watch_starter(over: threading.Event) -> None:
    while os.read(0, 1024):  # not sys.stdin, whose lock could block the exit
        pass
    over.set()


def end_group(child: subprocess.Popen[bytes]) -> None:
    """Terminate the group, then kill the rest, including children of a dead program."""
    if child.poll() is None:
        _signal(child.pid, signal.SIGTERM)
        until = time.monotonic() + GRACE_S
        while child.poll() is None and time.monotonic() < until:
            time.sleep(_LOOK_S)
    _signal(child.pid, signal.SIGKILL)
    child.wait()


def _signal(group: int, number: signal.Signals) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return  # the group is empty; macOS reports PermissionError


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
