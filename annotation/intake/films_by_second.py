"""Films of videos whose frames are counted by second: from folders of numbered pictures, or from the clip.

ProgressCaptioner's files number frames by second (`frame012.png`). While a video has no file, frame 12 is
second 12. Its film has one frame per second, so that these numbers stay valid.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from annotation.records.videos import BY_SECOND, Video
from backends.video.one_frame_per_second import film_by_second, film_of_pictures

FILM = "by-second.mp4"
_NUMBERED = re.compile(r"(\d{1,6})\.(?:png|jpe?g|webp|bmp)$", re.IGNORECASE)


def by_second(video: Video) -> bool:
    """Return whether frames are counted by second, so that files with another rate show other frames."""
    return video.facts is None and bool(video.extra.get(BY_SECOND))


def picture_folders(folder: Path) -> dict[Path, dict[int, Path]]:
    """Return folders with numbered pictures, this one or below: `{folder: {second: file}}`."""
    found: dict[Path, dict[int, Path]] = {}
    for file in sorted(folder.rglob("*")):
        number = _NUMBERED.search(file.name)
        if number and file.is_file() and not file.name.startswith("."):
            found.setdefault(file.parent, {}).setdefault(int(number[1]), file)
    return found


def film_from_pictures(video: Video, media: Path, pictures: Mapping[int, Path]) -> Path:
    """Make a film from a folder of pictures, in the workspace's media. Raises MediaError."""
    out = media / video.id / FILM
    film_of_pictures(pictures, out)
    return out


def film_from_clip(video: Video, media: Path, clip: Path) -> Path:
    """Make a film from a clip, with one frame per second. Raises MediaError."""
    out = media / video.id / FILM
    film_by_second(clip, out)
    return out


def folder_named(names: Mapping[str, set[str]], folders: Mapping[Path, dict[int, Path]]) -> dict[str, Path]:
    """Return `{video id: folder with its name}`; the first one if there are several."""
    chosen: dict[str, Path] = {}
    for folder in folders:
        for video_id in names.get(folder.name, set()):
            chosen.setdefault(video_id, folder)
    return chosen
