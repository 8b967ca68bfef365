"""Backup and restore: a workspace as one file.

The archive is a tar with `backup.json`, `dailies.db` (a SQLite file, whatever database the workspace
uses), `settings.toml`, `prompts/`, the videos that were uploaded, and films that were joined from clips or
pictures (in `media/`). Thumbnails and copies for browsers are left out: they are made again.
"""

from __future__ import annotations

import json
import shutil
import tarfile
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from annotation.records.errors import DiskFull, FormatError
from annotation.store.copy_database import Progress, copy_database
from annotation.store.database import open_engine
from annotation.workspace.limit_settings import size
from annotation.workspace.workspace import DATABASE, Workspace
from backends.errors import UsageError

ABOUT = "backup.json"
KEPT = ("settings.toml", "prompts", "videos")
MEDIA = "media"
VERSION = 1
MOST_FILES = 1_000_000


def back_up(space: Workspace, out: Path, progress: Progress | None = None) -> dict[str, Any]:
    """Write the archive; it appears whole or not at all. Work may go on meanwhile.

    Returns `{"file", "bytes", "rows"}`. Raises UsageError when `out` exists or cannot be written.
    """
    if out.exists():
        raise UsageError(f"{out} is there already; name a new file")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=".dailies-backup-") as folder:
            films: list[str] = []
            rows = _copy_to_file(space, Path(folder) / DATABASE, films, progress)
            part = Path(folder) / out.name
            _pack(space, Path(folder) / DATABASE, part, rows, films)
            part.replace(out)
    except OSError as error:
        why = f"{out}: cannot be written ({error.strerror}); name another place"
        raise DiskFull.of(error) or UsageError(why) from error
    return {"file": str(out), "bytes": out.stat().st_size, "rows": rows}


def restore(
    file: Path, folder: Path, database: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Make a workspace of an archive, in a folder and a database that are empty.

    Returns `{"workspace", "rows", "from"}`. Raises UsageError, FormatError.
    """
    folder = folder.expanduser().resolve()
    if folder.exists() and any(folder.iterdir()):
        raise _not_empty(folder)
    with _beside(folder) as temporary:
        about = _unpack(file, Path(temporary))
        with _claimed(folder):
            _take_in(Path(temporary), folder)
            space = Workspace(folder, database)
            source = open_engine(f"sqlite:///{Path(temporary) / DATABASE}")
            try:
                rows = copy_database(source, space.store.engine, progress, _moved(about["workspace"], folder))
            finally:
                source.dispose()
                space.close()
    return {"workspace": str(folder), "rows": sum(rows.values()), "from": about["created"]}


def _beside(folder: Path) -> tempfile.TemporaryDirectory[str]:
    """On the disk that it is restored to, where the room was looked at. Raises UsageError."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        return tempfile.TemporaryDirectory(dir=folder.parent, prefix=".dailies-restore-")
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}); name another place") from error


@contextmanager
def _claimed(folder: Path) -> Iterator[None]:
    """An empty folder for this restoring alone: of two at once, one is refused. Raises UsageError."""
    mark = folder / ".restoring"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        mark.open("x").close()
    except FileExistsError as error:
        raise _not_empty(folder) from error
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}); name another place") from error
    try:
        if any(path != mark for path in folder.iterdir()):
            raise _not_empty(folder)
        yield
    finally:
        mark.unlink(missing_ok=True)


def _not_empty(folder: Path) -> UsageError:
    return UsageError(f"{folder} is not empty; name a new folder with --workspace")


def _copy_to_file(space: Workspace, file: Path, films: list[str], progress: Progress | None) -> int:
    """Rows that were copied; `films` gets the videos that lie in `media/`, as paths from the workspace."""
    inside = f"{space.path}/"

    def note(table: str, row: dict[str, Any]) -> dict[str, Any]:
        path = row.get("path") if table == "video" else None
        if isinstance(path, str) and path.startswith(f"{space.media}/"):
            films.append(path.removeprefix(inside))
        return row

    target = open_engine(f"sqlite:///{file}")
    try:
        return sum(copy_database(space.store.engine, target, progress, note).values())
    finally:
        target.dispose()  # the last connection takes the log into the file


def _pack(space: Workspace, database: Path, out: Path, rows: int, films: Iterable[str]) -> None:
    about = {
        "format": "dailies-backup",
        "version": VERSION,
        "rows": rows,
        "workspace": str(space.path),
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    text = out.with_suffix(".json")
    text.write_text(json.dumps(about, indent=2), encoding="utf-8")
    with tarfile.open(out, "w") as tar:
        tar.add(text, ABOUT)
        tar.add(database, DATABASE)
        for name in (*KEPT, *films):
            if (space.path / name).exists():
                tar.add(space.path / name, name, filter=_plain)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Files and folders alone: a link could lead out of the workspace."""
    return member if member.isreg() or member.isdir() else None


def _unpack(file: Path, folder: Path) -> Mapping[str, Any]:
    """Raises FormatError for what is no archive of ours, or holds more than it should."""
    try:
        with tarfile.open(file, "r:") as tar:
            members = list(_ours(file, tar))
            _check_room(file, members, folder)
            tar.extractall(folder, members, filter="data")
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, tarfile.TarError, ValueError) as error:
        why = f"{file}: no backup of Dailies ({error}); give a file made by backup"
        raise DiskFull.of(error) or FormatError(why) from error
    if not isinstance(about, dict) or about.get("format") != "dailies-backup":
        raise FormatError(f"{file}: no backup of Dailies; give a file made by backup")
    if about.get("version") != VERSION or not isinstance(about.get("workspace"), str):
        raise FormatError(f"{file}: made by another version of Dailies; restore it with that one")
    if not (folder / DATABASE).is_file():
        raise FormatError(f"{file}: holds no {DATABASE}; it is not whole")
    return about


def _check_room(file: Path, members: list[tarfile.TarInfo], folder: Path) -> None:
    """The database is written twice: as it lies in the archive, and as the new workspace's own."""
    needed = sum(member.size for member in members) + sum(m.size for m in members if m.name == DATABASE)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise DiskFull(f"{file}: needs {size(needed)}, and {size(free)} are free; free some space first")


def _ours(file: Path, tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for count, member in enumerate(tar, 1):
        top = Path(member.name).parts[:1]
        if top and top[0] not in (ABOUT, DATABASE, MEDIA, *KEPT):
            raise FormatError(f"{file}: holds {member.name!r}, which no backup does; nothing was restored")
        if count > MOST_FILES or member.issparse():
            why = f"more than {MOST_FILES:,} files" if count > MOST_FILES else f"{member.name!r} with holes"
            raise FormatError(f"{file}: holds {why}, which no backup does; nothing was restored")
        yield member


def _take_in(temporary: Path, folder: Path) -> None:
    try:
        for name in (MEDIA, *KEPT):
            if (temporary / name).exists():
                shutil.move(temporary / name, folder / name)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}); name another folder") from error


def _moved(old: str, new: Path) -> Any:
    """Videos that the workspace keeps are found in its new folder; others stay where they were."""
    inside = f"{old}/"

    def change(table: str, row: dict[str, Any]) -> dict[str, Any]:
        path = row.get("path") if table == "video" else None
        if isinstance(path, str) and path.startswith(inside):
            return row | {"path": str(new / path.removeprefix(inside))}
        return row

    return change
