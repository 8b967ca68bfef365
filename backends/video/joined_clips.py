"""Join clip files into one video, one after the other.

A missing clip is replaced by a slate: one frame with its name, shown for the length of the part. The result
is an ordinary MP4 file. If all clips are H.264 of one kind, their pictures are copied, otherwise encoded.
Sound is always encoded, with silence in the gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from fractions import Fraction
from heapq import merge
from itertools import pairwise
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
from av.video.reformatter import VideoReformatter

from backends.atomic_files import whole
from backends.errors import MediaError
from backends.protocols import Picture, PtsTable
from backends.video import avc, mp4_packets
from backends.video.audio import Piece, placed_sound
from backends.video.open_and_decode import open_video, packets
from backends.video.probe import probe
from backends.video.pyav_reader import PyavReader
from backends.video_and_word_types import VideoFacts

TOLERANCE_S = 0.002
"""Maximum deviation of a frame's time in the joined video."""
LAYOUT = "stereo"


@dataclass(frozen=True, slots=True)
class Clip:
    """Requested part of a joined video."""

    name: str
    path: Path | None
    """None if the clip is missing."""
    start_s: float
    """Start in seconds from the beginning of the video; later if the previous part ends later."""
    length_s: float
    """Length of a missing clip in seconds; ignored if the file exists."""


@dataclass(frozen=True, slots=True)
class Part:
    """Placed part of a joined video. Times are in units of `mp4_packets.CLOCK`."""

    clip: Clip
    start: int
    end: int
    first_frame: int
    after_frame: int
    """First frame after the part."""
    facts: VideoFacts | None = None
    table: PtsTable | None = None
    """Table of the clip's file; None if the clip is missing."""

    @property
    def times(self) -> list[int]:
        """Times of all frames of the part."""
        if self.table is None:
            return [self.start]
        seconds = self.table.seconds - self.table.seconds[0]
        return [self.start + int(tick) for tick in np.rint(seconds * mp4_packets.CLOCK).astype(np.int64)]


def join_clips(clips: Sequence[Clip], out: Path) -> list[Part]:
    """Write the joined video `out`; return the place of every part.

    An unreadable clip counts as missing. Raises MediaError if no clip is readable.
    """
    parts = place(clips)
    if not any(part.facts for part in parts):
        raise MediaError(f"{clips[0].name}: none of the {len(clips)} clips can be read; check the files")
    out.parent.mkdir(parents=True, exist_ok=True)
    with whole(out) as file:
        if not (_copyable(parts) and _try(_copied, parts, file)):
            _write(_encoded, parts, file)
            _check(parts, file)
    return parts


def place(clips: Sequence[Clip]) -> list[Part]:
    """Place the parts in order; each begins at its requested time, or at the end of the previous part."""
    found: list[Part] = []
    for clip in clips:
        facts, table = None, None
        if clip.path is not None:
            with suppress(MediaError):
                facts, table = probe(clip.path)
        start = max(round(clip.start_s * mp4_packets.CLOCK), found[-1].end if found else 0)
        length = float(table.end_s - table.seconds[0]) if table else clip.length_s
        first = found[-1].after_frame if found else 0
        found.append(
            Part(
                clip,
                start,
                start + max(1, round(length * mp4_packets.CLOCK)),
                first,
                first + (len(table.pts) if table else 1),
                facts,
                table,
            )
        )
    return found


def slate(name: str, width: int, height: int) -> Picture:
    """Return the slate of a missing clip (height, width, 3): its name on dark grey."""
    picture = np.full((height, width, 3), 40, np.uint8)
    for line, (text, share) in enumerate(((name, 0.8), ("This clip is not here.", 0.5))):
        size = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.0, 2)[0]
        scale = min(width * share / max(1, size[0]), height / 12 / size[1])
        place = (round((width - size[0] * scale) / 2), round(height * (0.48 + 0.14 * line)))
        cv2.putText(picture, text, place, cv2.FONT_HERSHEY_SIMPLEX, scale, (205, 205, 205), 2, cv2.LINE_AA)
    return picture


# --- writing --------------------------------------------------------------------------

Pictures = Callable[[Any, Sequence[Part]], Iterator[Any]]


def _write(pictures: Pictures, parts: Sequence[Part], file: Path) -> None:
    options = {"movflags": "faststart", "video_track_timescale": str(mp4_packets.CLOCK)}
    try:
        with av.open(str(file), "w", format="mp4", options=options) as out:
            streams = [pictures(out, parts), _sound(out, parts)]
            for packet in merge(*streams, key=lambda p: float(p.dts * p.time_base)):
                out.mux(packet)
    except (av.FFmpegError, OSError) as error:
        raise MediaError(f"{parts[0].clip.name}: the clips could not be joined ({error})") from error


def _try(pictures: Pictures, parts: Sequence[Part], file: Path) -> bool:
    try:
        _write(pictures, parts, file)
        _check(parts, file)
    except (MediaError, ValueError):
        return False
    return True


def _check(parts: Sequence[Part], file: Path) -> None:
    _, table = probe(file)
    times = np.array([tick for part in parts for tick in part.times]) / mp4_packets.CLOCK
    if len(times) != len(table.pts) or np.abs(times - table.seconds).max() > TOLERANCE_S:
        raise MediaError(
            f"{parts[0].clip.name}: the joined video lacks frames of the clips, so it was deleted"
        )


def _copyable(parts: Sequence[Part]) -> bool:
    """Return whether the pictures of all clips fit into one stream without encoding."""
    kinds = {
        (f.codec, f.pixel_format, f.width, f.height, f.rotation, f.sample_aspect)
        for f in (part.facts for part in parts)
        if f
    }
    codec, pixels, *_, rotation, aspect = next(iter(kinds))
    whole_clips = not any(part.facts.problems for part in parts if part.facts)
    alike = (codec, pixels, rotation, aspect) == ("h264", "yuv420p", 0, "1:1")
    return len(kinds) == 1 and alike and whole_clips


def _size(parts: Sequence[Part]) -> tuple[int, int]:
    """Return width and height of the first clip, rounded down to even numbers."""
    facts = next(part.facts for part in parts if part.facts)
    return max(2, facts.width // 2 * 2), max(2, facts.height // 2 * 2)


def _copied(out: Any, parts: Sequence[Part]) -> Iterator[Any]:
    """Copy the packets of all clips. Parameter sets differ by clip, so every keyframe includes them."""
    first = next(part.clip.path for part in parts if part.clip.path and part.facts)
    container, source = open_video(first)
    stream = out.add_stream_from_template(source)
    stream.time_base = Fraction(1, mp4_packets.CLOCK)
    container.close()
    return _all_packets(stream, parts)


def _all_packets(stream: Any, parts: Sequence[Part]) -> Iterator[Any]:
    last: int | None = None
    for part in parts:
        for pts, dts, keyframe, data in _clip_packets(part) if part.table else _slate_packets(part, stream):
            packet = av.Packet(data)
            last = dts if last is None else max(dts, last + 1)
            packet.pts, packet.dts, packet.time_base = pts, last, Fraction(1, mp4_packets.CLOCK)
            packet.is_keyframe, packet.stream = keyframe, stream
            yield packet


Raw = tuple[int, int, bool, bytes]
"""Presentation time and decoding time (units of CLOCK), whether it is a keyframe, and the data."""


def _clip_packets(part: Part) -> Iterator[Raw]:
    assert part.clip.path and part.table  # for the type checker
    container, source = open_video(part.clip.path)
    with closing(container):
        sets = avc.parameter_sets(bytes(source.codec_context.extradata or b""))
        step = float(source.time_base) * mp4_packets.CLOCK
        origin = int(part.table.pts[0])
        for packet in packets(container, source):
            if not packet.size:
                continue
            if packet.pts is None or packet.dts is None or packet.is_discard:
                raise MediaError("the clip has packets without a time, or hidden packets")
            pts, dts = (part.start + round((at - origin) * step) for at in (packet.pts, packet.dts))
            yield pts, dts, packet.is_keyframe, (sets if packet.is_keyframe else b"") + bytes(packet)


def _slate_packets(part: Part, stream: Any) -> Iterator[Raw]:
    width, height = stream.codec_context.width, stream.codec_context.height
    data = avc.still(slate(part.clip.name, width, height))
    yield part.start, part.start - mp4_packets.CLOCK // 10, True, data


def _encoded(out: Any, parts: Sequence[Part]) -> Iterator[Any]:
    width, height = _size(parts)
    fps = next(part.facts.fps_avg for part in parts if part.facts)
    stream = mp4_packets.h264_stream(out, width, height, fps)
    return _encoded_packets(stream, parts)


def _encoded_packets(stream: Any, parts: Sequence[Part]) -> Iterator[Any]:
    scaler = VideoReformatter()
    times = [tick for part in parts for tick in part.times]
    lengths = [b - a for a, b in pairwise([*times, parts[-1].end])]
    for (at, picture), length in zip(_pictures(parts, stream.width, stream.height), lengths, strict=True):
        yield from stream.encode(mp4_packets.timed_frame(scaler, picture, stream, at, length))
    yield from stream.encode(None)


def _pictures(parts: Sequence[Part], width: int, height: int) -> Iterator[tuple[int, Picture]]:
    for part in parts:
        if part.clip.path is None or part.table is None:
            yield part.start, slate(part.clip.name, width, height)
        else:
            with closing(PyavReader(part.clip.path, part.facts, part.table)) as reader:
                for (_, picture), at in zip(
                    reader.frames(range(len(part.table.pts))), part.times, strict=True
                ):
                    yield at, np.asarray(cv2.resize(picture, (width, height)), np.uint8)


# --- sound ----------------------------------------------------------------------------


def _sound(out: Any, parts: Sequence[Part]) -> Iterator[Any]:
    if not any(part.facts and part.facts.audio for part in parts):
        return iter(())
    return mp4_packets.encode_pieces(out, _pieces(parts), LAYOUT)


def _pieces(parts: Sequence[Part]) -> Iterator[Piece]:
    for part in parts:
        if part.clip.path is None or part.table is None or not (part.facts and part.facts.audio):
            continue
        with closing(av.open(str(part.clip.path.absolute()), metadata_errors="ignore")) as container:
            start_s = part.table.start_s + float(part.table.seconds[0])
            origin = round(part.start / mp4_packets.CLOCK * mp4_packets.SOUND_RATE)
            most = round(part.end / mp4_packets.CLOCK * mp4_packets.SOUND_RATE)
            for at, samples in placed_sound(
                container, container.streams.audio[0], start_s, rate=mp4_packets.SOUND_RATE, layout=LAYOUT
            ):
                skipped = max(0, -at)
                kept = samples[skipped : max(skipped, most - origin - at)]
                if len(kept):
                    yield origin + at + skipped, kept
