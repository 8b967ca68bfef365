"""Make a copy of a video that browsers play: H.264 and AAC in MP4, with the same frames and times."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from heapq import merge
from pathlib import Path
from typing import Any

import av
import numpy as np

from backends.atomic_files import unfinished, whole
from backends.errors import MediaError
from backends.protocols import Progress, PtsTable
from backends.video import mp4_packets
from backends.video.open_and_decode import sound_codec
from backends.video.probe import probe
from backends.video.pyav_reader import PyavReader
from backends.video_and_word_types import VideoFacts

MOST_WIDTH = 1280
"""Maximum width in pixels; wider videos are scaled down."""

TOLERANCE_S = 0.002
"""Maximum deviation of a frame's time in the copy."""

_COPIED_VIDEO = frozenset(("h264", "vp9", "av1"))
_COPIED_SOUND = frozenset(("aac", "mp3"))
"""Codecs that every browser plays in MP4."""

_ABANDONED_S = 600.0
"""A temporary file unchanged for this long was left behind by a killed process."""


def make_playable(
    path: Path,
    facts: VideoFacts,
    table: PtsTable,
    out: Path,
    progress: Progress | None = None,
    *,
    width: int = MOST_WIDTH,
) -> None:
    """Write `out`, an MP4 whose frame i is frame i of `table`, shown at `table.seconds[i]`.

    If browsers cannot open only the container, packets are copied; otherwise everything
    is encoded, rotated, in square pixels and at most `width` wide. The copy is probed
    before it gets its final name. Raises MediaError, in one line, if the copy cannot be
    written or differs; `progress` may raise Stopped. No files remain after an error.
    """
    _sweep(out)
    try:
        with whole(out) as part:
            if not (_is_copyable(facts) and _try_copy(path, facts, table, part, progress)):
                _encode(path, facts, table, part, progress, width)
                _check(path, table, part)
    except (av.FFmpegError, OSError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise MediaError(f"{path.name}: the playable copy could not be written ({why})") from error


def _sweep(out: Path) -> None:
    for part in unfinished(out):
        if time.time() - part.stat().st_mtime > _ABANDONED_S:
            part.unlink(missing_ok=True)


def _is_copyable(facts: VideoFacts) -> bool:
    # Damaged packets would also stop a browser in the copy.
    return not facts.problems and facts.codec in _COPIED_VIDEO and facts.rotation == 0


def _try_copy(path: Path, facts: VideoFacts, table: PtsTable, part: Path, progress: Progress | None) -> bool:
    """Copy the packets; return whether the result is correct."""
    try:
        with av.open(str(part), "w", format="mp4", options=_options()) as out:
            total = len(table.pts)
            pictures = mp4_packets.copied_pictures(out, path, table.start_s, total, progress)
            _write(out, pictures, _sound(out, path, facts, table, copied=_COPIED_SOUND))
        _check(path, table, part)
    except (av.FFmpegError, ValueError, MediaError):
        return False
    return True


def _encode(
    path: Path, facts: VideoFacts, table: PtsTable, part: Path, progress: Progress | None, width: int
) -> None:
    with (
        closing(PyavReader(path, facts, table)) as reader,
        av.open(str(part), "w", format="mp4", options=_options()) as out,
    ):
        pictures = mp4_packets.encoded_pictures(out, reader, width, progress)
        _write(out, pictures, _sound(out, path, facts, table))


def _options() -> dict[str, str]:
    return {"movflags": "faststart", "video_track_timescale": str(mp4_packets.CLOCK)}


def _sound(
    out: Any, path: Path, facts: VideoFacts, table: PtsTable, *, copied: frozenset[str] = frozenset()
) -> Iterator[Any]:
    if not facts.audio:
        return iter(())
    with av.open(str(path.absolute()), metadata_errors="ignore") as container:
        codec = sound_codec(container.streams.audio[0])
    if codec in copied:
        return mp4_packets.copied_sound(out, path, table.start_s)
    return mp4_packets.encoded_sound(out, path, table.start_s)


def _write(out: Any, pictures: Iterator[Any], sound: Iterator[Any]) -> None:
    """Interleave both streams, so that a browser reads the file in order."""
    for packet in merge(pictures, sound, key=lambda p: float(p.dts * p.time_base)):
        out.mux(packet)


def _check(path: Path, table: PtsTable, part: Path) -> None:
    facts, made = probe(part)
    advice = "its frames are shown as pictures; to play it, convert it to H.264 in MP4"
    if facts.unplayable_why:
        raise MediaError(f"{path.name}: its copy is not playable either ({facts.unplayable_why}); {advice}")
    if len(made.pts) != len(table.pts):
        counts = f"{len(made.pts)} instead of {len(table.pts)} frames"
        raise MediaError(f"{path.name}: its playable copy has {counts}, so it was deleted; {advice}")
    off = float(np.abs(made.seconds - table.seconds).max())
    if off > TOLERANCE_S:
        raise MediaError(
            f"{path.name}: frames of its playable copy are up to {off * 1000:.0f} ms off, "
            f"so it was deleted; {advice}"
        )
