"""What is known of a media file: its pinned stream, and words heard in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFacts:
    """What a demux of the pinned video stream found."""

    stream_index: int
    """Index of the one video stream that player, detector and reader all use."""
    frames: int
    """Frames that are presented: edit lists applied, undecodable tails not counted."""
    duration_s: float
    """From the first frame's start to the last frame's end, seconds."""
    width: int
    """As displayed: pixel shape and rotation applied."""
    height: int
    rotation: int
    """Degrees clockwise that a player turns the coded picture: 0, 90, 180 or 270."""
    sample_aspect: str
    """Pixel shape of the coded picture, `16:11`; `1:1` when square or unknown."""
    fps_avg: float
    vfr: bool
    """Whether frame intervals differ by more than rounding."""
    codec: str
    pixel_format: str
    time_base: str
    """Seconds per PTS unit as a fraction, `1/12800`."""
    start_pts: int
    """PTS of the first presented frame."""
    start_s: float
    """Where the container's presentation begins, seconds; browsers call this 0."""
    audio: bool
    browser_playable: bool
    """Whether Chromium, Firefox and Safari can be expected to show it as it is."""
    unplayable_why: str = ""
    """One line, when it is not playable."""
    problems: tuple[str, ...] = ()
    """What is damaged, in words; empty when nothing was noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One spoken word."""

    text: str
    start_s: float
    end_s: float
    probability: float
