"""Videos that have no file yet, by what datasets call them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import PurePath

from annotation.records.constants_of_systems import BY_SECOND
from annotation.records.videos import Alias, Video
from annotation.store.store import Store
from backends.errors import MediaError


def waiting_for_file(store: Store, path: PurePath) -> list[Video]:
    """The video that an imported file named and that has no file yet: known by its file name.

    Raises MediaError for a name that fits several.
    """
    # Frames that are counted by second would be others in a file of another rate: see `films_by_second`.
    found_videos = store.find(Video, path=None)
    videos = {video.id: video for video in found_videos if not video.extra.get(BY_SECOND)}
    names = names_of_waiting(store, videos.values()) if videos else {}
    found = names.get(path.name, set()) | names.get(path.stem, set())
    if len(found) > 1:
        titles = ", ".join(sorted(videos[video_id].title for video_id in found))
        raise MediaError(f"{path.name}: fits {len(found)} videos ({titles}); rename it to the id of one")
    return [videos[video_id] for video_id in found]


def names_of_waiting(store: Store, videos: Iterable[Video]) -> dict[str, set[str]]:
    """What datasets call these videos, or their files: `{name: ids}`."""
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
