"""Names of Vript's clips: `<video id>-Scene-<number>`, numbered from 1 with at least three digits.

The id of a video may begin with `-` and may contain `-Scene-`; the last occurrence separates the number.
"""

from __future__ import annotations

import re

MOST_CLIPS = 20_000
"""Limit per video. A larger number is a mistake (three hours of scenes of 3 s are 3,600)."""
_CLIP = re.compile(r"(.+)-Scene-(\d{1,9})(?:\.[A-Za-z0-9]{2,4})?", re.DOTALL)


def clip_id(video_id: str, number: int) -> str:
    return f"{video_id}-Scene-{number:03d}"


def split_clip_id(name: str) -> tuple[str, int] | None:
    """Return (video id, number) of a clip's id; None for other names.

    The id may have a file extension such as `.mp4`.
    """
    match = _CLIP.fullmatch(name.strip())
    if not match or not 1 <= int(match[2]) <= MOST_CLIPS or not match[1].strip():
        return None
    return match[1], int(match[2])
