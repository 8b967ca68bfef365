"""Private files of one person: uploads that are not imported yet, and exports for download."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import NamedTuple

from annotation.records.errors import NotFound, TooLarge
from annotation.records.ids import new_id
from annotation.records.videos import Video
from annotation.workspace.held_folders import held_folder, remove_left
from annotation.workspace.limit_settings import Limits
from annotation.workspace.workspace import Workspace

FOLDER = "incoming"
FILES, UNPACKED, OWNER, PROGRESS = "files", "unpacked", "owner", "progress"
PASSING = "passing-"
"""Prefix of temporary folders for one import or one estimate."""


class ReadSoFar(NamedTuple):
    """Progress of reading an upload."""

    file: str
    """The file being read; empty before the first one."""
    share: float
    """Share of all bytes that has been read, 0 to 1."""
    records: int
    """Number of records created so far."""


class Incoming:
    """One upload: a set of files with an id."""

    def __init__(self, space: Workspace, incoming_id: str, person_id: str) -> None:
        """Open an upload. Raises NotFound if it does not exist or belongs to another person."""
        self.id, self.home, self._limits = incoming_id, space.path / FOLDER / incoming_id, space.limits
        owner = self.home / OWNER
        there = incoming_id.replace("-", "").isalnum() and owner.is_file()
        if not there or owner.read_text(encoding="utf-8") != person_id:
            raise NotFound("these files no longer exist; upload them again")

    @classmethod
    def new(cls, space: Workspace, person_id: str) -> Incoming:
        """Create an empty upload. Expired uploads are deleted."""
        throw_away(space.path / FOLDER, space.limits)
        made = new_id("inc")
        home = space.path / FOLDER / made
        (home / FILES).mkdir(parents=True)
        (home / OWNER).write_text(person_id, encoding="utf-8")
        return cls(space, made, person_id)

    @property
    def files(self) -> Path:
        """The folder of the files, with their original subfolders."""
        return self.home / FILES

    def file(self, place: str) -> Path:
        """Return the file with the relative path `place`. Raises NotFound."""
        for file in self.files.rglob("*"):  # never build a path from the client's input
            if file.is_file() and place == file.relative_to(self.files).as_posix():
                return file
        raise NotFound("this file no longer exists; upload it again")

    @property
    def unpacked(self) -> Path:
        """A new empty folder for the contents of archives."""
        folder = self.home / UNPACKED
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def check(self) -> None:
        """Raise TooLarge, and delete the upload, if the files are larger than the limit."""
        found = sum(file.stat().st_size for file in self.files.rglob("*") if file.is_file())
        if found > self._limits.incoming:
            self.remove()
            raise TooLarge(
                f"these files have more than {self._limits.incoming_gb:g} GB in total, which is the limit "
                "(incoming_gb in settings.toml); import them with: python app.py import"
            )

    def note_progress(self, progress: ReadSoFar) -> None:
        """Store the progress of reading the files.

        It is stored in the folder, so that other server processes of the workspace can report it.
        """
        part = self.home / f"{PROGRESS}.part"
        with suppress(OSError):  # deleted, or the disk is full: reading continues
            part.write_text(json.dumps(progress), encoding="utf-8")
            part.replace(self.home / PROGRESS)

    def progress(self) -> ReadSoFar:
        """Return the progress stored last."""
        try:
            file, share, records = json.loads((self.home / PROGRESS).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return ReadSoFar("", 0.0, 0)
        return ReadSoFar(file, share, records)

    def remove(self) -> None:
        """Delete the upload."""
        shutil.rmtree(self.home, ignore_errors=True)


def throw_away(folder: Path, limits: Limits) -> None:
    """Delete uploads that have not changed for `incoming_hours`."""
    oldest = time.time() - limits.incoming_hours * 3600
    for heap in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # its import has just ended
            if heap.stat().st_mtime < oldest:
                shutil.rmtree(heap, ignore_errors=True)


def passing_folder(space: Workspace) -> AbstractContextManager[Path]:
    """Return a context manager for a temporary folder in the workspace."""
    return held_folder(space.path, PASSING)


def remove_left_folders(space: Workspace) -> None:
    """Delete the temporary folders of killed processes. Folders of running processes are not touched."""
    remove_left(space.path, PASSING)


def remove_files_of_none(space: Workspace) -> None:
    """Delete stored video files whose import was undone.

    Holds the lock of `importing`, so that files of a running import are not deleted.
    """
    with space.importing():
        videos = space.store.find(Video)
        # Compare names: after a workspace is moved or copied, stored paths still have the old folder.
        paths = (path for video in videos for path in (video.path, *(clip.path for clip in video.clips)))
        used = {Path(path).name for path in paths if path}
        for file in (space.path / "videos").glob("*"):
            if file.is_file() and file.name not in used:
                file.unlink()
