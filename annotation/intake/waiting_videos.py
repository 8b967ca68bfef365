"""Finds videos without a file by their names in datasets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePath

from annotation.records.videos import BY_SECOND, Alias, Video
from annotation.store.store import Store
from backends.errors import MediaError


def waiting_for_file(store: Store, path: PurePath) -> list[Video]:
    """Return the video without a file that has this file name in an import.

    Raises MediaError if several match.
    """
    # Frame numbers by second do not fit a file with another rate: see `films_by_second`.
    found_videos = store.find(Video, path=None)
    videos = {video.id: video for video in found_videos if not video.extra.get(BY_SECOND)}
    names = names_of_waiting(store, videos.values()) if videos else {}
    found = names.get(path.name, set()) | names.get(path.stem, set())
    if len(found) > 1:
        titles = ", ".join(sorted(videos[video_id].title for video_id in found))
        raise MediaError(f"{path.name}: fits {len(found)} videos ({titles}); rename it to the id of one")
    return [videos[video_id] for video_id in found]


def names_of_waiting(store: Store, videos: Iterable[Video]) -> dict[str, set[str]]:
    """Return names of these videos and of their files in datasets: `{name: ids}`."""
    names: dict[str, set[str]] = defaultdict(set)
    ids = set()
    for video in videos:
        ids.add(video.id)
        for name in (video.title, video.extra.get("video_name")):
            if isinstance(name, str) and name:
                names[name].add(video.id)
    for alias in store.find(Alias):
        if alias.video_id in ids:
            names[alias.alias].add(alias.video_id)
    return names
