"""A small Gradio app outside of our tree, in an environment that has nothing but the components' package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from backends.chat.ports import free_port
from tests.paths import ROOT

PACKAGE = ROOT / "ui" / "gradio_parts"
START_S = 120
LOCAL = """
import functools
launch = functools.partial(
    demo.launch, theme=gr.themes.Default(font=("sans-serif",), font_mono=("monospace",)), quiet=True
)
"""
"""Gradio's usual fonts come from an outside host."""


def install(environment: Path) -> None:
    """Make an empty environment, and install the package from a copy: building leaves files behind."""
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    source = environment / "source"
    ignored = shutil.ignore_patterns("__pycache__", "build", "*.egg-info", "*.pyi")
    shutil.copytree(PACKAGE, source, ignore=ignored)
    command = [environment / "bin" / "pip", "install", "-q", source]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def served_app(environment: Path, app: str, folder: Path, *arguments: object) -> Iterator[str]:
    """The address of the app while the generator is open; an error in its log fails the test."""
    (folder / "app.py").write_text(f"{app}{LOCAL}launch()\n", encoding="utf-8")
    port, log = free_port(), folder / "app.log"
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    variables = {
        **kept,
        "GRADIO_SERVER_PORT": str(port),
        "GRADIO_TEMP_DIR": str(folder / "gradio"),
        "GRADIO_ANALYTICS_ENABLED": "False",
    }
    command = [environment / "bin" / "python", "app.py", *map(str, arguments)]
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, env=variables, stdout=out, stderr=subprocess.STDOUT)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(url, process, log)
        yield url
    finally:
        process.terminate()
        process.wait(30)
    assert "Traceback" not in log.read_text(), log.read_text()


def _wait(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_S
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10):
                return
        except OSError:
            assert process.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.2)
