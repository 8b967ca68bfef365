"""A copy of the program to add things to, as docs/development.md tells: which files that takes is counted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any

from backends.chat.ports import free_port
from tests.app_process import wait_for_server
from tests.paths import ROOT

FOLDERS = ("annotation", "backends", "exports", "ui", "docs", "sample")
LEFT_OUT = {"__pycache__", "screenshots"}


class ProgramCopy:
    """`python app.py` of the copy runs with the packages of this process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        shutil.copy(ROOT / "app.py", folder)
        for name in FOLDERS:
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns(*LEFT_OUT))

    def add(self, path: str, text: str) -> None:
        """Add a file, and its folder, without the indentation that all lines share."""
        file = self.folder / path
        assert not file.exists(), path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")

    def insert(self, path: str, before: str, line: str) -> None:
        """A line of an existing file."""
        text = (self.folder / path).read_text(encoding="utf-8")
        assert text.count(before) == 1, (path, before)
        (self.folder / path).write_text(text.replace(before, f"{line}\n{before}"), encoding="utf-8")

    def edited(self) -> list[str]:
        """The files of the program that differ from those here; none may be missing."""
        files = [ROOT / "app.py", *(file for name in FOLDERS for file in (ROOT / name).rglob("*"))]
        paths = [f.relative_to(ROOT) for f in files if f.is_file() and not LEFT_OUT & set(f.parts)]
        differ = [p for p in paths if (ROOT / p).read_bytes() != (self.folder / p).read_bytes()]
        return [path.as_posix() for path in differ]

    def added(self) -> list[str]:
        """The files of the copy that are not here."""
        files = (file for name in FOLDERS for file in (self.folder / name).rglob("*"))
        paths = (f.relative_to(self.folder) for f in files if f.is_file() and "__pycache__" not in f.parts)
        return sorted(path.as_posix() for path in paths if not (ROOT / path).exists())

    def python(self, code: str) -> str:
        """What a program prints there."""
        return self._printed("-c", code)

    def app(self, *arguments: object) -> str:
        """What a command prints; it has to end with 0."""
        return self._printed("app.py", *map(str, arguments))

    def _printed(self, *arguments: str) -> str:
        words = [sys.executable, *arguments]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @contextmanager
    def served(self, *arguments: object) -> Iterator[str]:
        """The URL of the copy's server."""
        port, log = free_port(), self.folder / "server.log"
        words = [sys.executable, "app.py", "serve", "--port", str(port), *map(str, arguments)]
        with (
            log.open("w") as out,
            subprocess.Popen(words, cwd=self.folder, stdout=out, stderr=subprocess.STDOUT) as server,
        ):
            try:
                url = f"http://127.0.0.1:{port}"
                wait_for_server(url, lambda: server.poll() is None, log)
                yield url
            finally:
                server.terminate()
        assert "Traceback" not in log.read_text(), log.read_text()


def fetched(url: str, body: object = None) -> Any:
    """The JSON that a GET, or a POST of `body`, gives."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as reply:
        return json.load(reply)
