"""What a file holds, by its packets and by decoding parts of it; the signs that it is damaged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
import numpy.typing as npt

from backends.video.open_and_decode import BACK_STEPS, codec_name, decoded, open_video, packets, seek

Stamps = npt.NDArray[np.int64]
"""(n,) PTS, ascending."""

_HEAD = 16
"""Frames that are decoded at the beginning to see that the index tells the truth."""

_LONGEST_TAIL = 3000
"""A last group of pictures longer than this is not decoded as a check."""


@dataclass(slots=True)
class Demux:
    """What a pass over the packets found. Times are in the stream's units unless named `_s`."""

    durations: dict[int, int] = field(default_factory=dict)
    """PTS of every presented packet -> its duration (0 when unknown)."""
    keyframes: set[int] = field(default_factory=set)
    packets: int = 0
    untimed: int = 0
    """Packets without a PTS: the index cannot be made from them."""
    corrupt: int = 0
    backwards: int = 0
    """Packets whose DTS is before that of the packet in front of them."""
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
            # Also those that an edit list hides: decoding starts there.
            self.keyframes.add(packet.pts)
        if not packet.is_discard and _is_shown(packet, codec):
            self.durations[packet.pts] = max(packet.duration or 0, self.durations.get(packet.pts, 0))


class Came(NamedTuple):
    """What is kept of a decoded frame."""

    pts: int
    is_corrupt: bool


@dataclass(slots=True)
class Check:
    """What decoding parts of the file showed."""

    head: list[int] = field(default_factory=list)
    """PTS of the first frames."""
    damaged: dict[int, bool] = field(default_factory=dict)
    """PTS of every decoded frame -> whether the decoder had to make up parts of it."""
    backwards: int = 0
    """Frames that came out after one with a later PTS."""

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
        return found + ([f"time stamps run backwards {self.backwards} times"] if self.backwards else [])


def _is_shown(packet: Any, codec: str) -> bool:
    """VP8 keeps reference pictures that are never shown as packets of their own (RFC 6386, 9.1)."""
    return codec != "vp8" or bool(memoryview(packet)[0] & 0x10)


def demux(container: Any, stream: Any) -> Demux:
    """One pass over the packets of `stream` and of the sound. Moves the container to its end."""
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
    """What shows, without decoding, that the file is damaged: one line each."""
    signs = []
    if found.corrupt:
        signs.append("the file ends inside a frame" if found.corrupt == 1 else "it has damaged packets")
    # Only MP4's index is a promise; AVI headers count other things than frames.
    listed = stream.frames if "mov" in container.format.name else 0
    if listed > found.packets:
        signs.append(f"the index lists {listed} frames, the file holds {found.packets}")
    last = max(found.durations, default=0)
    seen_s = max(found.other_end_s, float((last + found.durations.get(last, 0)) * stream.time_base))
    end_s = _header_end_s(container)
    if not stream.frames and end_s - seen_s > max(1.0, 0.02 * end_s):
        signs.append(f"the header says {end_s:.1f} s, but the file ends at {seen_s:.1f} s")
    return signs


def _header_end_s(container: Any) -> float:
    """Where the headers say that the file ends; 0 when they say nothing."""
    length = int(container.duration or 0)
    return (length + int(container.start_time or 0)) / float(av.time_base) if length > 0 else 0.0


def first_frames(path: Path) -> list[Any]:
    """The first frames that decode. A fresh container: not every file can be searched."""
    container, stream = open_video(path)
    try:
        return list(islice(decoded(container, stream), _HEAD))
    finally:
        container.close()


def ends_decode(container: Any, stream: Any, pts: Stamps, keyframes: Stamps, check: Check) -> bool:
    """Whether the first frames and the last group of pictures come out as the index says."""
    if check.head != pts[:_HEAD].tolist():
        return False
    start = int(keyframes[-1]) if len(keyframes) else 0
    wanted = pts[pts >= start].tolist()
    if len(wanted) > _LONGEST_TAIL:
        return True
    for step in (s for s in BACK_STEPS if s < len(keyframes)):
        if not seek(container, stream, int(keyframes[-1 - step])):
            continue
        # Not the frames themselves: a few hundred of 1080 lines fill a gigabyte.
        came = (Came(int(frame.pts), bool(frame.is_corrupt)) for frame in decoded(container, stream))
        tail = [frame for frame in came if frame.pts >= start]
        if sorted(frame.pts for frame in tail) == wanted:
            check.add(tail)
            return True
    return False


def decode_all(path: Path, found: Demux, check: Check) -> tuple[Stamps, Stamps, Any]:
    """Frames and keyframes that really come out, and the first of them."""
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
