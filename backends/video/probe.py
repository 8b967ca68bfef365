"""Stream facts and PTS table of a file, from one demux of the pinned video stream.

What is counted is what FFmpeg presents: packets that an edit list hides are left
out. Decoding is only checked at both ends; a file that shows damage is decoded as
a whole, and then the table holds the frames that really come out.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from backends.errors import MediaError
from backends.protocols import PtsTable
from backends.video.open_and_decode import codec_name, open_video, presentation_start, unplayable_why
from backends.video.packets_and_damage import (
    Check,
    Demux,
    Stamps,
    decode_all,
    demux,
    ends_decode,
    first_frames,
    signs_of_damage,
)
from backends.video.picture_size_and_rotation import quarter_turns, shown_size
from backends.video.pts_tables import is_variable, load_table, save_table
from backends.video_and_word_types import VideoFacts

__all__ = ["load_table", "probe", "save_table"]


def probe(path: Path) -> tuple[VideoFacts, PtsTable]:
    """Facts and frames of the pinned stream of `path`.

    Damage is described in `facts.problems`. Raises MediaError, in one line, for
    what cannot be read as a video at all.
    """
    container, stream = open_video(path)
    try:
        return _probe(container, stream, path)
    finally:
        container.close()


def _probe(container: Any, stream: Any, path: Path) -> tuple[VideoFacts, PtsTable]:
    head = first_frames(path)
    found = demux(container, stream)
    pts = np.array(sorted(found.durations), np.int64)
    keyframes = np.array(sorted(found.keyframes), np.int64)
    signs = signs_of_damage(container, stream, found)
    check = Check([int(frame.pts) for frame in head])
    check.add(head)
    first = head[0] if head else None
    del head  # decoded pictures are large
    suspicious = signs or found.untimed or found.backwards
    if suspicious or not ends_decode(container, stream, pts, keyframes, check):
        promised = max(len(pts), found.untimed)
        pts, keyframes, first = decode_all(path, found, check)
        if len(pts) != promised:
            signs.append(f"{len(pts)} of {promised} frames can be decoded")
    if why := _why_unusable(found, check, first):
        raise MediaError(f"{path.name}: {why}")
    signs += check.problems()
    table = _table(container, stream, pts, keyframes, found)
    return _facts(container, stream, table, first, signs), table


def _why_unusable(found: Demux, check: Check, first: Any) -> str:
    if first is not None and check.backwards <= len(check.damaged) / 100:
        return ""
    if first is not None:
        how = "convert it (ffmpeg -i IN -c:v libx264 OUT.mp4)"
        return f"its time stamps contradict the order of its frames; {how}"
    if found.packets and not found.durations:
        return "its frames carry no times; put it into a container (ffmpeg -i IN -c copy OUT.mp4)"
    return "none of its frames can be decoded; copy or download it again"


def _table(container: Any, stream: Any, pts: Stamps, keyframes: Stamps, found: Demux) -> PtsTable:
    base = Fraction(stream.time_base)
    start_s = presentation_start(container, stream)
    last = int(pts[-1])
    length = found.durations.get(last, 0) or _usual_interval(stream, pts)
    return PtsTable(
        pts=pts,
        keyframes=keyframes,
        time_base=f"{base.numerator}/{base.denominator}",
        start_s=start_s,
        end_s=float((last + length) * base) - start_s,
    )


def _usual_interval(stream: Any, pts: Stamps) -> Fraction:
    """Length of a frame whose packet has none, in units of the stream."""
    if len(pts) > 1:
        return Fraction(int(pts[-1] - pts[-2]))
    rate = stream.guessed_rate or stream.average_rate or Fraction(25)
    return 1 / (Fraction(rate) * Fraction(stream.time_base))


def _facts(container: Any, stream: Any, table: PtsTable, first: Any, problems: list[str]) -> VideoFacts:
    width, height = shown_size(first, stream)
    duration = float(table.end_s - table.seconds[0])
    aspect = stream.sample_aspect_ratio or Fraction(1)
    why = unplayable_why(container, stream)
    return VideoFacts(
        stream_index=stream.index,
        frames=len(table.pts),
        duration_s=round(duration, 6),
        width=width,
        height=height,
        rotation=-90 * quarter_turns(first) % 360,
        sample_aspect=f"{aspect.numerator}:{aspect.denominator}",
        fps_avg=round(len(table.pts) / duration, 6) if duration > 0 else 0.0,
        vfr=is_variable(table),
        codec=codec_name(stream),
        pixel_format=first.format.name,
        time_base=table.time_base,
        start_pts=int(table.pts[0]),
        start_s=table.start_s,
        audio=bool(container.streams.audio),
        browser_playable=not why,
        unplayable_why=why,
        problems=tuple(problems),
    )
