"""Files that appear whole or not at all, also when several processes make the same one at once."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Where to write what becomes `path` at the end of the block, with an error nothing.

    The name is one's own, ends like `path` and begins with a dot. Raises OSError.
    """
    part = path.with_name(f".{path.stem}.{secrets.token_hex(4)}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
