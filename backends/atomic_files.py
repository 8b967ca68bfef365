"""Files that appear whole or not at all, also when several processes make the same one at once."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where to write what becomes `path` at the end of the block, with an error nothing.

    The name is one's own, ends like `path` and begins with a dot. Raises OSError.
    """
    part = path.with_name(f"{_beginning(path)}{secrets.token_hex(4)}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def unfinished(path: Path) -> Iterator[Path]:
    """What is being written now, or was left by a process that was killed."""
    return path.parent.glob(f"{escape(_beginning(path))}*.part{path.suffix}")


def _beginning(path: Path) -> str:
    # A name may be as long as the disk takes.
    return f".{path.stem[:40]}."
