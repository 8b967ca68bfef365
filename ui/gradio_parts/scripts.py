"""The scripts and styles of the components. Gradio runs a script as the body of a function."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
IMPORT = re.compile(r"^import [^;]*;\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)


def script(*names: str) -> str:
    """The modules in this order as one script: a function's body cannot import."""
    modules = (EXPORT.sub("", IMPORT.sub("", style(name))) for name in names)
    return "\n".join(modules)


def style(name: str) -> str:
    """The text of a file of this package."""
    return (HERE / name).read_text(encoding="utf-8")
