"""Text and JSON from files that nobody vouches for. Errors name the file and the line.

A file is UTF-8 (with or without a byte order mark), or UTF-16 with its byte order mark. Numbers without end
and keys that stand twice in one object are errors here, so that no later step drops anything in silence.
Characters that cannot be stored (`storable_text.py`) would cost a whole file for one of them: they are
replaced, and listed.
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
"""Bytes of one line; a longer one is no caption."""
MAX_DOCUMENT = 512 << 20
"""Bytes of a file that is one JSON document."""
PARQUET = b"PAR1"
"""What a Parquet file begins with."""
PICKLE = b"\x80"
"""What a pickle begins with, of every protocol from 2 on; it ends with a full stop."""
ZIP = "PK"
"""`Head.text` of a zip archive: an npz, or a spreadsheet."""
NOT_REGULAR = "not a regular file, but a pipe, a device, or a link that leads nowhere"
HEAD = 4 << 20
"""Bytes that are looked at to tell formats apart."""
_CHUNK = 1 << 16

_places: ContextVar[list[str] | None] = ContextVar("places", default=None)


@contextmanager
def replacing() -> Iterator[list[str]]:
    """While a file is read: the places where characters that cannot be stored were replaced by U+FFFD.

    Elsewhere they are refused.
    """
    places: list[str] = []
    token = _places.set(places)
    try:
        yield places
    finally:
        _places.reset(token)


def plain(text: str, where: str) -> str:
    """A text of a file as it can be stored. Raises FormatError as `parse` does."""
    if is_storable(text):
        return text
    _replaced(where)
    return mended(text)


def _replaced(where: str) -> None:
    places = _places.get()
    if places is None:
        raise FormatError(f"{where}: a text holds {WHAT}, which cannot be stored")
    places.append(where)


@dataclass(frozen=True, slots=True)
class Item:
    """One value of a file."""

    where: str
    """`file.jsonl:12`, or `file.json item 3`."""
    value: Json


@dataclass(frozen=True, slots=True)
class Head:
    """What can be seen of a path at a glance, to tell formats by their shape."""

    path: Path
    names: frozenset[str]
    """The files in it, when it is a folder."""
    text: str
    """The beginning of the file."""
    first: Json
    """The first JSON value: first line, first item of a list, or the document; None when there is none."""

    @property
    def folder(self) -> bool:
        return self.path.is_dir()

    def inside(self, name: str) -> Head:
        """Of a file in the folder; one that cannot be read has no text."""
        try:
            return look(self.path / name)
        except FormatError:
            return Head(self.path / name, frozenset(), "", None)


def look(path: Path) -> Head:
    """Raises FormatError when there is nothing, or no text."""
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
    """The bytes of a file. Raises FormatError with the reason when it cannot be opened or read."""
    try:
        mode = path.stat().st_mode
        if not (S_ISREG(mode) or S_ISDIR(mode)):  # to open a pipe is to wait for its writer
            raise FormatError(f"{path.name}: {NOT_REGULAR}")
        with path.open("rb") as file:
            yield file
    except OSError as error:
        if DiskFull.of(error):
            raise
        raise FormatError(f"{path.name}: {error.strerror or error}; check the path") from error


@contextmanager
def open_text(path: Path) -> Iterator[io.BufferedReader]:
    """The bytes of a text in UTF-8, also where the file is UTF-16. Raises FormatError as `open_file` does."""
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
                f"{path.name}: not UTF-16 text, although it begins as one ({error.reason}); save it as UTF-8"
            ) from error


class _FromUtf16(io.RawIOBase):
    """A file in UTF-16 as UTF-8, read in pieces."""

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
    """SHA-256 of the file. Raises FormatError as `open_file` does."""
    with open_file(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _decode_head(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The lines before the bad one still tell the format; reading then names the line.
        whole = raw.rfind(b"\n", 0, error.start) + 1
        if raw.startswith(PICKLE) and (raw[-1:] == b"." or len(raw) == HEAD):
            raise FormatError(
                f"{name}: a pickle says nothing alone; import the folder of the run that it is of"
            ) from error
        if b"\0" in raw:
            raise FormatError(f"{name}: no text, and no format that is known here") from error
        if not whole:
            raise FormatError(
                f"{name}: not UTF-8 text (byte {error.start}); save it as UTF-8 and try again"
            ) from error
        return raw[:whole].decode("utf-8-sig")


def _first_value(text: str) -> Json:
    """The first value, without a word about whether the rest is well-formed."""
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
    """Lines that are not blank, with their numbers from 1. Raises FormatError."""
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
    """One value per line. Raises FormatError at the first line that is not JSON."""
    for number, text in lines(path):
        where = f"{path.name}:{number}"
        yield Item(where, parse(text, where))


def json_items(path: Path) -> Iterator[Item]:
    """Values of a JSON-lines file, items of a list, or the one object that the file is.

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
    set_back = count_so_far()
    first = next(lines(path), None)
    set_back()
    if first is None:
        raise FormatError(f"{path.name}: the file is empty")
    if first[1].startswith("["):
        return True
    try:
        json.loads(first[1])
    except (ValueError, RecursionError):
        return not first[1].endswith("}")  # an object over several lines, or a list
    return False


def parse_document(path: Path) -> Json:
    """The whole file as one JSON value. Raises FormatError."""
    return parse(whole_text(path, MAX_DOCUMENT, "write it as JSON lines"), path.name)


def whole_text(path: Path, most: int, instead: str) -> str:
    """The text of a file of at most so many bytes; `instead` is what to do with a larger one.

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
    """One JSON value. Raises FormatError naming `where`."""
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
    """The text under `key`; empty where there is none, or something else."""
    found = value.get(key)
    return found if isinstance(found, str) else ""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice[:80]!r} stands twice in one object; keep one of them")
    return found


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number that JSON can hold")


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
