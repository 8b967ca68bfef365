"""Backup and restore: a workspace as one file.

The archive is a tar with `backup.json`, `dailies.db` (a SQLite file, whatever database the workspace
uses), `settings.toml`, `prompts/`, the videos that were uploaded, and films that were joined from clips or
pictures (in `media/`). Thumbnails and copies for browsers are left out: they are made again.
"""

from __future__ import annotations

import errno
import json
import shutil
import tarfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from annotation.records.errors import DiskFull, FormatError
from annotation.store.copy_database import Progress, copy_as_it_is, copy_database
from annotation.store.database import open_engine
from annotation.workspace.held_folders import held_folder, remove_left
from annotation.workspace.limit_settings import size
from annotation.workspace.workspace import DATABASE, Workspace, database_url, require_workspace
from backends.errors import UsageError

ABOUT = "backup.json"
KEPT = ("settings.toml", "prompts", "videos")
MEDIA = "media"
PACKING, UNPACKING = ".dailies-backup-", ".dailies-restore-"
"""How the folders begin in which an archive is written, and a workspace is built."""
VERSION = 1
MOST_FILES = 1_000_000


def back_up(
    folder: Path, out: Path, database: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Write the archive of the workspace in a folder, whole or not at all. Work may go on meanwhile.

    The workspace is not changed: the archive holds the database at the schema that it has, also an old one.

    Returns `{"file", "bytes", "rows"}`. Raises UsageError when there is no workspace, and when `out` exists
    or cannot be written.
    """
    folder, url = folder.expanduser().resolve(), database_url(folder, database)
    require_workspace(folder, database)
    if out.exists():
        raise UsageError(f"{out} is there already; name a new file")
    with _words_of_write_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        remove_left(out.parent, PACKING)
        with held_folder(out.parent, PACKING) as room:
            films: list[str] = []
            rows = _copy_to_file(folder, url, room / DATABASE, films, progress)
            part = room / out.name
            _pack(folder, room / DATABASE, part, rows, films)
            part.replace(out)
    return {"file": str(out), "bytes": out.stat().st_size, "rows": rows}


def restore(
    file: Path, folder: Path, database: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Make a workspace of an archive, in a folder and a database that are empty.

    The folder appears whole at the end, or not at all: it is built beside its place. What a killed restore
    left there is removed. Returns `{"workspace", "rows", "from"}`. Raises UsageError, FormatError.
    """
    folder = folder.expanduser().resolve()
    with _beside(folder) as room:
        archive, made = room / "archive", room / "workspace"
        archive.mkdir()
        about = _unpack(file, archive)
        made.mkdir()
        _take_in(archive, made)
        source, space = open_engine(f"sqlite:///{archive / DATABASE}"), Workspace(made, database)
        try:
            rows = copy_database(source, space.store.engine, progress, _moved(about["workspace"], folder))
        finally:
            source.dispose()
            space.close()
        _put_in_place(room, made, folder)
    return {"workspace": str(folder), "rows": sum(rows.values()), "from": about["created"]}


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """Where a workspace is built, on the disk that it is restored to. Raises UsageError."""
    home = folder if folder.is_mount() else folder.parent  # a mounted folder cannot be replaced
    with ExitStack() as held:
        with _words_of_write_errors(folder):
            home.mkdir(parents=True, exist_ok=True)
            remove_left(home, UNPACKING)
            room = held.enter_context(held_folder(home, UNPACKING))
            # After the room is made: of two restores into a mounted folder one at least sees the other's.
            _require_empty(folder, room)
        yield room


@contextmanager
def _words_of_write_errors(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = f"{place}: cannot be written ({error.strerror}); name another place"
        raise DiskFull.of(error) or UsageError(why) from error


def _put_in_place(room: Path, made: Path, folder: Path) -> None:
    """The folder becomes the workspace in one step; of two restores at once one is refused.

    In a mounted folder the database comes last: without it the folder is not a workspace.
    """
    with _words_of_write_errors(folder):
        _require_empty(folder, room)
        if folder.is_mount():
            for path in sorted(made.iterdir(), key=lambda path: path.name == DATABASE):
                path.rename(folder / path.name)
            return
        try:
            made.rename(folder)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise _not_empty(folder) from error
            raise


def _require_empty(folder: Path, room: Path) -> None:
    """Raises UsageError if the folder holds more than the room of this restore."""
    if folder.exists() and any(path not in room.parents for path in folder.iterdir()):
        raise _not_empty(folder)


def _not_empty(folder: Path) -> UsageError:
    return UsageError(f"{folder} is not empty; name a new folder with --workspace")


def _copy_to_file(folder: Path, url: str, file: Path, films: list[str], progress: Progress | None) -> int:
    """Rows that were copied; `films` gets the videos that lie in `media/`, as paths from the workspace."""
    inside = f"{folder}/"

    def note(table: str, row: dict[str, Any]) -> dict[str, Any]:
        path = row.get("path") if table == "video" else None
        if isinstance(path, str) and path.startswith(f"{inside}{MEDIA}/"):
            films.append(path.removeprefix(inside))
        return row

    return sum(copy_as_it_is(url, f"sqlite:///{file}", progress, note).values())


def _pack(folder: Path, database: Path, out: Path, rows: int, films: Iterable[str]) -> None:
    about = {
        "format": "dailies-backup",
        "version": VERSION,
        "rows": rows,
        "workspace": str(folder),
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    text = out.with_suffix(".json")
    text.write_text(json.dumps(about, indent=2), encoding="utf-8")
    with tarfile.open(out, "w") as tar:
        tar.add(text, ABOUT)
        tar.add(database, DATABASE)
        for name in (*KEPT, *films):
            if (folder / name).exists():
                tar.add(folder / name, name, filter=_plain)


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


def _take_in(archive: Path, made: Path) -> None:
    for name in (MEDIA, *KEPT):
        if (archive / name).exists():
            shutil.move(archive / name, made / name)


def _moved(old: str, new: Path) -> Any:
    """Videos that the workspace keeps are found in its new folder; others stay where they were."""
    inside = f"{old}/"

    def change(table: str, row: dict[str, Any]) -> dict[str, Any]:
        path = row.get("path") if table == "video" else None
        if isinstance(path, str) and path.startswith(inside):
            return row | {"path": str(new / path.removeprefix(inside))}
        return row

    return change
