"""What the components share: their scripts and styles, and messages to a script beside its value."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

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


def message(name: str, content: Any, props: dict[str, Any]) -> dict[str, Any]:
    """An answer of `postprocess` that leaves the value, and gives `content` to the script as a property.

    A value is what the next handler receives, so it is never replaced by a part of one. The time makes each
    message another one than the last.
    """
    told = {"content": content, "turn": time.time_ns() // 1000}
    return {"__type__": "update", "props": {**props, name: told}}
