"""The only reader of pickles: plain containers, text and numbers. Everything else is refused.

A pickle is a program. This reader builds dictionaries, lists, tuples and sets of strings, numbers, booleans
and None, and the NumPy scalars that other tools' logs use as keys. It looks up no other names, so nothing
is imported or called.
"""

from __future__ import annotations

import io
import pickle
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from annotation.records.errors import FormatError
from exports.files.read_text_and_json import open_file
from exports.files.reading_progress import has_read

MAX_BYTES = 256 << 20
MAX_VALUES = 5_000_000
"""Limit of values. A few bytes of pickle can repeat one list a billion times."""
_CODES = {
    "i1": "b",
    "i2": "h",
    "i4": "i",
    "i8": "q",
    "u1": "B",
    "u2": "H",
    "u4": "I",
    "u8": "Q",
    "f4": "f",
    "f8": "d",
    "b1": "?",
}


def read_pickle(path: Path) -> Any:
    """Return the plain value in the file. Raises FormatError for any other pickle."""
    with open_file(path) as file:
        raw = file.read(MAX_BYTES + 1)
    if len(raw) > MAX_BYTES:
        raise FormatError(f"{path.name}: larger than {MAX_BYTES >> 20} MB")
    has_read(path.name, len(raw))
    try:
        return _Plain().value(_Reader(io.BytesIO(raw)).load(), 0)
    except FormatError as error:
        raise FormatError(f"{path.name}: {error}") from None
    except _BROKEN as error:
        raise FormatError(f"{path.name}: not a readable pickle ({type(error).__name__})") from error


_BROKEN = (
    pickle.UnpicklingError,
    EOFError,
    ValueError,
    KeyError,
    IndexError,
    AttributeError,
    TypeError,
    struct.error,
    RecursionError,
    MemoryError,
    OverflowError,
)
"""Exceptions that the unpickler raises for a damaged pickle."""


class _Dtype:
    """Stand-in for `numpy.dtype`: a type code and a byte order."""

    def __init__(self, code: str = "", *_flags: object) -> None:
        self.code, self.order = str(code), "<"

    def __setstate__(self, state: object) -> None:
        if isinstance(state, tuple) and len(state) > 1 and state[1] in ("<", ">", "|", "="):
            self.order = "<" if state[1] in ("|", "=") else str(state[1])


def _scalar(dtype: object, raw: object = b"") -> Any:
    if not isinstance(dtype, _Dtype) or dtype.code not in _CODES or not isinstance(raw, bytes):
        raise FormatError("contains a NumPy value that is not a number")
    return struct.unpack(dtype.order + _CODES[dtype.code], raw)[0]


def _latin(text: object, encoding: object = "latin1") -> bytes:
    """Return bytes that pickle protocol 2 stored as text."""
    if not isinstance(text, str) or encoding != "latin1":
        raise FormatError("contains bytes in an unsupported encoding")
    return text.encode("latin1")


_ALLOWED: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("numpy", "dtype"): _Dtype,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy._core.multiarray", "scalar"): _scalar,
    ("_codecs", "encode"): _latin,
    ("builtins", "set"): set,
    ("builtins", "frozenset"): frozenset,
    ("collections", "OrderedDict"): dict,
}


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = _ALLOWED.get((module, name))
        if found is None:
            raise FormatError(
                f"refers to {module}.{name}; only plain containers, text and numbers are allowed"
            )
        return found

    def persistent_load(self, pid: Any) -> NoReturn:
        raise FormatError(f"refers to an external object ({str(pid)[:40]!r})")


class _Plain:
    """Copies a value that consists of plain parts only. A set becomes a list."""

    def __init__(self) -> None:
        self._left = MAX_VALUES

    def value(self, value: Any, depth: int) -> Any:
        self._left -= 1
        if depth > 50 or self._left < 0:
            raise FormatError("nested too deeply, or too many values")
        if value is None or type(value) in (str, int, float, bool):
            return value
        if type(value) is dict:
            return {_key(k): self.value(v, depth + 1) for k, v in value.items()}
        if type(value) in (list, tuple, set, frozenset):
            return [self.value(v, depth + 1) for v in value]
        raise FormatError(
            f"contains a {type(value).__name__}; only plain containers, text and numbers are allowed"
        )


def _key(value: Any) -> Any:
    if type(value) in (str, int, float, bool):
        return value
    raise FormatError(f"contains a key of type {type(value).__name__}")
