"""Where files go that others have named: each gets a place, also where a file and a folder have one name."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

LEFT_BY_SYSTEMS = frozenset(("__MACOSX", "Thumbs.db", "desktop.ini"))


def is_left_by_system(name: str) -> bool:
    """Whether a file or folder of this name is hidden, or was left by a desktop or an archiver."""
    return name.startswith(".") or name in LEFT_BY_SYSTEMS


def free_place(folder: Path, *names: str) -> Path:
    """A path in the folder that does not exist, and whose parents are folders or do not exist.

    `names` are those of its folders and its own. If the path is taken, a folder with a number is added.
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
