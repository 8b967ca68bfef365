"""Find facts and PTS table of a file by demuxing the pinned video stream once; detect damage.

The table lists the frames that FFmpeg presents, without packets hidden by an edit
list. Decoding is checked at both ends only. A file with signs of damage is decoded
completely, and its table lists the frames that decode.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
import numpy.typing as npt

from backends.errors import MediaError
from backends.protocols import PtsTable
from backends.video.open_and_decode import (
    BACK_STEPS,
    codec_name,
    decoded,
    open_video,
    packets,
    presentation_start,
    seek,
    unplayable_why,
)
from backends.video.picture_size_and_rotation import quarter_turns, shown_size
from backends.video.pts_tables import is_variable, load_table, save_table
from backends.video_and_word_types import VideoFacts

__all__ = ["load_table", "probe", "save_table"]


def probe(path: Path) -> tuple[VideoFacts, PtsTable]:
    """Return facts and frames of the pinned stream of `path`.

    `facts.problems` describes damage. Raises MediaError, in one line, if the file
    cannot be read as a video at all.
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
        return f"its timestamps contradict the order of its frames; {how}"
    if found.packets and not found.durations:
        return "its frames have no times; put it into a container (ffmpeg -i IN -c copy OUT.mp4)"
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
    """Return a default length for frames without one, in units of the stream."""
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


Stamps = npt.NDArray[np.int64]
"""(n,) PTS, ascending."""

_HEAD = 16
"""Number of frames decoded at the beginning to check the index."""

_LONGEST_TAIL = 3000
"""The last group of pictures is not checked if it has more frames."""


@dataclass(slots=True)
class Demux:
    """Result of one pass over the packets. Times are in the stream's units, except names in `_s`."""

    durations: dict[int, int] = field(default_factory=dict)
    """PTS of every presented packet -> its duration (0 if unknown)."""
    keyframes: set[int] = field(default_factory=set)
    packets: int = 0
    untimed: int = 0
    """Packets without a PTS, which cannot be indexed."""
    corrupt: int = 0
    backwards: int = 0
    """Packets with a smaller DTS than the previous packet."""
    last_dts: int | None = None
    other_end_s: float = 0.0
    """End of the sound."""

    def add(self, packet: Any, codec: str) -> None:
        self.packets += 1
        self.corrupt += bool(packet.is_corrupt)
        if packet.dts is not None:
            self.backwards += self.last_dts is not None and packet.dts < self.last_dts
            self.last_dts = packet.dts
        if packet.pts is None:
            self.untimed += 1
            return
        if packet.is_keyframe:
            # Hidden keyframes count too: decoding can start there.
            self.keyframes.add(packet.pts)
        if not packet.is_discard and _is_shown(packet, codec):
            self.durations[packet.pts] = max(packet.duration or 0, self.durations.get(packet.pts, 0))


class Came(NamedTuple):
    """The stored facts about a decoded frame."""

    pts: int
    is_corrupt: bool


@dataclass(slots=True)
class Check:
    """Result of decoding parts of the file."""

    head: list[int] = field(default_factory=list)
    """PTS of the first frames."""
    damaged: dict[int, bool] = field(default_factory=dict)
    """PTS of every decoded frame -> whether the decoder concealed errors in it."""
    backwards: int = 0
    """Frames that were output after a frame with a later PTS."""

    def add(self, frames: Iterable[Any]) -> None:
        before: int | None = None
        for frame in frames:
            pts = int(frame.pts)
            self.damaged[pts] = bool(frame.is_corrupt)
            self.backwards += before is not None and pts <= before
            before = pts

    def problems(self) -> list[str]:
        bad = sum(self.damaged.values())
        found = [f"{bad} of the {len(self.damaged)} frames decoded as a check are damaged"] if bad else []
        return found + ([f"timestamps run backwards {self.backwards} times"] if self.backwards else [])


def _is_shown(packet: Any, codec: str) -> bool:
    """Return whether a frame is shown: VP8 has reference frames that are never shown (RFC 6386, 9.1)."""
    return codec != "vp8" or bool(memoryview(packet)[0] & 0x10)


def demux(container: Any, stream: Any) -> Demux:
    """Read all packets of `stream` and of the sound. Moves the container to its end."""
    found = Demux()
    codec = codec_name(stream)
    for packet in packets(container, stream, *container.streams.audio):
        if packet.size == 0:
            continue
        if packet.stream.index == stream.index:
            found.add(packet, codec)
        elif packet.pts is not None:
            end = packet.pts + (packet.duration or 0)
            found.other_end_s = max(found.other_end_s, float(end * packet.time_base))
    return found


def signs_of_damage(container: Any, stream: Any, found: Demux) -> list[str]:
    """Return the signs of damage that need no decoding, one line each."""
    signs = []
    if found.corrupt:
        signs.append("the file ends inside a frame" if found.corrupt == 1 else "it has damaged packets")
    # Only the index of MP4 is reliable; AVI headers count more than frames.
    listed = stream.frames if "mov" in container.format.name else 0
    if listed > found.packets:
        signs.append(f"the index lists {listed} frames, the file contains {found.packets}")
    last = max(found.durations, default=0)
    seen_s = max(found.other_end_s, float((last + found.durations.get(last, 0)) * stream.time_base))
    end_s = _header_end_s(container)
    if not stream.frames and end_s - seen_s > max(1.0, 0.02 * end_s):
        signs.append(f"the header says {end_s:.1f} s, but the file ends at {seen_s:.1f} s")
    return signs


def _header_end_s(container: Any) -> float:
    """Return the end of the file according to its headers; 0 if they have none."""
    length = int(container.duration or 0)
    return (length + int(container.start_time or 0)) / float(av.time_base) if length > 0 else 0.0


def first_frames(path: Path) -> list[Any]:
    """Decode the first frames. Opens the file again, because not every file supports seeking."""
    container, stream = open_video(path)
    try:
        return list(islice(decoded(container, stream), _HEAD))
    finally:
        container.close()


def ends_decode(container: Any, stream: Any, pts: Stamps, keyframes: Stamps, check: Check) -> bool:
    """Return whether the first frames and the last group of pictures decode to the indexed frames."""
    if check.head != pts[:_HEAD].tolist():
        return False
    start = int(keyframes[-1]) if len(keyframes) else 0
    wanted = pts[pts >= start].tolist()
    if len(wanted) > _LONGEST_TAIL:
        return True
    for step in (s for s in BACK_STEPS if s < len(keyframes)):
        if not seek(container, stream, int(keyframes[-1 - step])):
            continue
        # Do not keep the frames: a few hundred 1080p frames fill a gigabyte.
        came = (Came(int(frame.pts), bool(frame.is_corrupt)) for frame in decoded(container, stream))
        tail = [frame for frame in came if frame.pts >= start]
        if sorted(frame.pts for frame in tail) == wanted:
            check.add(tail)
            return True
    return False


def decode_all(path: Path, found: Demux, check: Check) -> tuple[Stamps, Stamps, Any]:
    """Decode everything; return the PTS of frames and keyframes, and the first frame."""
    container, stream = open_video(path)
    keys: set[int] = set(found.keyframes)
    first = None

    def watched() -> Iterator[Any]:
        nonlocal first
        for frame in decoded(container, stream):
            first = frame if first is None else first
            if found.untimed and frame.key_frame:
                keys.add(int(frame.pts))
            yield frame

    check.damaged.clear()
    check.backwards = 0
    try:
        check.add(watched())
    finally:
        container.close()
    return np.array(sorted(check.damaged), np.int64), np.array(sorted(keys), np.int64), first
