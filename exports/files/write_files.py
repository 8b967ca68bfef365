"""Writes files atomically and never replaces files of another format."""

from __future__ import annotations

import csv
import io
import json
import re
import secrets
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from annotation.records.errors import DiskFull
from annotation.records.ids import Json
from annotation.workspace.limit_settings import short_name
from backends.atomic_files import whole
from backends.errors import DailiesError, UsageError
from exports.files.format_types import Output


def json_line(value: Json) -> str:
    """Return one line of a JSON-lines file."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def write_file(path: Path, pieces: Iterable[str] | bytes | Path, is_ours: Callable[[Path], bool]) -> None:
    """Write to a temporary file, then rename it. An existing file must be of the same format.

    Raises UsageError.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    if path.exists() and path.stat().st_size and not is_ours(path):
        raise UsageError(f"{path} exists and is a file of another format; choose another name")
    _make_parent(path)
    try:
        with whole(path) as part:
            _write(part, pieces)
    except OSError as error:
        raise _unwritable(path, error) from error


def write_folder(folder: Path, outputs: Sequence[Output], is_ours: Callable[[Path], bool]) -> list[Path]:
    """Write several files and return their paths. The folder may hold only files that are replaced.

    Raises UsageError.
    """
    _check_folder(folder, {name for name, _ in outputs}, is_ours)
    _make_parent(folder)
    part = folder.with_name(f".dailies-{secrets.token_hex(4)}.part")
    try:
        part.mkdir()
        for name, pieces in outputs:
            _write(part / name, pieces)
        if folder.exists():
            for name, _ in outputs:
                (part / name).replace(folder / name)
        else:
            part.rename(folder)
    except OSError as error:
        raise _unwritable(folder, error) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return [folder / name for name, _ in outputs]


def _check_folder(folder: Path, names: set[str], is_ours: Callable[[Path], bool]) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise UsageError(f"{folder} is a file; name a folder")
    here = {path.name for path in folder.iterdir()}
    if here - names:
        raise UsageError(f"{folder} holds other files ({min(here - names)}); choose an empty folder")
    if here and not is_ours(folder):
        raise UsageError(f"{folder} holds files of another format; choose an empty folder")


def _make_parent(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot create {path.parent} ({error.strerror}); choose another place") from error


def _unwritable(path: Path, error: OSError) -> DailiesError:
    why = f"cannot write {path.name} ({error.strerror}); choose another place"
    return DiskFull.of(error) or UsageError(why)


def _write(path: Path, pieces: Iterable[str] | bytes | Path) -> None:
    if isinstance(pieces, Path):
        shutil.copyfile(pieces, path)
        return
    if isinstance(pieces, bytes):
        path.write_bytes(pieces)
        return
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
    finally:
        # A generator stopped halfway would keep its database connection.
        if isinstance(pieces, Generator):
            pieces.close()


_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


LONGEST_STEM = 200
"""Bytes. With a number and a suffix, file systems accept the name."""


def safe_names(titles: Sequence[str], suffix: str) -> list[str]:
    """Return unique file names for the titles, in order, without path parts or hidden files."""
    taken: set[str] = set()
    names = []
    for title in titles:
        stem = re.sub(r"[^\w .()-]", "_", title).strip(" .")[:80].rstrip(" .") or "video"
        if _RESERVED.fullmatch(stem):
            stem = f"_{stem}"
        stem = short_name(stem, LONGEST_STEM)
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem} ({number})"
        taken.add(name.casefold())
        names.append(name + suffix)
    return names


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> Iterator[str]:
    """Yield the lines of a comma-separated table: the header, then the rows."""
    for cells in (columns, *([row.get(name, "") for name in columns] for row in rows)):
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        yield line.getvalue()
