"""Server and browser killed while two people type and cut: nothing is lost, nothing goes to the other one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.browser.conftest import ROOT


def test_kills_lose_nothing_that_was_confirmed(filled: Path, tmp_path: Path, browser) -> None:
    workspace = shutil.copytree(filled, tmp_path / "workspace")
    command = [sys.executable, "-m", "benchmarks.kills", "--server", "3", "--browser", "3", "--seed", "7"]
    done = subprocess.run(
        [*command, "--workspace", str(workspace)], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr.count('"problems": []') == 6
