"""Files appear whole or not at all, and never in the place of something else."""

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
    """One line of a JSON-lines file."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def write_file(path: Path, pieces: Iterable[str] | bytes | Path, is_ours: Callable[[Path], bool]) -> None:
    """Write beside the target, then take its place. An existing file must be of the same format.

    Raises UsageError.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder; name a file")
    if path.exists() and path.stat().st_size and not is_ours(path):
        raise UsageError(f"{path} exists and is something else; choose another name")
    _make_parent(path)
    try:
        with whole(path) as part:
            _write(part, pieces)
    except OSError as error:
        raise _unwritable(path, error) from error


def write_folder(folder: Path, outputs: Sequence[Output], is_ours: Callable[[Path], bool]) -> list[Path]:
    """Write several files. What is in the folder already must be about to be replaced.

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
        raise UsageError(f"{folder} holds something else; choose an empty folder")


def _make_parent(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make {path.parent} ({error.strerror}); choose another place") from error


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
        # One that was left in the middle would keep its connection to the database.
        if isinstance(pieces, Generator):
            pieces.close()


_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


LONGEST_STEM = 200
"""Bytes; with a number and a suffix it is a name that file systems take."""


def safe_names(titles: Sequence[str], suffix: str) -> list[str]:
    """File names for titles, in their order: no path parts, nothing hidden, none twice."""
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
    """A table with commas: a header, then the rows."""
    for cells in (columns, *([row.get(name, "") for name in columns] for row in rows)):
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(cells)
        yield line.getvalue()
