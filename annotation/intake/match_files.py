"""Which file is that of which video: by name, by content, or as a person chose."""

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
    """Files and the videos that wait for one."""

    chosen: dict[str, Path] = field(default_factory=dict)
    """By the id of the video."""
    rest: list[Path] = field(default_factory=list)
    """Files that no video is named like."""
    problems: list[tuple[str, str]] = field(default_factory=list)
    """(file, what) of files that fit several videos, or a video that has one."""


def match(names: Mapping[str, set[str]], waiting: Mapping[str, Video], files: Collection[Path]) -> Matched:
    """Choose a file for each waiting video by name, folder or content; `names` is `{name: video ids}`."""
    found = Matched()
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
    found.chosen = {video_id: fitting[0] for video_id, fitting in by_video.items()}
    return found


def chosen_by_hand(
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


@dataclass(frozen=True, slots=True)
class Fitting:
    """What would become of files."""

    chosen: Mapping[str, Path]
    """By the title of the video."""
    rest: list[Path]
    """Those that no video is named like, and that are not here."""
    unclear: list[tuple[str, str]]
    again: Mapping[Path, str]
    """Files that no video is named like and that are here already: the titles of their videos."""
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
    matched = match(names, waiting, files)
    titles = {waiting[key].title: file for key, file in matched.chosen.items()}
    left = {key: waiting[key].title for key in waiting.keys() - matched.chosen.keys()}
    left = dict(sorted(left.items(), key=lambda one: (one[1], one[0])))
    again = here_already(store, matched.rest)
    rest = [file for file in matched.rest if file not in again]
    return Fitting(titles, rest, matched.problems, again, left)


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
