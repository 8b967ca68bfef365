"""Files for videos that datasets named: found in a folder by the ids that the datasets give them."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from annotation.records.errors import FormatError
from annotation.records.videos import SceneList, Video
from annotation.stages.clips_as_scenes import attach_clips, clips_by_video, missing_clips
from annotation.stages.media_library import MediaLibrary
from annotation.stages.probe_scenes_speech import (
    VIDEO_SUFFIXES,
    add_video,
    names_of_waiting,
    sha256_of,
    video_files,
)
from annotation.store.import_log import ImportLog
from annotation.store.scenes_without_file import NOMINAL, UNTIMED, settle
from annotation.store.store import Store
from annotation.systems.progress_captioner.video_of_frames_by_second import (
    by_second,
    film_from_clip,
    film_from_pictures,
    folder_named,
    picture_folders,
)
from annotation.workspace.archives_to_import import Packed, members
from annotation.workspace.files_of_one_person import passing_folder
from annotation.workspace.workspace import Workspace
from backends.errors import MediaError
from backends.video.open_and_decode import why_no_video


@dataclass(frozen=True, slots=True)
class Same:
    """A file that fits a video, and is the file of another one already."""

    file: str
    waiting: Video
    here: Video

    def __str__(self) -> str:
        names = f'"{self.here.title}" "{self.waiting.title}"'
        return (
            f"is the same file as {self.here.title!r}, which has it already; join the two in the Library, or "
            f"with: python app.py join {names}"
        )


@dataclass(slots=True)
class Attached:
    """What a folder gave."""

    attached: list[str] = field(default_factory=list)
    """Titles of videos that have a file now."""
    missing: list[str] = field(default_factory=list)
    """Titles of videos that are still without one."""
    rest: list[Path] = field(default_factory=list)
    """Files that no video is named like."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """(file, what)."""
    failed: int = 0
    """How many of those are videos that could not be read or joined."""
    same: list[Same] = field(default_factory=list)
    """Videos that wait for a file that another one has: the two may be joined."""
    again: list[tuple[str, str]] = field(default_factory=list)
    """Files whose content is here already: (file, title of the video)."""

    @property
    def unused(self) -> int:
        """How many files no video is named like."""
        return len(self.rest)


@dataclass(frozen=True, slots=True)
class Home:
    """Where files are kept that have no place of their own: uploaded ones, and those from archives."""

    folder: Path
    passing: Path
    """Below this everything is thrown away later: what is used is moved out of it."""

    def keep(self, store: Store, video: Video) -> Video:
        """The video with its file and its clips under the folder, where they lay below `passing`."""
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
    tell: Callable[[int, int], None] = lambda *_: None,
    log: ImportLog | None = None,
) -> Attached:
    """Give every video without a file the one in `folder` (or below) whose name or stem is one of its ids.

    A file that fits several videos, or a second file of one video, is reported and not taken. A video without
    a file of its own gets a film of its clips, files that are called `<its id>-Scene-<number>`. A video
    whose frames are counted by second gets a film with one frame per second: of the folder of numbered
    pictures that is called like it, or of its clip.
    Raises MediaError when the folder holds neither videos nor numbered pictures.
    """
    if not folder.is_dir():
        raise MediaError(f"{folder}: no such folder; name the one that holds the video files")
    waiting = {video.id: video for video in store.find(Video, path=None)}
    pictures = picture_folders(folder) if any(map(by_second, waiting.values())) else {}
    files = video_files(folder, needed=not pictures)
    return attach_files(store, media, files, tell, pictures=pictures, log=log)


def attach_files(
    store: Store,
    media: Path,
    files: list[Path],
    tell: Callable[[int, int], None] = lambda *_: None,
    *,
    pictures: Mapping[Path, dict[int, Path]] | None = None,
    packed: Mapping[Path, Packed] | None = None,
    named: Mapping[Path, Path] | None = None,
    by_hand: Mapping[Path, str] | None = None,
    home: Home | None = None,
    log: ImportLog | None = None,
) -> Attached:
    """As `attach_folder`, of files that are known. `pictures` are folders of numbered pictures.

    `named` says where a file lies that is called otherwise in `files`; `by_hand`, of which video a file is
    (its id, or what a dataset calls it), whatever it is called.

    `packed` says which of the files are still in an archive: those that fit are unpacked, one at a time, into
    `home`. `log` keeps what is changed.
    """
    found, pictures, packed = Attached(), pictures or {}, packed or {}
    waiting = {video.id: video for video in store.find(Video, path=None)}
    names = names_of_waiting(store, waiting.values())
    said = _by_hand(names, waiting, by_hand or {})
    files = [file for file in files if file not in said.values()]
    clips = clips_by_video(store, names, (file for file in files if not names.get(file.stem)))
    single = set(files) - {file for parts in clips.values() for file in parts.values()}
    fits = _choose(names, waiting, [file for file in files if file in single], found)
    for video_id in fits.keys() & said.keys():
        what = f"{waiting[video_id].title!r} has {said[video_id].name}, chosen by hand; this one is not taken"
        found.problems.append((fits[video_id].name, what))
    chosen = fits | said
    clips = {video_id: parts for video_id, parts in clips.items() if video_id not in chosen}
    folders = folder_named(names, pictures)
    # Pictures that somebody chose go before a clip that they can be taken from.
    chosen |= {video_id: home for video_id, home in folders.items() if by_second(waiting[video_id])}
    total = len(chosen) + len(clips)

    def place(file: Path) -> Path:
        if file in packed and home:
            return packed[file].unpack(home.passing)
        return (named or {}).get(file, file)

    for number, (video_id, file) in enumerate(chosen.items(), 1):
        tell(number, total)
        with log.watching_file(store, video_id) if log else nullcontext():
            made = _attach(store, media, waiting[video_id], file, place, found, pictures.get(file))
            if made and home:
                home.keep(store, made)
    for number, (video_id, parts) in enumerate(clips.items(), len(chosen) + 1):
        tell(number, total)
        with log.watching_file(store, video_id) if log else nullcontext():
            made = _attach_clips(store, media, waiting[video_id], parts, place, found)
            if made and home:
                home.keep(store, made)
    left = store.find(Video, path=None, order_by=["title"])
    found.missing = [video.title for video in left]
    return found


def attach_archive(
    space: Workspace, archive: Path, tell: Callable[[int, int], None], log: ImportLog | None = None
) -> Attached:
    """As `attach_folder`, of a zip or tar of videos: what fits is unpacked into the workspace, one by one.

    Raises FormatError.
    """
    packed = {archive / one.name: one for one in members(archive, lambda name: is_video(Path(name)))}
    with passing_folder(space) as room:
        home = Home(space.path / "videos", room)
        return attach_files(space.store, space.media, list(packed), tell, packed=packed, home=home, log=log)


def here_already(store: Store, files: Collection[Path]) -> dict[Path, str]:
    """Files that are those of videos here, or their copies, with the titles of these."""
    videos = [v for v in store.find(Video) if v.path and Path(v.path).is_file()] if files else []
    titles = {(Path(str(v.path)).stat().st_size, v.sha256): v.title for v in videos}
    sizes = {size for size, _ in titles}  # a large file is read whole only where it may be the same
    there = [(file, file.stat().st_size) for file in files if file.is_file()]
    keys = {file: (size, _hash_of(file)) for file, size in there if size in sizes}
    return {file: titles[key] for file, key in keys.items() if key in titles}


def _hash_of(file: Path) -> str:
    """SHA-256 of its bytes; empty for a file that cannot be read, which is named where it is opened."""
    try:
        return sha256_of(file)
    except MediaError:
        return ""


def tell_rest(store: Store, found: Attached) -> None:
    """Of files that no video is named like: which are here already, and why others cannot be read."""
    known = here_already(store, found.rest)
    found.again += [(file.name, title) for file, title in known.items()]
    rest, found.rest = [file for file in found.rest if file not in known], []
    for file in rest:
        why = why_no_video(file) if file.exists() else ""  # others are still in their archive
        if why:
            found.failed += 1
            found.problems.append((file.name, why))
        else:
            found.rest.append(file)


def _by_hand(
    names: Mapping[str, set[str]], waiting: Mapping[str, Video], said: Mapping[Path, str]
) -> dict[str, Path]:
    """`{video id: its file}` as somebody said it. Raises MediaError for what is no video that waits."""
    chosen = {}
    for file, video in said.items():
        ids = [video] if video in waiting else sorted(names.get(video, ()))
        if len(ids) != 1 or ids[0] in chosen:
            raise MediaError(f"{file.name}: {video!r} is not one video that waits for a file; choose again")
        chosen[ids[0]] = file
    return chosen


def is_video(file: Path) -> bool:
    """By its suffix."""
    return file.suffix.lower() in VIDEO_SUFFIXES


@dataclass(frozen=True, slots=True)
class Fitting:
    """What would become of files."""

    chosen: Mapping[str, Path]
    """By the title of the video."""
    rest: list[Path]
    """Those that no video is named like."""
    unclear: list[tuple[str, str]]
    waiting: Mapping[str, str]
    """Videos that would stay without a file: `{id, or what the files call it: title}`."""


def fitting(store: Store, files: list[Path], also: Collection[str]) -> Fitting:
    """As `attach_files` would do it. `also` are names of videos that are yet to come."""
    waiting = {video.id: video for video in store.find(Video, path=None)}
    names = names_of_waiting(store, waiting.values())
    known = {name for video in store.find(Video) if video.path for name in (video.title,)}
    for name in also:
        if not names.get(name) and name not in known:
            names[name] = {name}
            waiting[name] = Video(id=name, title=name, created_at=0.0)
    found = Attached()
    chosen = _choose(names, waiting, files, found)
    titles = {waiting[key].title: file for key, file in chosen.items()}
    left = {key: waiting[key].title for key in waiting.keys() - chosen.keys()}
    left = dict(sorted(left.items(), key=lambda one: (one[1], one[0])))
    return Fitting(titles, found.rest, found.problems, left)


def by_name(
    store: Store, waiting: Mapping[str, Video], files: list[Path], found: Attached
) -> dict[str, Path]:
    """`{video id: its file}` for the videos that wait; what fits none or too many is told in `found`."""
    return _choose(names_of_waiting(store, waiting.values()), waiting, files, found)


def _choose(
    names: Mapping[str, set[str]], waiting: Mapping[str, Video], files: list[Path], found: Attached
) -> dict[str, Path]:
    """`{video id: its file}`."""
    by_video: dict[str, list[Path]] = defaultdict(list)
    alone = Counter(file.parent for file in files)
    by_hash = {video.sha256: {video.id} for video in waiting.values() if video.sha256}
    for file in files:
        ids = names.get(file.name, set()) | names.get(file.stem, set())
        if not ids and alone[file.parent] == 1:
            ids = names.get(file.parent.name, set())  # a folder by id, whatever the file in it is called
        if not ids and by_hash and file.is_file():
            ids = by_hash.get(_hash_of(file), set())
        if len(ids) > 1:
            titles = ", ".join(sorted(waiting[i].title for i in ids))
            found.problems.append((file.name, f"fits {len(ids)} videos ({titles}); rename it or the ids"))
        elif ids:
            by_video[next(iter(ids))].append(file)
        else:
            found.rest.append(file)
    for video_id, fitting in by_video.items():
        for other in fitting[1:]:
            what = f"{waiting[video_id].title!r} has {fitting[0].name} already; this one is not taken"
            found.problems.append((other.name, what))
    return {video_id: fitting[0] for video_id, fitting in by_video.items()}


def _attach(
    store: Store,
    media: Path,
    video: Video,
    file: Path,
    place: Callable[[Path], Path],
    found: Attached,
    pictures: Mapping[int, Path] | None,
) -> Video | None:
    """`place` says where the file lies, which unpacks it where it is in an archive."""
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
        what = f"{len(lost)} of {len(made.clips)} clips are not here and are gaps in the film: {names}"
        found.problems.append((video.title, what))
    return made


def settle_scenes(store: Store, media: MediaLibrary) -> int:
    """Put scenes that came with times alone on the frames of the files that are here; for how many videos.

    A file that cannot be read leaves its scenes as they are.
    """
    lists = store.find(SceneList, note=[NOMINAL, UNTIMED])
    done = 0
    for video in store.find(Video, id=sorted({one.video_id for one in lists})):
        if video.path and video.facts:
            with suppress(MediaError):
                clips = [clip.start_frame for clip in video.clips]
                done += settle(store, video.id, media.table(video), clips)
    return done
