"""Registers a file as a video: reads its facts and its hash, and recognizes known files by content."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from annotation.intake.video_files import sha256_of
from annotation.intake.waiting_videos import waiting_for_file
from annotation.records.videos import ClipPart, Video
from annotation.stages.media_library import forget_pictures
from annotation.store.scenes_without_file import settle
from annotation.store.store import Store
from backends.errors import MediaError
from backends.text.storable_text import is_storable, mended
from backends.video.probe import probe
from backends.video.pts_tables import save_table


def add_video(
    store: Store,
    media: Path,
    path: Path,
    title: str = "",
    waiting: Video | None = None,
    clips: tuple[ClipPart, ...] = (),
    starts: Sequence[int] | None = None,
) -> Video:
    """Register a file; a file with the same content is the same video.

    A video that already has its file is unchanged. Else the file is assigned to `waiting`, or to the one
    video without a file that has this name in a dataset. `media` is the workspace's media folder; `clips` and
    `starts` are the parts of a film of clips and their first frames. Raises MediaError if the file is not a
    video, or if its name matches several videos.
    """
    path = path.absolute()  # not resolved: a Hugging Face cache links to blobs, whose names are hashes
    if not is_storable(str(path)):
        raise MediaError(f"{mended(str(path))}: the name is not UTF-8 and cannot be stored; rename the file")
    facts, table = probe(path)
    sha256 = sha256_of(path)
    with store.writing():  # others may add the same file or edit the video at the same time
        known = _videos_of(store, path, sha256, waiting)
        if waiting and known[0].id != waiting.id and Path(known[0].path or "").is_file():
            return known[0]
        if waiting and not waiting.path and _has_another(known[0], sha256):  # another process was faster
            raise MediaError(f"{known[0].title!r} has {known[0].path} now; this one is skipped")
        if known:
            if known[0].sha256 != sha256:
                forget_pictures(media / known[0].id)
            video = replace(
                known[0],
                path=str(path),
                facts=facts,
                sha256=sha256,
                title=title or known[0].title,
                clips=clips or known[0].clips,
            )
        else:
            video = Video(
                id=f"vid-{sha256[:20]}",
                title=title or path.stem,
                created_at=time.time(),
                path=str(path),
                sha256=sha256,
                facts=facts,
            )
        save_table(table, media / video.id / "pts.npz")
        store.put(video)
        settle(store, video.id, table, starts)
    return video


def _has_another(video: Video, sha256: str) -> bool:
    """Return whether the video has a file on this machine with different content."""
    return bool(video.path) and Path(str(video.path)).is_file() and video.sha256 != sha256


def _videos_of(store: Store, path: Path, sha256: str, waiting: Video | None) -> list[Video]:
    """Return the current record of the file's video; empty for a new video."""
    known = store.find(Video, sha256=sha256)
    if known or waiting is None:
        return known or waiting_for_file(store, path)
    return store.find(Video, id=waiting.id) or [waiting]
