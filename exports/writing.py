"""Files appear whole or not at all, and never in the place of something else."""

from __future__ import annotations

import json
import re
import secrets
import shutil
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from annotation.errors import UsageError
from annotation.records import Json
from exports.batch import Output


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
    part = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    try:
        _write(part, pieces)
        part.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {path} ({error.strerror}); choose another place") from error
    finally:
        part.unlink(missing_ok=True)


def write_folder(folder: Path, outputs: Sequence[Output], is_ours: Callable[[Path], bool]) -> list[Path]:
    """Write several files. What is in the folder already must be about to be replaced.

    Raises UsageError.
    """
    _check_folder(folder, {name for name, _ in outputs}, is_ours)
    _make_parent(folder)
    part = folder.with_name(f".{folder.name[:100]}.{secrets.token_hex(4)}.part")
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
        raise UsageError(f"cannot write {folder} ({error.strerror}); choose another place") from error
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


def _write(path: Path, pieces: Iterable[str] | bytes | Path) -> None:
    if isinstance(pieces, Path):
        shutil.copyfile(pieces, path)
        return
    if isinstance(pieces, bytes):
        path.write_bytes(pieces)
        return
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(pieces)


_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def safe_names(titles: Sequence[str], suffix: str) -> list[str]:
    """File names for titles, in their order: no path parts, nothing hidden, none twice."""
    taken: set[str] = set()
    names = []
    for title in titles:
        stem = re.sub(r"[^\w .()-]", "_", title).strip(" .")[:80].rstrip(" .") or "video"
        if _RESERVED.fullmatch(stem):
            stem = f"_{stem}"
        name, number = stem, 1
        while name.casefold() in taken:
            number += 1
            name = f"{stem} ({number})"
        taken.add(name.casefold())
        names.append(name + suffix)
    return names
