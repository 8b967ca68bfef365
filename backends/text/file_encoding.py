"""How the bytes of a text file are read: UTF-8, or UTF-16 by its byte order mark."""

from __future__ import annotations

import codecs
from pathlib import Path

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""What a text in UTF-16 begins with."""


def is_utf16(start: bytes) -> bool:
    """Whether a text that begins with these bytes is UTF-16."""
    return start[:2] in UTF_16


def read_text(path: Path) -> str:
    """The whole text without its byte order mark. Raises OSError, UnicodeDecodeError."""
    raw = path.read_bytes()
    return raw.decode("utf-16" if is_utf16(raw) else "utf-8-sig")
