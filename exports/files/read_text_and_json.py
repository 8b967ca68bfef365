"""Reads text and JSON from untrusted files. Errors name the file and the line.

Files are UTF-8 (with or without a byte order mark) or UTF-16 with a byte order mark. NaN, infinite numbers
and duplicate keys in one object are errors, so that later steps cannot drop data silently. Characters that
cannot be stored (`storable_text.py`) are replaced and listed, so that one of them does not cost a whole file.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import isinf
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any, NoReturn

from annotation.records.errors import DiskFull, FormatError
from annotation.records.ids import Json
from backends.text.file_encoding import is_utf16
from backends.text.storable_text import WHAT, is_storable, mended, mended_value, unstorable_places
from exports.files.reading_progress import count_so_far, has_read

MAX_LINE = 32 << 20
"""Longest line in bytes."""
MAX_DOCUMENT = 512 << 20
"""Largest JSON document in bytes."""
PARQUET = b"PAR1"
"""First bytes of a Parquet file."""
PICKLE = b"\x80"
"""First byte of a pickle of protocol 2 or later; a pickle ends with a full stop."""
ZIP = "PK"
"""`Head.text` of a zip archive: an npz file or a spreadsheet."""
NOT_REGULAR = "not a regular file but a pipe, a device or a broken link; name a regular file"
HEAD = 4 << 20
"""Bytes that are read to recognise a format."""
_CHUNK = 1 << 16

_places: ContextVar[list[str] | None] = ContextVar("places", default=None)


@contextmanager
def replacing() -> Iterator[list[str]]:
    """Collect the places where characters that cannot be stored are replaced by U+FFFD.

    Outside this context such characters raise FormatError.
    """
    places: list[str] = []
    token = _places.set(places)
    try:
        yield places
    finally:
        _places.reset(token)


def plain(text: str, where: str) -> str:
    """Return the text in a form that can be stored. Raises FormatError as `parse` does."""
    if is_storable(text):
        return text
    _replaced(where)
    return mended(text)


def _replaced(where: str) -> None:
    places = _places.get()
    if places is None:
        raise FormatError(f"{where}: the text contains {WHAT}, which cannot be stored; remove it")
    places.append(where)


@dataclass(frozen=True, slots=True)
class Item:
    """One value of a file."""

    where: str
    """`file.jsonl:12`, or `file.json item 3`."""
    value: Json


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file, or the file names of a folder, from which formats are recognised."""

    path: Path
    names: frozenset[str]
    """Files of the folder; empty for a file."""
    text: str
    """The beginning of the file."""
    first: Json
    """First JSON value: the first line, the first item of a list, or the document; None if there is none."""

    @property
    def folder(self) -> bool:
        return self.path.is_dir()

    def inside(self, name: str) -> Head:
        """Return the head of a file in the folder; its text is empty if the file cannot be read."""
        try:
            return look(self.path / name)
        except FormatError:
            return Head(self.path / name, frozenset(), "", None)


def look(path: Path) -> Head:
    """Read the head of a file or folder. Raises FormatError if the path is missing or not text."""
    if path.is_dir():
        try:
            return Head(path, frozenset(p.name for p in path.iterdir() if p.is_file()), "", None)
        except OSError as error:
            raise FormatError(f"{path.name}: {error.strerror}; check who may read it") from error
    with open_text(path) as file:
        raw = file.read(HEAD)
    if raw.startswith(PARQUET):
        return Head(path, frozenset(), PARQUET.decode(), None)
    if raw.startswith(b"PK\x03\x04"):
        return Head(path, frozenset(), ZIP, None)
    text = _decode_head(raw, path.name)
    return Head(path, frozenset(), text, _first_value(text))


@contextmanager
def open_file(path: Path) -> Iterator[io.BufferedReader]:
    """Open a file for reading bytes. Raises FormatError if it cannot be opened or read."""
    try:
        mode = path.stat().st_mode
        if not (S_ISREG(mode) or S_ISDIR(mode)):  # opening a pipe would block
            raise FormatError(f"{path.name}: {NOT_REGULAR}")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        if DiskFull.of(error):
            raise
        raise FormatError(f"{path.name}: {error.strerror or error}; check the path") from error


@contextmanager
def open_text(path: Path) -> Iterator[io.BufferedReader]:
    """Open a text file for reading as UTF-8 bytes, also if it is UTF-16. Raises as `open_file` does."""
    with open_file(path) as file:
        start = file.read(2)
        file.seek(0)
        if not is_utf16(start):
            yield file
            return
        try:
            yield io.BufferedReader(_FromUtf16(file))
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{path.name}: invalid UTF-16 after the byte order mark ({error.reason}); save it as UTF-8"
            ) from error


class _FromUtf16(io.RawIOBase):
    """A UTF-16 file as a stream of UTF-8 bytes."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file, self._decoder, self._left = file, codecs.getincrementaldecoder("utf-16")(), b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        raw = b"more"
        while raw and not self._left:
            raw = self._file.read(_CHUNK)
            self._left = self._decoder.decode(raw, final=not raw).encode()
        taken, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def content_hash(path: Path) -> str:
    """Return the SHA-256 of the file. Raises FormatError as `open_file` does."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _decode_head(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The lines before the invalid one are enough to recognise the format; reading then reports the line.
        whole = raw.rfind(b"\n", 0, error.start) + 1
        if raw.startswith(PICKLE) and (raw[-1:] == b"." or len(raw) == HEAD):
            raise FormatError(
                f"{name}: a pickle cannot be imported alone; import the folder of its run"
            ) from error
        if b"\0" in raw:
            raise FormatError(f"{name}: neither text nor a known binary format") from error
        if not whole:
            raise FormatError(
                f"{name}: not UTF-8 text (byte {error.start}); save it as UTF-8 and try again"
            ) from error
        return raw[:whole].decode("utf-8-sig")


def _first_value(text: str) -> Json:
    """Return the first value; the rest may be malformed."""
    stripped = text.lstrip()
    attempts = [stripped.split("\n", 1)[0], stripped]
    if stripped.startswith("["):
        attempts = [stripped[1:].lstrip()]
    for attempt in attempts:
        try:
            return json.JSONDecoder().raw_decode(attempt)[0]
        except (ValueError, RecursionError):
            continue
    return None


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield lines that are not blank, with their numbers from 1. Raises FormatError."""
    with open_text(path) as file:
        number = 0
        while raw := file.readline(MAX_LINE + 1):
            number += 1
            where = f"{path.name}:{number}"
            has_read(path.name, len(raw))
            if len(raw) > MAX_LINE:
                raise FormatError(f"{where}: the line is longer than {MAX_LINE >> 20} MB")
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                raise FormatError(f"{where}: not UTF-8 text (byte {error.start} of the line)") from error
            if text:
                yield number, text


def json_lines(path: Path) -> Iterator[Item]:
    """Yield one value per line. Raises FormatError at the first line that is not JSON."""
    for number, text in lines(path):
        where = f"{path.name}:{number}"
        yield Item(where, parse(text, where))


def json_items(path: Path) -> Iterator[Item]:
    """Yield the values of a JSON-lines file, the items of a list, or the single object of the file.

    Raises FormatError.
    """
    if not _is_document(path):
        yield from json_lines(path)
        return
    document = parse_document(path)
    if not isinstance(document, list):
        yield Item(path.name, document)
        return
    for number, value in enumerate(document, 1):
        yield Item(f"{path.name} item {number}", value)


def _is_document(path: Path) -> bool:
    restore_count = count_so_far()
    first = next(lines(path), None)
    restore_count()
    if first is None:
        raise FormatError(f"{path.name}: the file is empty")
    if first[1].startswith("["):
        return True
    try:
        json.loads(first[1])
    except (ValueError, RecursionError):
        return not first[1].endswith("}")  # an object or list over several lines
    return False


def parse_document(path: Path) -> Json:
    """Return the whole file as one JSON value. Raises FormatError."""
    return parse(whole_text(path, MAX_DOCUMENT, "write it as JSON lines"), path.name)


def whole_text(path: Path, most: int, instead: str) -> str:
    """Return the text of a file of at most `most` bytes. The error for larger files suggests `instead`.

    Raises FormatError.
    """
    with open_text(path) as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise FormatError(f"{path.name}: larger than {most >> 20} MB; {instead}")
    has_read(path.name, len(raw))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{path.name}: not UTF-8 text (byte {error.start}); save it as UTF-8 and try again"
        ) from error


def parse(text: str, where: str) -> Json:
    """Parse one JSON value. Raises FormatError with `where`."""
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        line = f" line {error.lineno}" if error.lineno > 1 else ""
        raise FormatError(f"{where}{line}: not JSON ({error.msg} at character {error.colno})") from error
    except RecursionError as error:
        raise FormatError(f"{where}: nested too deeply") from error
    except ValueError as error:
        raise FormatError(f"{where}: {error}") from error
    if "\\u" in text and next(unstorable_places(value), None) is not None:
        _replaced(where)
        return mended_value(value)
    return value


def text_at(value: Mapping[str, Any], key: str) -> str:
    """Return the text under `key`; empty if it is missing or not a string."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"duplicate key {twice[:80]!r} in one object; keep one of them")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")


def _finite(text: str) -> float:
    value = float(text)
    if isinf(value):
        raise ValueError(f"the number {text[:40]} is too large")
    return value


def _whole(text: str) -> int:
    _finite(text)
    return int(text)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_no_number, parse_float=_finite, parse_int=_whole
)
