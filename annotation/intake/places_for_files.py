"""Find free paths for files with given names, even if a file and a folder have the same name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

LEFT_BY_SYSTEMS = frozenset(("__MACOSX", "Thumbs.db", "desktop.ini"))


def is_left_by_system(name: str) -> bool:
    """Whether a file or folder with this name is hidden, or created by a desktop or an archiver."""
    return name.startswith(".") or name in LEFT_BY_SYSTEMS


def free_place(folder: Path, *names: str) -> Path:
    """Return a path in the folder that does not exist and whose parents are not files.

    `names`: the names of its subfolders and its own name. If the path is taken, a numbered folder is added.
    """
    return next(path for path in _places(folder, names) if not _is_taken(path, folder))


def _places(folder: Path, names: tuple[str, ...]) -> Iterator[Path]:
    *folders, name = names or ("unnamed",)
    yield folder.joinpath(*folders, name)
    for number in count(2):
        yield folder.joinpath(*folders, str(number), name)
        yield folder.joinpath(str(number), *folders, name)


def _is_taken(path: Path, folder: Path) -> bool:
    between = [parent for parent in path.parents if parent.is_relative_to(folder)]
    return path.exists() or any(parent.exists() and not parent.is_dir() for parent in between)
