"""Films of videos whose frames are counted by second: from folders of numbered pictures, or from the clip.

The files of ProgressCaptioner number frames by second (`frame012.png`). While a video has no file,
frame 12 is second 12; so its film has one frame per second, and stays right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from annotation.records.constants_of_systems import BY_SECOND
from annotation.records.videos import Video
from backends.video.one_frame_per_second import film_by_second, film_of_pictures

FILM = "by-second.mp4"
_NUMBERED = re.compile(r"(\d{1,6})\.(?:png|jpe?g|webp|bmp)$", re.IGNORECASE)


def by_second(video: Video) -> bool:
    """Whether the video's frames are counted by second, so that a file of another rate would show others."""
    return video.facts is None and bool(video.extra.get(BY_SECOND))


def picture_folders(folder: Path) -> dict[Path, dict[int, Path]]:
    """Folders, this one or below, that hold numbered pictures: `{folder: {second: file}}`."""
    found: dict[Path, dict[int, Path]] = {}
    for file in sorted(folder.rglob("*")):
        number = _NUMBERED.search(file.name)
        if number and file.is_file() and not file.name.startswith("."):
            found.setdefault(file.parent, {}).setdefault(int(number[1]), file)
    return found


def film_from_pictures(video: Video, media: Path, pictures: Mapping[int, Path]) -> Path:
    """The film of a folder of pictures, in the workspace's media. Raises MediaError."""
    out = media / video.id / FILM
    film_of_pictures(pictures, out)
    return out


def film_from_clip(video: Video, media: Path, clip: Path) -> Path:
    """The film of a clip, one frame for each of its seconds. Raises MediaError."""
    out = media / video.id / FILM
    film_by_second(clip, out)
    return out


def folder_named(names: Mapping[str, set[str]], folders: Mapping[Path, dict[int, Path]]) -> dict[str, Path]:
    """`{video id: the folder that is called like it}`; the first where there are several."""
    chosen: dict[str, Path] = {}
    for folder in folders:
        for video_id in names.get(folder.name, set()):
            chosen.setdefault(video_id, folder)
    return chosen
