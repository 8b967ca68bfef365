"""Facts about a media file, and the words spoken in it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class VideoFacts:
    """Facts about the pinned video stream, found by demuxing."""

    stream_index: int
    """Index of the video stream that player, detector and reader use."""
    frames: int
    """Number of presented frames: edit lists are applied, undecodable tails are not counted."""
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
    """Start of the container's presentation in seconds; 0 on a browser's time axis."""
    audio: bool
    browser_playable: bool
    """Whether Chromium, Firefox and Safari should play the file without conversion."""
    unplayable_why: str = ""
    """Reason in one line if the file is not playable."""
    problems: tuple[str, ...] = ()
    """Descriptions of damage; empty if none was found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One spoken word."""

    text: str
    start_s: float
    end_s: float
    probability: float
