"""A run that is killed again and again ends with the records of a run that was left alone."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, select

from annotation.store import tables as t
from tests.app_process import AppProcess

TIMES = {"created_at", "updated_at", "seconds", "took"}
"""Columns that say when something happened, or how long it took; everything else must be the same."""


def start(clip: Path, workspace: Path) -> AppProcess:
    return AppProcess("run", clip, "--workspace", workspace, "--speech", "none", "--ocr", "none", "--json")


def finish(clip: Path, workspace: Path) -> Any:
    process = start(clip, workspace)
    out, err = process.communicate(timeout=280)
    assert process.returncode == 0, err
    return json.loads(out)


def contents(workspace: Path) -> dict[str, list[tuple[Any, ...]]]:
    """As `rows_of`, of the workspace's own database."""
    return rows_of(f"sqlite:///{workspace}/dailies.db")


def rows_of(url: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table, without times."""
    engine = create_engine(url)
    with engine.connect() as conn:
        return {
            table.name: sorted(
                tuple(json.dumps(v, sort_keys=True) for n, v in row.items() if n not in TIMES)
                for row in conn.execute(select(table)).mappings()
            )
            for table in t.metadata.tables.values()
            if table not in (t.person, t.workspace, t.video_change)  # the last one counts writes
        }


@pytest.mark.parametrize("times", [2, pytest.param(10, marks=pytest.mark.long)])
def test_killed_again_and_again_it_ends_with_the_same_records(clip: Path, tmp_path: Path, times: int) -> None:
    began = time.monotonic()
    alone = finish(clip, tmp_path / "alone")
    length = time.monotonic() - began
    moments = random.Random(7)
    killed = tmp_path / "killed"
    kills = 0
    for _ in range(times):
        process, began = start(clip, killed), time.monotonic()
        try:
            process.wait(moments.uniform(0.35, 0.95) * length)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate()
        if not kills:  # the machine was busier before: anew, with the time that a run takes now
            length = time.monotonic() - began
            shutil.rmtree(killed)
    assert kills, "every run ended before it could be killed"
    assert finish(clip, killed) == alone
    assert contents(killed) == contents(tmp_path / "alone")
