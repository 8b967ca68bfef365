"""Tells videos of one title apart: by the folders of their files, the names of the files, or their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import PurePosixPath

from annotation.records.videos import FOLDER, Video
from annotation.stages.media_library import remote_url
from annotation.store.store import Store
from annotation.store.videos.library_index import Videos

ID_CHARS = 12


def places_of(store: Store, known: Videos, video_ids: Iterable[str]) -> dict[str, str]:
    """Return what distinguishes videos from others of their titles, by id. Unique titles are left out."""
    here = known.places()
    groups = {tuple(sorted(known.namesakes(video_id))) for video_id in video_ids if video_id in here}
    several = [group for group in groups if len(group) > 1]
    videos = {video.id: video for video in store.find(Video, id=sorted({one for g in several for one in g}))}
    found: dict[str, str] = {}
    for group in several:
        found |= told_apart([videos[video_id] for video_id in group if video_id in videos])
    return found


def told_apart(videos: Sequence[Video]) -> dict[str, str]:
    """Return for each video the shortest words that no other has, by id; empty for a single video.

    Folders are named from the last one that differs, as few as needed.
    """
    if len(videos) < 2:
        return {video.id: "" for video in videos}
    files = {video.id: _file(video) for video in videos}
    folders = _ends({video_id: file.parent.parts for video_id, file in files.items()})
    names = {video_id: f"{folder} {files[video_id].name}".strip() for video_id, folder in folders.items()}
    ids = {video.id: video.id[:ID_CHARS] for video in videos}
    return {
        video.id: next(
            (words[video.id] for words in (folders, names) if _alone(words, video.id)), ids[video.id]
        )
        for video in videos
    }


def _file(video: Video) -> PurePosixPath:
    """Return where the file was before it came here, else where it is; empty if that is not known."""
    if folder := video.extra.get(FOLDER):
        return PurePosixPath(str(folder), f"{video.title}{PurePosixPath(video.path or '').suffix}")
    return PurePosixPath(remote_url(video) or video.path or "")


def _alone(words: Mapping[str, str], video_id: str) -> bool:
    mine = words[video_id]
    return bool(mine) and sum(mine == other for other in words.values()) == 1


def _ends(folders: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the fewest last names of each that make them differ, without the last ones that all have."""
    common = sum(1 for _ in takewhile(_same, zip(*(parts[::-1] for parts in folders.values()), strict=False)))
    short = {key: tuple(parts[: len(parts) - common]) for key, parts in folders.items()}
    longest = max(len(parts) for parts in short.values())
    for count in range(1, longest + 1):
        ends = {key: "/".join(parts[-count:]) for key, parts in short.items()}
        if len(set(ends.values())) == len(ends):
            return ends
    return {key: "/".join(parts) for key, parts in short.items()}


def _same(names: Iterable[str]) -> bool:
    return len(set(names)) == 1
