"""Values that a Python program printed (`repr`) into a cell of a table: read, never evaluated.

Lists, dictionaries, texts, numbers, True, False and None; nothing that names or calls anything.
"""

from __future__ import annotations

import ast
import re
from typing import Any

from annotation.records.errors import FormatError
from annotation.records.finite_numbers import finite_float
from annotation.records.ids import Json
from backends.text.storable_text import WHAT, is_storable

LONGEST = 4 << 20
"""Characters."""
DEEPEST = 40


def read_literal(text: str, where: str) -> Json:
    """The value as JSON would hold it; tuples become lists. Raises FormatError."""
    if len(text) > LONGEST:
        raise FormatError(f"{where}: a cell of more than {LONGEST >> 20} MB")
    if _nested(text) > DEEPEST:
        raise FormatError(f"{where}: nested too deeply")
    try:
        return _plain(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        why = re.sub(r"<ast\.(\w+) object at \w+>", r"\1", str(error))  # an address says nothing to people
        raise FormatError(f"{where}: not a value as Python prints it ({why[:80]})") from error


def _nested(text: str) -> int:
    """Brackets and signs that stand in a row inside of each other; those within texts count too."""
    depth = deepest = 0
    for char in text:
        if char in "[({":
            depth += 1
            deepest = max(deepest, depth)
        elif char in "])}":
            depth = max(0, depth - 1)
    return deepest


def _plain(value: Any) -> Json:
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError("keys that are no texts")
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool) or finite_float(value) is not None:
        return value
    if isinstance(value, int | float):
        raise ValueError("a number without end")
    if isinstance(value, str):
        return _storable(value)
    raise ValueError(f"a {type(value).__name__}")


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError(f"a text holds {WHAT}")
    return text
