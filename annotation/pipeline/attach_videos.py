"""Files for videos that datasets named: found in a folder by the ids that the datasets give them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from annotation.records.videos import SceneList, Video
from annotation.stages.clip_films import attach_clips, clips_by_video, missing_clips
from annotation.stages.media_library import MediaLibrary
from annotation.stages.video_stages import add_video, names_of_waiting, video_files
from annotation.store.scenes_without_file import NOMINAL, UNTIMED, settle
from annotation.store.store import Store
from annotation.systems.progress_captioner import films_by_second
from annotation.systems.progress_captioner.films_by_second import by_second
from backends.errors import MediaError


@dataclass(slots=True)
class Attached:
    """What a folder gave."""

    attached: list[str] = field(default_factory=list)
    """Titles of videos that have a file now."""
    missing: list[str] = field(default_factory=list)
    """Titles of videos that are still without one."""
    unused: int = 0
    """Files that no video is named like."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """(file, what)."""


def attach_folder(
    store: Store, media: Path, folder: Path, tell: Callable[[int, int], None] = lambda *_: None
) -> Attached:
    """Give every video without a file the one in `folder` (or below) whose name or stem is one of its ids.

    A file that fits several videos, or a second file of one video, is reported and not taken. A video without
    a file of its own gets a film of its clips, files that are called `<its id>-Scene-<number>`. A video
    whose frames are counted by second gets a film with one frame per second: of the folder of numbered
    pictures that is called like it, or of its clip.
    Raises MediaError when the folder holds neither videos nor numbered pictures.
    """
    found = Attached()
    waiting = {video.id: video for video in store.find(Video, path=None)}
    if not folder.is_dir():
        raise MediaError(f"{folder}: no such folder; name the one that holds the video files")
    pictures = films_by_second.picture_folders(folder) if any(map(by_second, waiting.values())) else {}
    files = video_files(folder, needed=not pictures)
    names = names_of_waiting(store, waiting.values())
    clips = clips_by_video(store, names, (file for file in files if not names.get(file.stem)))
    single = set(files) - {file for parts in clips.values() for file in parts.values()}
    chosen = _choose(names, waiting, [file for file in files if file in single], found)
    clips = {video_id: parts for video_id, parts in clips.items() if video_id not in chosen}
    folders = films_by_second.folder_named(names, pictures)
    # Pictures that somebody chose go before a clip that they can be taken from.
    chosen |= {video_id: home for video_id, home in folders.items() if by_second(waiting[video_id])}
    total = len(chosen) + len(clips)
    for number, (video_id, file) in enumerate(chosen.items(), 1):
        tell(number, total)
        _attach(store, media, waiting[video_id], file, found, pictures.get(file))
    for number, (video_id, parts) in enumerate(clips.items(), len(chosen) + 1):
        tell(number, total)
        _attach_clips(store, media, waiting[video_id], parts, found)
    left = store.find(Video, path=None, order_by=["title"])
    found.missing = [video.title for video in left]
    return found


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
    for file in files:
        ids = names.get(file.name, set()) | names.get(file.stem, set())
        if len(ids) > 1:
            titles = ", ".join(sorted(waiting[i].title for i in ids))
            found.problems.append((file.name, f"fits {len(ids)} videos ({titles}); rename it or the ids"))
        elif ids:
            by_video[next(iter(ids))].append(file)
        else:
            found.unused += 1
    for video_id, fitting in by_video.items():
        for other in fitting[1:]:
            what = f"{waiting[video_id].title!r} has {fitting[0].name} already; this one is not taken"
            found.problems.append((other.name, what))
    return {video_id: fitting[0] for video_id, fitting in by_video.items()}


def _attach(
    store: Store, media: Path, video: Video, file: Path, found: Attached, pictures: Mapping[int, Path] | None
) -> None:
    try:
        if pictures:
            file = films_by_second.film_from_pictures(video, media, pictures)
        elif by_second(video):
            file = films_by_second.film_from_clip(video, media, file)
        made = add_video(store, media, file, waiting=video)
    except MediaError as error:
        found.problems.append((file.name, str(error)))
        return
    if made.id == video.id:
        found.attached.append(video.title)
    else:
        found.problems.append((file.name, f"is the same file as {made.title!r}, which has it already"))


def _attach_clips(
    store: Store, media: Path, video: Video, parts: Mapping[int, Path], found: Attached
) -> None:
    try:
        made = attach_clips(store, media, video, parts)
    except MediaError as error:
        found.problems.append((video.title, str(error)))
        return
    found.attached.append(video.title)
    if lost := missing_clips(made):
        names = ", ".join(lost[:10]) + (" ..." if len(lost) > 10 else "")
        what = f"{len(lost)} of {len(made.clips)} clips are not here and are gaps in the film: {names}"
        found.problems.append((video.title, what))


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
