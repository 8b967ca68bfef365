"""A copy of the product, to which a test adds something as a contributor would, and what that takes."""

from __future__ import annotations

import filecmp
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

from tests.paths import ROOT

COPIED = ("annotation", "backends", "exports", "ui", "docs", "sample")
GENERATED = ("ui/lib/wire.d.ts", "docs/keys.md", "docs/formats.md", "docs/schema.md", "docs/api.md")
"""Written by `make wire` and `make docs`."""


class CopiedTree:
    """The product in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        left_out = shutil.ignore_patterns("__pycache__", "screenshots")
        for name in COPIED:
            shutil.copytree(ROOT / name, folder / name, ignore=left_out)
        shutil.copy(ROOT / "app.py", folder)

    def write(self, path: str, text: str) -> None:
        """Adds a file, without the indentation that all its lines share; its folder is made."""
        file = self.folder / path
        assert not file.exists(), f"{path} is in the product already"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")

    def insert(self, path: str, after: str, line: str) -> None:
        """Puts a line behind the last one that begins with `after`."""
        file = self.folder / path
        lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
        at = max(number for number, text in enumerate(lines) if text.startswith(after))
        lines.insert(at + 1, f"{line}\n")
        file.write_text("".join(lines), encoding="utf-8")

    def edited(self) -> list[str]:
        """Files of the product that are not as they were, without generated ones."""
        here = {p: self.folder / p for p in self._files() if (ROOT / p).exists()}
        changed = (p for p, file in here.items() if not filecmp.cmp(file, ROOT / p, shallow=False))
        return sorted(set(changed) - set(GENERATED))

    def added(self) -> list[str]:
        return sorted(p for p in self._files() if not (ROOT / p).exists())

    def _files(self) -> list[str]:
        found = (file for file in self.folder.rglob("*") if file.is_file() and file.suffix != ".pyc")
        return [file.relative_to(self.folder).as_posix() for file in found]

    def python(self, code: str) -> str:
        """What a program prints there."""
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=self.folder, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr
        return done.stdout
