"""A short run of the monkey: what people type is what is stored, under their name, and nothing else."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.monkey.served import prepare
from tests.browser.conftest import ROOT

SEEDS = ["--first", "4", "--seeds", "2", "--steps", "60"]
"""One where people are chosen in the menu, one where they log in."""


def test_the_monkey_finds_no_violation(filled: Path, tmp_path: Path, browser) -> None:
    workspace = prepare(Path(shutil.copytree(filled, tmp_path / "workspace")))
    command = [sys.executable, "-m", "benchmarks.monkey", *SEEDS, "--workspace", str(workspace)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("2 seeds, 0 with a violation\n")
