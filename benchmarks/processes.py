"""Memory and processor time of a process with all its children, from Linux's /proc."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """The process and its descendants that are alive."""
    found = [pid]
    for one in found:
        for file in Path(f"/proc/{one}/task").glob("*/children"):
            found += [int(child) for child in _text(file).split()]
    return found


def memory_mb(pids: Sequence[int]) -> float:
    """What they hold together; memory that several share counts once (proportional set size)."""
    return sum(_pss_kb(pid) for pid in pids) / 1024


def _pss_kb(pid: int) -> int:
    for line in _text(Path(f"/proc/{pid}/smaps_rollup")).splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1])
    return 0


def cpu_s(pids: Sequence[int]) -> float:
    """Processor time so far, of those alive and of their children that have ended."""
    total = 0
    for pid in pids:
        fields = _text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
        total += sum(map(int, fields[11:15])) if len(fields) > 15 else 0
    return total / _TICK


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:  # it has just ended
        return ""
