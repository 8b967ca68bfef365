"""Matches files to videos: by name, by content, or by a person's choice."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotation.intake.video_files import sha256_of
from annotation.intake.waiting_videos import names_of_waiting
from annotation.records.videos import Video
from annotation.store.store import Store
from backends.errors import MediaError


@dataclass(slots=True)
class Matched:
    """Files matched to videos without a file."""

    chosen: dict[str, Path] = field(default_factory=dict)
    """Keyed by video id."""
    rest: list[Path] = field(default_factory=list)
    """Files whose names do not match a video."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """(file, problem) for files that match several videos, or a video that has a file."""


def match(names: Mapping[str, set[str]], waiting: Mapping[str, Video], files: Collection[Path]) -> Matched:
    """Choose a file for each waiting video by name, folder or content; `names` is `{name: video ids}`."""
    found = Matched()
    by_video: dict[str, list[Path]] = defaultdict(list)
    alone = Counter(file.parent for file in files)
    by_hash = {video.sha256: {video.id} for video in waiting.values() if video.sha256}
    for file in files:
        ids = names.get(file.name, set()) | names.get(file.stem, set())
        if not ids and alone[file.parent] == 1:
            ids = names.get(file.parent.name, set())  # a folder named by id, with a file of any name
        if not ids and by_hash and file.is_file():
            ids = by_hash.get(_hash_of(file), set())
        if len(ids) > 1:
            titles = ", ".join(sorted(waiting[i].title for i in ids))
            found.problems.append(
                (file.name, f"fits {len(ids)} videos ({titles}); rename the file or change the ids")
            )
        elif ids:
            by_video[next(iter(ids))].append(file)
        else:
            found.rest.append(file)
    for video_id, fitting in by_video.items():
        for other in fitting[1:]:
            what = f"{waiting[video_id].title!r} has {fitting[0].name} already; this one is skipped"
            found.problems.append((other.name, what))
    found.chosen = {video_id: fitting[0] for video_id, fitting in by_video.items()}
    return found


def chosen_by_hand(
    names: Mapping[str, set[str]], waiting: Mapping[str, Video], choices: Mapping[Path, str]
) -> dict[str, Path]:
    """Return `{video id: file}` for a person's choices. Raises MediaError if a video does not wait for a
    file.
    """
    chosen = {}
    for file, video in choices.items():
        ids = [video] if video in waiting else sorted(names.get(video, ()))
        if len(ids) != 1 or ids[0] in chosen:
            raise MediaError(
                f"{file.name}: {video!r} does not name exactly one video without a file; choose again"
            )
        chosen[ids[0]] = file
    return chosen


@dataclass(frozen=True, slots=True)
class Fitting:
    """Preview of what would be done with files."""

    chosen: Mapping[str, Path]
    """Keyed by the title of the video."""
    rest: list[Path]
    """New files whose names do not match a video."""
    unclear: list[tuple[str, str]]
    again: Mapping[Path, str]
    """Files already in the workspace whose names do not match a video, with the titles of their videos."""
    waiting: Mapping[str, str]
    """Videos that would stay without a file: `{id, or name in the files: title}`."""


def fitting(store: Store, files: list[Path], also: Collection[str]) -> Fitting:
    """Preview `attach_files`. `also` are names of videos that will be created."""
    waiting = {video.id: video for video in store.find(Video, path=None)}
    names = names_of_waiting(store, waiting.values())
    known = {name for video in store.find(Video) if video.path for name in (video.title,)}
    for name in also:
        if not names.get(name) and name not in known:
            names[name] = {name}
            waiting[name] = Video(id=name, title=name, created_at=0.0)
    matched = match(names, waiting, files)
    titles = {waiting[key].title: file for key, file in matched.chosen.items()}
    left = {key: waiting[key].title for key in waiting.keys() - matched.chosen.keys()}
    left = dict(sorted(left.items(), key=lambda one: (one[1], one[0])))
    again = known_files(store, matched.rest)
    rest = [file for file in matched.rest if file not in again]
    return Fitting(titles, rest, matched.problems, again, left)


def known_files(store: Store, files: Collection[Path]) -> dict[Path, str]:
    """Return files of existing videos, or copies of them, with the titles of the videos."""
    videos = [v for v in store.find(Video) if v.path and Path(v.path).is_file()] if files else []
    titles = {(Path(str(v.path)).stat().st_size, v.sha256): v.title for v in videos}
    sizes = {size for size, _ in titles}  # hash a large file only if one of the same size is known
    there = [(file, file.stat().st_size) for file in files if file.is_file()]
    keys = {file: (size, _hash_of(file)) for file, size in there if size in sizes}
    return {file: titles[key] for file, key in keys.items() if key in titles}


def _hash_of(file: Path) -> str:
    """Return its SHA-256; empty if the file cannot be read, which is reported when it is opened."""
    try:
        return sha256_of(file)
    except MediaError:
        return ""
