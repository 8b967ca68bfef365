"""Names of Vript's clips: `<video id>-Scene-<number>`, the number counting from 1 with at least three digits.

A video's id may begin with `-` and may itself hold `-Scene-`: the last one counts.
"""

from __future__ import annotations

import re

MOST_CLIPS = 20_000
"""Of one video; a larger number is a mistake (three hours in scenes of 3 s are 3,600)."""
_CLIP = re.compile(r"(.+)-Scene-(\d{1,9})(?:\.[A-Za-z0-9]{2,4})?", re.DOTALL)


def clip_id(video_id: str, number: int) -> str:
    return f"{video_id}-Scene-{number:03d}"


def split_clip_id(name: str) -> tuple[str, int] | None:
    """(video id, number) of a clip's id, with or without a suffix such as `.mp4`; None for other names."""
    match = _CLIP.fullmatch(name.strip())
    if not match or not 1 <= int(match[2]) <= MOST_CLIPS or not match[1].strip():
        return None
    return match[1], int(match[2])
