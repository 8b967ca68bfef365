"""Backup and restore of a workspace as one file.

The archive is a tar file with `backup.json`, `dailies.db` (always a SQLite file), `settings.toml`,
`prompts/`, uploaded videos, and videos joined from clips or pictures (in `media/`). Thumbnails and copies for
browsers are left out, because they can be created again.
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
"""Prefixes of the temporary folders of a backup and a restore."""
VERSION = 1
MOST_FILES = 1_000_000


def back_up(
    folder: Path, out: Path, database: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Write a backup of the workspace in a folder, completely or not at all. The workspace can stay in use.

    The workspace is not changed. The backup contains the database with its current schema, even an old one.

    Returns `{"file", "bytes", "rows"}`. Raises UsageError if there is no workspace, or if `out` exists or
    cannot be written.
    """
    folder, url = folder.expanduser().resolve(), database_url(folder, database)
    require_workspace(folder, database)
    if out.exists():
        raise UsageError(f"{out} already exists; use another file name")
    with _words_of_write_errors(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        remove_left(out.parent, PACKING)
        with held_folder(out.parent, PACKING) as temp_dir:
            films: list[str] = []
            rows = _copy_to_file(folder, url, temp_dir / DATABASE, films, progress)
            part = temp_dir / out.name
            _pack(folder, temp_dir / DATABASE, part, rows, films)
            part.replace(out)
    return {"file": str(out), "bytes": out.stat().st_size, "rows": rows}


def restore(
    file: Path, folder: Path, database: str | None = None, progress: Progress | None = None
) -> dict[str, Any]:
    """Create a workspace from a backup, in an empty folder and an empty database.

    The workspace is built in a temporary folder next to it and moved at the end. Temporary folders of killed
    restores are removed. Returns `{"workspace", "rows", "from"}`. Raises UsageError, FormatError.
    """
    folder = folder.expanduser().resolve()
    with _beside(folder) as temp_dir:
        archive, made = temp_dir / "archive", temp_dir / "workspace"
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
        _put_in_place(temp_dir, made, folder)
    return {"workspace": str(folder), "rows": sum(rows.values()), "from": about["created"]}


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder on the target disk, in which the workspace is built. Raises UsageError."""
    home = folder if folder.is_mount() else folder.parent  # a mounted folder cannot be replaced
    with ExitStack() as held:
        with _words_of_write_errors(folder):
            home.mkdir(parents=True, exist_ok=True)
            remove_left(home, UNPACKING)
            temp_dir = held.enter_context(held_folder(home, UNPACKING))
            # Check after creating it, so that concurrent restores into one mounted folder detect each other.
            _require_empty(folder, temp_dir)
        yield temp_dir


@contextmanager
def _words_of_write_errors(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        why = f"{place}: cannot be written ({error.strerror}); choose another place"
        raise DiskFull.of(error) or UsageError(why) from error


def _put_in_place(temp_dir: Path, made: Path, folder: Path) -> None:
    """Move the finished workspace to its folder in one step. Of two concurrent restores, one is refused.

    In a mounted folder the database is moved last: without it the folder is not a workspace.
    """
    with _words_of_write_errors(folder):
        _require_empty(folder, temp_dir)
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


def _require_empty(folder: Path, temp_dir: Path) -> None:
    """Raise UsageError if the folder contains anything except the temporary folder of this restore."""
    if folder.exists() and any(path not in temp_dir.parents for path in folder.iterdir()):
        raise _not_empty(folder)


def _not_empty(folder: Path) -> UsageError:
    return UsageError(f"{folder} is not empty; give a new folder with --workspace")


def _copy_to_file(folder: Path, url: str, file: Path, films: list[str], progress: Progress | None) -> int:
    """Copy the database and return the number of rows.

    The videos in `media/` are added to `films` as paths relative to the workspace.
    """
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
    """Keep only files and folders: a link could point outside the workspace."""
    return member if member.isreg() or member.isdir() else None


def _unpack(file: Path, folder: Path) -> Mapping[str, Any]:
    """Unpack a backup and return its `backup.json`. Raises FormatError if it is not a valid backup."""
    try:
        with tarfile.open(file, "r:") as tar:
            members = list(_ours(file, tar))
            _check_free_space(file, members, folder)
            tar.extractall(folder, members, filter="data")
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
    except (OSError, tarfile.TarError, ValueError) as error:
        why = f"{file}: not a backup of Dailies ({error}); use a file written by: python app.py backup"
        raise DiskFull.of(error) or FormatError(why) from error
    if not isinstance(about, dict) or about.get("format") != "dailies-backup":
        raise FormatError(f"{file}: not a backup of Dailies; use a file written by: python app.py backup")
    if about.get("version") != VERSION or not isinstance(about.get("workspace"), str):
        raise FormatError(f"{file}: written by another version of Dailies; restore it with that version")
    if not (folder / DATABASE).is_file():
        raise FormatError(f"{file}: {DATABASE} is missing, so the backup is incomplete; use another backup")
    return about


def _check_free_space(file: Path, members: list[tarfile.TarInfo], folder: Path) -> None:
    """Raise DiskFull if there is not enough space. The database is needed twice: unpacked, and as a copy."""
    needed = sum(member.size for member in members) + sum(m.size for m in members if m.name == DATABASE)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise DiskFull(f"{file}: needs {size(needed)}, but only {size(free)} are free; free some space first")


def _ours(file: Path, tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    for count, member in enumerate(tar, 1):
        top = Path(member.name).parts[:1]
        if top and top[0] not in (ABOUT, DATABASE, MEDIA, *KEPT):
            raise FormatError(
                f"{file}: contains {member.name!r}, so it is not a backup; nothing was restored"
            )
        if count > MOST_FILES or member.issparse():
            why = (
                f"more than {MOST_FILES:,} files"
                if count > MOST_FILES
                else f"the sparse file {member.name!r}"
            )
            raise FormatError(f"{file}: contains {why}, so it is not a backup; nothing was restored")
        yield member


def _take_in(archive: Path, made: Path) -> None:
    for name in (MEDIA, *KEPT):
        if (archive / name).exists():
            shutil.move(archive / name, made / name)


def _moved(old: str, new: Path) -> Any:
    """Return a function that updates the paths of videos in the workspace. Other paths are not changed."""
    inside = f"{old}/"

    def change(table: str, row: dict[str, Any]) -> dict[str, Any]:
        path = row.get("path") if table == "video" else None
        if isinstance(path, str) and path.startswith(inside):
            return row | {"path": str(new / path.removeprefix(inside))}
        return row

    return change
