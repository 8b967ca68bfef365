"""Reads Python values (`repr`) from table cells without evaluating them.

Supported: lists, dictionaries, strings, numbers, True, False and None. Names and calls are refused.
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
    """Return the value as JSON data; tuples become lists. Raises FormatError."""
    if len(text) > LONGEST:
        raise FormatError(f"{where}: the cell is larger than {LONGEST >> 20} MB")
    if _nested(text) > DEEPEST:
        raise FormatError(f"{where}: nested too deeply")
    try:
        return _plain(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        why = re.sub(r"<ast\.(\w+) object at \w+>", r"\1", str(error))  # without memory addresses
        raise FormatError(f"{where}: not a Python literal ({why[:80]})") from error


def _nested(text: str) -> int:
    """Return the depth of nested brackets, including brackets inside strings."""
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
            raise ValueError("keys that are not strings")
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if value is None or isinstance(value, bool) or finite_float(value) is not None:
        return value
    if isinstance(value, int | float):
        raise ValueError("an infinite number or NaN")
    if isinstance(value, str):
        return _storable(value)
    raise ValueError(f"a {type(value).__name__}")


def _storable(text: str) -> str:
    if not is_storable(text):
        raise ValueError(f"a string contains {WHAT}")
    return text
