"""Write files atomically, also when several processes write the same file at once."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Yield a temporary path that becomes `path` at the end of the block; an error removes it.

    The temporary name is unique, begins with a dot and ends like `path`. Raises OSError.
    """
    part = path.with_name(f"{_beginning(path)}{secrets.token_hex(4)}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def unfinished(path: Path) -> Iterator[Path]:
    """Temporary files of writes to `path` in progress, or left behind by a killed process."""
    return path.parent.glob(f"{escape(_beginning(path))}*.part{path.suffix}")


def _beginning(path: Path) -> str:
    # `path` may already have the longest name that the file system allows.
    return f".{path.stem[:40]}."
