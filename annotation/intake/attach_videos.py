"""Finds files for the videos of datasets: in a folder, by the ids that the datasets use."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path, PurePosixPath

from annotation.intake.add_video import add_video
from annotation.intake.archives import Packed, members
from annotation.intake.files_of_one_person import passing_folder
from annotation.intake.films_by_second import (
    by_second,
    film_from_clip,
    film_from_pictures,
    folder_named,
    picture_folders,
)
from annotation.intake.films_of_clips import attach_clips, clips_by_video, missing_clips
from annotation.intake.match_files import chosen_by_hand, match
from annotation.intake.video_files import is_video, video_files
from annotation.intake.waiting_videos import names_of_waiting
from annotation.records.errors import FormatError
from annotation.records.videos import Video
from annotation.store.import_log import ImportLog
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.errors import MediaError


@dataclass(frozen=True, slots=True)
class Same:
    """A file that matches a video, but already belongs to another one."""

    file: str
    waiting: Video
    here: Video

    def __str__(self) -> str:
        names = f'"{self.here.title}" "{self.waiting.title}"'
        return (
            f"is the same file as that of {self.here.title!r}; join the two in the Library, or "
            f"with: python app.py join {names}"
        )


@dataclass(slots=True)
class Attached:
    """Result of attaching a folder."""

    attached: list[str] = field(default_factory=list)
    """Titles of videos that now have a file."""
    missing: list[str] = field(default_factory=list)
    """Titles of videos that still have no file."""
    rest: list[Path] = field(default_factory=list)
    """Files whose names do not match a video."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """(file, problem)."""
    failed: int = 0
    """Number of problems with videos that could not be read or joined."""
    same: list[Same] = field(default_factory=list)
    """Videos without a file that may be joined with the video that has it."""
    again: list[tuple[str, str]] = field(default_factory=list)
    """Files whose content is already in the workspace: (file, title of the video)."""
    added: list[Video] = field(default_factory=list)
    """New videos."""

    @property
    def unused(self) -> int:
        """Number of files whose names do not match a video."""
        return len(self.rest)


@dataclass(frozen=True, slots=True)
class Home:
    """The folder for files from uploads and archives."""

    folder: Path
    passing: Path
    """Temporary folder that is deleted later. Files in use are moved out of it."""

    def folder_of(self, file: Path | Packed) -> str:
        """Return the folder that a file had in its upload or archive; empty if it keeps its own path."""
        if isinstance(file, Packed):
            return (PurePosixPath(file.archive.name) / file.name).parent.as_posix()
        if not file.is_relative_to(self.passing):
            return ""
        return "/".join(
            file.relative_to(self.passing).parts[1:-1]
        )  # the first is the folder of all uploaded files

    def keep(self, store: Store, video: Video) -> Video:
        """Move the video's file and clips from `passing` to the folder; return the updated video."""
        path = self._kept(video.path, video.id)
        clips = tuple(
            replace(clip, path=self._kept(clip.path, f"{video.id}-{number}"))
            for number, clip in enumerate(video.clips, 1)
        )
        kept = replace(video, path=path, clips=clips)
        if kept != video:
            store.put(kept)
        return kept

    def _kept(self, path: str | None, name: str) -> str | None:
        if path is None or not Path(path).is_relative_to(self.passing):
            return path
        self.folder.mkdir(exist_ok=True)
        kept = self.folder / f"{name}{Path(path).suffix.lower()}"
        shutil.move(path, kept)
        return str(kept)


def attach_folder(
    store: Store,
    media: Path,
    folder: Path,
    on_progress: Callable[[int, int], None] = lambda *_: None,
    log: ImportLog | None = None,
) -> Attached:
    """Attach files in `folder` (or below) whose name or stem is an id of a video without a file.

    A file that matches several videos, or a second file of one video, is reported and skipped. A video
    without a matching file gets a film of its clips: files named `<its id>-Scene-<number>`. A video whose
    frames are counted by second gets a film with one frame per second, from the folder of numbered pictures
    with its name, or from its clip.

    Raises MediaError if the folder contains neither videos nor numbered pictures.
    """
    if not folder.is_dir():
        raise MediaError(f"{folder}: no such folder; give the folder with the video files")
    waiting = {video.id: video for video in store.find(Video, path=None)}
    pictures = picture_folders(folder) if any(map(by_second, waiting.values())) else {}
    files = video_files(folder, needed=not pictures)
    return attach_files(store, media, files, on_progress, pictures=pictures, log=log)


def attach_files(
    store: Store,
    media: Path,
    files: list[Path],
    on_progress: Callable[[int, int], None] = lambda *_: None,
    *,
    pictures: Mapping[Path, dict[int, Path]] | None = None,
    packed: Mapping[Path, Packed] | None = None,
    named: Mapping[Path, Path] | None = None,
    by_hand: Mapping[Path, str] | None = None,
    home: Home | None = None,
    log: ImportLog | None = None,
) -> Attached:
    """Same as `attach_folder`, for a list of files. `pictures` are folders of numbered pictures.

    `named` maps names in `files` to the paths where they differ. `by_hand` maps files to videos (an id, or a
    name in a dataset), regardless of file names.

    `packed` lists files that are still in an archive: matching ones are unpacked, one at a time, into `home`.
    `log` records the changes.
    """
    found, pictures, packed = Attached(), pictures or {}, packed or {}
    waiting = {video.id: video for video in store.find(Video, path=None)}
    names = names_of_waiting(store, waiting.values())
    picked = chosen_by_hand(names, waiting, by_hand or {})
    files = [file for file in files if file not in picked.values()]
    clips = clips_by_video(store, names, (file for file in files if not names.get(file.stem)))
    single = set(files) - {file for parts in clips.values() for file in parts.values()}
    matched = match(names, waiting, [file for file in files if file in single])
    found.rest, found.problems, fits = matched.rest, matched.problems, matched.chosen
    for video_id in fits.keys() & picked.keys():
        what = f"{waiting[video_id].title!r} has {picked[video_id].name}, chosen by hand; this one is skipped"
        found.problems.append((fits[video_id].name, what))
    chosen = fits | picked
    clips = {video_id: parts for video_id, parts in clips.items() if video_id not in chosen}
    folders = folder_named(names, pictures)
    # Pictures chosen by a person take precedence over a clip.
    chosen |= {video_id: home for video_id, home in folders.items() if by_second(waiting[video_id])}

    def place(file: Path) -> Path:
        if file in packed and home:
            return packed[file].unpack(home.passing)
        return (named or {}).get(file, file)

    def from_file(video_id: str, file: Path) -> Video | None:
        return _attach(store, media, waiting[video_id], file, place, found, pictures.get(file))

    def from_clips(video_id: str, parts: Mapping[int, Path]) -> Video | None:
        return _attach_clips(store, media, waiting[video_id], parts, place, found)

    ways = [(key, partial(from_file, key, file)) for key, file in chosen.items()]
    ways += [(key, partial(from_clips, key, parts)) for key, parts in clips.items()]
    for number, (video_id, attach) in enumerate(ways, 1):
        on_progress(number, len(ways))
        with log.watching_file(store, video_id) if log else nullcontext():
            made = attach()
            if made and home:
                home.keep(store, made)
    left = store.find(Video, path=None, order_by=["title"])
    found.missing = [video.title for video in left]
    return found


def attach_archive(
    space: Workspace, archive: Path, on_progress: Callable[[int, int], None], log: ImportLog | None = None
) -> Attached:
    """Same as `attach_folder`, for a zip or tar of videos. Matching videos are unpacked one at a time.

    Raises FormatError.
    """
    packed = {one.place: one for one in members(archive, lambda name: is_video(Path(name)))}
    with passing_folder(space) as temp_dir:
        home = Home(space.path / "videos", temp_dir)
        return attach_files(
            space.store, space.media, list(packed), on_progress, packed=packed, home=home, log=log
        )


def _attach(
    store: Store,
    media: Path,
    video: Video,
    file: Path,
    place: Callable[[Path], Path],
    found: Attached,
    pictures: Mapping[int, Path] | None,
) -> Video | None:
    """`place` returns the path of a file, and unpacks it if it is in an archive."""
    try:
        there = place(file)
        if pictures:
            there = film_from_pictures(video, media, pictures)
        elif by_second(video):
            there = film_from_clip(video, media, there)
        made = add_video(store, media, there, waiting=video)
    except (MediaError, FormatError) as error:
        found.failed += 1
        found.problems.append((file.name, str(error)))
        return None
    if made.id == video.id:
        found.attached.append(video.title)
        return made
    found.same.append(Same(file.name, video, made))
    return None


def _attach_clips(
    store: Store,
    media: Path,
    video: Video,
    parts: Mapping[int, Path],
    place: Callable[[Path], Path],
    found: Attached,
) -> Video | None:
    try:
        there = {number: place(file) for number, file in parts.items()}
        made = attach_clips(store, media, video, there)
    except (MediaError, FormatError) as error:
        found.failed += 1
        found.problems.append((video.title, str(error)))
        return None
    found.attached.append(video.title)
    if lost := missing_clips(made):
        names = ", ".join(lost[:10]) + (" ..." if len(lost) > 10 else "")
        what = f"{len(lost)} of {len(made.clips)} clips are missing and leave gaps in the film: {names}"
        found.problems.append((video.title, what))
    return made
