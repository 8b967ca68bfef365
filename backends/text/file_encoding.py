"""Read text files in UTF-8, or in UTF-16 with a byte order mark."""

from __future__ import annotations

import codecs
from pathlib import Path

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Byte order marks of UTF-16."""


def is_utf16(start: bytes) -> bool:
    """Return whether a text that begins with these bytes is UTF-16."""
    return start[:2] in UTF_16


def read_text(path: Path) -> str:
    """Return the text of a file without its byte order mark. Raises OSError, UnicodeDecodeError."""
    raw = path.read_bytes()
    return raw.decode("utf-16" if is_utf16(raw) else "utf-8-sig")
