"""Registers a file as a video: probed, hashed, and known again by its content."""

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

    One that has its file already stays as it is. Else it is the file of `waiting`, or of the one video
    without a file that a dataset calls like it. `media` is the workspace's media folder; `clips` and
    `starts` are the parts of a film of clips and their first frames. Raises MediaError for what is no video,
    and for a file whose name fits several videos.
    """
    path = path.absolute()  # a snapshot of a Hugging Face cache is links into blobs, which have no names
    if not is_storable(str(path)):
        raise MediaError(f"{mended(str(path))}: the name is not UTF-8 and cannot be stored; rename the file")
    facts, table = probe(path)
    sha256 = sha256_of(path)
    with store.writing():  # several may add the same file, and people may change what is said of the video
        known = _videos_of(store, path, sha256, waiting)
        if waiting and known[0].id != waiting.id and Path(known[0].path or "").is_file():
            return known[0]
        if waiting and not waiting.path and _has_another(known[0], sha256):  # somebody else was quicker
            raise MediaError(f"{known[0].title!r} has {known[0].path} by now; this one is not taken")
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
    """Whether the video has a file here of other bytes."""
    return bool(video.path) and Path(str(video.path)).is_file() and video.sha256 != sha256


def _videos_of(store: Store, path: Path, sha256: str, waiting: Video | None) -> list[Video]:
    """The video whose file this is, as it is said of it now; none when it is a new one."""
    known = store.find(Video, sha256=sha256)
    if known or waiting is None:
        return known or waiting_for_file(store, path)
    return store.find(Video, id=waiting.id) or [waiting]
