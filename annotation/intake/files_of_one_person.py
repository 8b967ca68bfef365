"""Files of one person: given and not imported yet, or written for them to fetch. Nobody else reads them."""

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
"""How folders begin that last as long as one import, or one estimate."""


class ReadSoFar(NamedTuple):
    """How far the reading of a heap has come."""

    file: str
    """The one that is read now; empty before the first."""
    share: float
    """Of all bytes, 0 to 1."""
    records: int
    """Made of them."""


class Incoming:
    """One such heap of files, by its id."""

    def __init__(self, space: Workspace, incoming_id: str, person_id: str) -> None:
        """Raises NotFound for one that is not there, not any more, or another person's."""
        self.id, self.home, self._limits = incoming_id, space.path / FOLDER / incoming_id, space.limits
        owner = self.home / OWNER
        there = incoming_id.replace("-", "").isalnum() and owner.is_file()
        if not there or owner.read_text(encoding="utf-8") != person_id:
            raise NotFound("these files are not here any more; send them again")

    @classmethod
    def new(cls, space: Workspace, person_id: str) -> Incoming:
        """An empty one; old ones are thrown away."""
        throw_away(space.path / FOLDER, space.limits)
        made = new_id("inc")
        home = space.path / FOLDER / made
        (home / FILES).mkdir(parents=True)
        (home / OWNER).write_text(person_id, encoding="utf-8")
        return cls(space, made, person_id)

    @property
    def files(self) -> Path:
        """Where they lie as they lay."""
        return self.home / FILES

    def file(self, place: str) -> Path:
        """The file that lies at `place`. Raises NotFound."""
        for file in self.files.rglob("*"):  # no path is made of what a client says
            if file.is_file() and place == file.relative_to(self.files).as_posix():
                return file
        raise NotFound("this file is not here any more; send it again")

    @property
    def unpacked(self) -> Path:
        """An empty folder for what is in their archives."""
        folder = self.home / UNPACKED
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def check(self) -> None:
        """Raises TooLarge when they are too many bytes."""
        found = sum(file.stat().st_size for file in self.files.rglob("*") if file.is_file())
        if found > self._limits.incoming:
            self.remove()
            raise TooLarge(
                f"these files have more than {self._limits.incoming_gb:g} GB together, more than is taken "
                "(incoming_gb in settings.toml); import them with: python app.py import"
            )

    def note_progress(self, progress: ReadSoFar) -> None:
        """Keep how far the reading of them has come.

        In the folder, so that another server process on the workspace can answer for it.
        """
        part = self.home / f"{PROGRESS}.part"
        with suppress(OSError):  # the heap is gone, or the disk is full: reading goes on
            part.write_text(json.dumps(progress), encoding="utf-8")
            part.replace(self.home / PROGRESS)

    def progress(self) -> ReadSoFar:
        """The last that was kept."""
        try:
            file, share, records = json.loads((self.home / PROGRESS).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return ReadSoFar("", 0.0, 0)
        return ReadSoFar(file, share, records)

    def remove(self) -> None:
        """Throw them away."""
        shutil.rmtree(self.home, ignore_errors=True)


def throw_away(folder: Path, limits: Limits) -> None:
    """Heaps that nobody has touched for long."""
    oldest = time.time() - limits.incoming_hours * 3600
    for heap in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):  # its import has just ended
            if heap.stat().st_mtime < oldest:
                shutil.rmtree(heap, ignore_errors=True)


def passing_folder(space: Workspace) -> AbstractContextManager[Path]:
    """A folder of the workspace's own disk for what is needed until the block ends."""
    return held_folder(space.path, PASSING)


def remove_left_folders(space: Workspace) -> None:
    """Those that a killed process has left; of one that is at work nothing is touched."""
    remove_left(space.path, PASSING)


def remove_files_of_none(space: Workspace) -> None:
    """Kept files whose import was taken back. Under `importing`: nobody is just adding one."""
    with space.importing():
        videos = space.store.find(Video)
        # By name: a workspace that was moved or copied still knows its files by where they were.
        paths = (path for video in videos for path in (video.path, *(clip.path for clip in video.clips)))
        used = {Path(path).name for path in paths if path}
        for file in (space.path / "videos").glob("*"):
            if file.is_file() and file.name not in used:
                file.unlink()
