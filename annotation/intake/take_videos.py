"""Attaches the video files of an import to videos without a file, and adds new videos."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from annotation.intake.add_video import add_video
from annotation.intake.archives import Packed
from annotation.intake.attach_videos import Attached, Home, attach_files
from annotation.intake.match_files import known_files
from annotation.intake.video_files import sha256_of
from annotation.records.errors import DiskFull
from annotation.records.videos import FOLDER, SceneList, Video
from annotation.stages.media_library import MediaLibrary
from annotation.store import tables as t
from annotation.store.import_log import ImportLog
from annotation.store.scenes_without_file import NOMINAL, UNTIMED, settle
from annotation.store.store import Store
from annotation.workspace.workspace import Workspace
from backends.errors import DailiesError, MediaError
from backends.video.open_and_decode import why_no_video


def take_videos(
    space: Workspace,
    files: Sequence[Path],
    packed: Sequence[Packed],
    log: ImportLog,
    *,
    home: Home,
    add_rest: bool = False,
    by_hand: Mapping[Path, str] | None = None,
) -> Attached:
    """Attach video files to the videos that wait for them, after their records were imported.

    Scenes imported with times only get the frames of the attached files. `packed` are videos in archives.
    `add_rest`: files whose names do not match a video become new videos. `by_hand` as in `attach_files`.
    Raises DiskFull, and MediaError for an invalid choice by hand.
    """
    media = MediaLibrary(space.media)
    try:
        settle_scenes(space.store, media)
    finally:
        media.close()
    archived = {one.place: one for one in packed}
    every = [*files, *archived]
    if not every:
        return Attached()
    found = attach_files(
        space.store, space.media, every, packed=archived, by_hand=by_hand, home=home, log=log
    )
    if not add_rest:
        report_rest(space.store, found)
        return found
    rest, found.rest = found.rest, []
    for file in rest:
        try:
            _add(space, file, archived.get(file), log, found, home)
        except DiskFull:
            raise
        except DailiesError as error:
            found.problems.append((file.name, str(error).replace(f"{file.parent}/", "")))
    return found


def _add(
    space: Workspace, file: Path, packed: Packed | None, log: ImportLog, found: Attached, home: Home
) -> None:
    """Add a new video, or recognize an existing one with another title."""
    there = packed.unpack(home.passing) if packed else file
    before = space.store.find(Video, sha256=sha256_of(there))
    if before and before[0].path and Path(before[0].path).is_file():
        found.again.append((file.name, before[0].title))
        return
    video = add_video(space.store, space.media, there)
    if not before and (folder := home.folder_of(packed or file)):
        video = replace(video, extra={**video.extra, FOLDER: folder})
    video = home.keep(space.store, video)
    if not before:
        with space.store.writing() as conn:
            log.added(conn, t.video, [video.id])
    found.added.append(video)


def report_rest(store: Store, found: Attached) -> None:
    """Report files whose names do not match a video: which exist already, and why others cannot be read."""
    known = known_files(store, found.rest)
    found.again += [(file.name, title) for file, title in known.items()]
    rest, found.rest = [file for file in found.rest if file not in known], []
    for file in rest:
        why = why_no_video(file) if file.exists() else ""  # others are still in their archive
        if why:
            found.failed += 1
            found.problems.append((file.name, why))
        else:
            found.rest.append(file)


def settle_scenes(store: Store, media: MediaLibrary) -> int:
    """Set the frames of scenes that were imported with times only; return the number of videos.

    If a file cannot be read, its scenes are unchanged.
    """
    lists = store.find(SceneList, note=[NOMINAL, UNTIMED])
    done = 0
    for video in store.find(Video, id=sorted({one.video_id for one in lists})):
        if video.path and video.facts:
            with suppress(MediaError):
                clips = [clip.start_frame for clip in video.clips]
                done += settle(store, video.id, media.table(video), clips)
    return done
