"""Matches the video names in files with the videos of the store, in both directions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from annotation.intake.video_files import VIDEO_SUFFIXES
from annotation.records.videos import Alias, Dataset, Video
from annotation.store.store import Store


def names_of(video: Video) -> set[str]:
    """Return names of a video without an alias: its title, its file name, and its source's file name."""
    names = {video.title}
    for name in (video.extra.get("video_name"), _file_name(video)):
        if isinstance(name, str):
            names |= {name, _stem(name)}
    return {name for name in names if name}


def _file_name(video: Video) -> str | None:
    """Return the file name; None for a film joined from clips, because its file name is generic."""
    return Path(video.path).name if video.path and not video.clips else None


def _stem(name: str) -> str:
    """Remove a video suffix. Other dots in an id are kept."""
    return name[: name.rfind(".")] if name.lower().endswith(VIDEO_SUFFIXES) else name


class VideoMatcher:
    """Finds videos of the store by the names in a file: by alias first, then by title or file name."""

    def __init__(self, store: Store | None) -> None:
        self.videos = {video.id: video for video in store.find(Video)} if store else {}
        self.datasets = {dataset.id: dataset for dataset in store.find(Dataset)} if store else {}
        self._by_alias: dict[str, dict[str, str]] = defaultdict(dict)
        self._by_name: dict[str, set[str]] = defaultdict(set)
        for alias in store.find(Alias) if store else ():
            self._by_alias[alias.alias][alias.dataset_id] = alias.video_id
        for video in self.videos.values():
            for name in names_of(video):
                self._by_name[name].add(video.id)

    def find(self, dataset_id: str, names: Iterable[str]) -> set[str]:
        """Return ids of the videos that match any of the names. Several ids need a person's decision."""
        wanted = [name for name in names if name]
        for name in wanted:
            if dataset_id in self._by_alias.get(name, {}):
                return {self._by_alias[name][dataset_id]}
        found: set[str] = set()
        for name in wanted:
            found |= self._by_name.get(name, set()) | self._by_name.get(_stem(name), set())
        return found

    def datasets_with(self, system: str, name: str) -> list[Dataset]:
        """Return the datasets of a system (`vdc`) in which a video has this alias."""
        ids = self._by_alias.get(name, {})
        return [self.datasets[i] for i in ids if self.datasets[i].format == system]


class VideoNames:
    """Unique names of videos in a file: the alias, else the title."""

    def __init__(self, store: Store, system: str) -> None:
        self._system = {d.id for d in store.find(Dataset) if d.format == system}
        self._videos = {video.id: video for video in store.find(Video)}
        self._aliases: dict[str, dict[str, str]] = defaultdict(dict)
        for alias in store.find(Alias, order_by=["alias"]):
            self._aliases[alias.video_id].setdefault(alias.dataset_id, alias.alias)
        self._owner: dict[str, str] = {}

    def video(self, video_id: str) -> Video:
        return self._videos[video_id]

    def name(self, video_id: str, dataset_id: str | None = None) -> str:
        """Return the video's name, the same on every call."""
        name = self._plain(video_id, dataset_id)
        if self._owner.setdefault(name, video_id) != video_id:
            name = f"{name} ({video_id})"
        return name

    def file_name(self, video_id: str, dataset_id: str | None = None) -> str:
        """Return the name with the suffix of the video's file, if it has no video suffix."""
        name, video = self.name(video_id, dataset_id), self._videos[video_id]
        file = video.path or str(video.extra.get("video_name") or "")
        return name if name.lower().endswith(VIDEO_SUFFIXES) else f"{name}{Path(file).suffix}"

    def _plain(self, video_id: str, dataset_id: str | None) -> str:
        aliases, video = self._aliases.get(video_id, {}), self._videos[video_id]
        if dataset_id in aliases:
            return aliases[dataset_id]
        of_system = [alias for dataset, alias in aliases.items() if dataset in self._system]
        return of_system[0] if of_system else video.title
