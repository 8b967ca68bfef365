"""Packets of an MP4 that browsers play, copied or encoded.

Each source adds its stream to the file immediately and yields its packets in decoding
order. Times are those of the player: the start of the presentation is 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter

from backends.errors import MediaError
from backends.protocols import Picture, Progress
from backends.video.audio import Piece, placed_sound
from backends.video.open_and_decode import open_video, packets
from backends.video.picture_size_and_rotation import picture_size
from backends.video.pyav_reader import PyavReader

CLOCK = 90_000
"""Units per second of picture times."""

SOUND_RATE = 48_000
_SOUND_BIT_RATE = 128_000
_GROUP_S = 1.0
"""Maximum interval between keyframes; limits the work of a seek."""

_BT709 = 1
"""FFmpeg's value for BT.709, as matrix, primaries and transfer."""


# --- pictures -------------------------------------------------------------------------


def encoded_pictures(
    out: Any, reader: PyavReader, most_width: int, progress: Progress | None
) -> Iterator[Any]:
    """Encode all frames of the reader's table as H.264 with their times, rotated and in square pixels."""
    facts = reader.facts
    # 4:2:0 stores one colour value for a block of two by two pixels.
    width = max(2, min(facts.width, most_width) // 2 * 2)
    height = max(2, picture_size(facts.width, facts.height, width)[1] // 2 * 2)
    return _encode_all(h264_stream(out, width, height, facts.fps_avg), reader, progress)


def h264_stream(out: Any, width: int, height: int, fps: float) -> Any:
    """Add an H.264 stream to `out` that every browser can play and seek; width and height must be even."""
    rate = Fraction(min(max(fps, 1.0), 120.0)).limit_denominator(1000)
    stream = out.add_stream("libx264", rate=rate)
    stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
    stream.options = {"preset": "veryfast", "crf": "20"}
    context = stream.codec_context
    context.time_base = Fraction(1, CLOCK)
    context.gop_size = max(1, round(float(rate) * _GROUP_S))
    context.color_range = ColorRange.MPEG
    context.colorspace = context.color_primaries = context.color_trc = _BT709
    return stream


def _encode_all(stream: Any, reader: PyavReader, progress: Progress | None) -> Iterator[Any]:
    scaler = VideoReformatter()
    times, lengths = _clock_times(reader)
    for index, picture in reader.frames(range(len(times)), width=stream.width):
        yield from stream.encode(timed_frame(scaler, picture, stream, int(times[index]), int(lengths[index])))
        if progress is not None:
            progress(index + 1, len(times))
    yield from stream.encode(None)


def timed_frame(scaler: VideoReformatter, picture: Picture, stream: Any, at: int, length: int) -> Any:
    """Return `picture` as a frame for the encoder of `stream`, shown at `at` for `length` units of CLOCK."""
    frame = _yuv(scaler, picture, stream.width, stream.height)
    frame.pts, frame.duration, frame.time_base = at, length, Fraction(1, CLOCK)
    return frame


def _clock_times(reader: PyavReader) -> tuple[Any, Any]:
    """Return times and lengths (frames,) in units of CLOCK. All times differ."""
    seconds = np.append(reader.table.seconds, reader.table.end_s)
    ticks = np.maximum(np.rint(seconds * CLOCK).astype(np.int64), 0)
    order = np.arange(len(ticks))
    ticks = np.maximum.accumulate(ticks - order) + order
    return ticks[:-1], np.diff(ticks)


def _yuv(scaler: VideoReformatter, picture: Picture, width: int, height: int) -> Any:
    return scaler.reformat(
        av.VideoFrame.from_ndarray(picture, "rgb24"),
        width=width,
        height=height,
        format="yuv420p",
        dst_colorspace=Colorspace.ITU709,
        dst_color_range=ColorRange.MPEG,
    )


# --- sound ----------------------------------------------------------------------------


def encoded_sound(out: Any, path: Path, start_s: float) -> Iterator[Any]:
    """Encode the first audio stream as AAC, with silence in its gaps; empty if none of it decodes."""
    container = _open(path)
    source = container.streams.audio[0]
    layout = "mono" if source.codec_context is not None and source.codec_context.channels == 1 else "stereo"
    return encode_pieces(
        out,
        _closing(container, placed_sound(container, source, start_s, rate=SOUND_RATE, layout=layout)),
        layout,
    )


def _closing(container: Any, pieces: Iterable[Piece]) -> Iterator[Piece]:
    with container:
        yield from pieces


def encode_pieces(out: Any, pieces: Iterator[Piece], layout: str) -> Iterator[Any]:
    """Encode pieces of sound (SOUND_RATE) as AAC, with silence in the gaps; empty if there are none."""
    first = next(pieces, None)
    if first is None:
        return iter(())
    stream = out.add_stream("aac", rate=SOUND_RATE, layout=layout)
    stream.bit_rate = _SOUND_BIT_RATE
    return _encode_sound(stream, chain([first], pieces), layout)


def _encode_sound(stream: Any, pieces: Iterable[Piece], layout: str) -> Iterator[Any]:
    at = 0
    for samples in _without_holes(pieces):
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples.reshape(1, -1)), "s16", layout)
        frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, at, Fraction(1, SOUND_RATE)
        at += len(samples)
        yield from stream.encode(frame)
    yield from stream.encode(None)


def _without_holes(pieces: Iterable[Piece]) -> Iterator[Any]:
    """Yield consecutive samples (n, channels), starting at 0."""
    at = 0
    for place, samples in pieces:
        while at < place:
            silence = np.zeros((min(place - at, SOUND_RATE), samples.shape[1]), np.int16)
            yield silence
            at += len(silence)
        kept = samples[at - place :]
        if len(kept):
            yield kept
            at += len(kept)


# --- copied packets -------------------------------------------------------------------


def copied_pictures(
    out: Any, path: Path, start_s: float, total: int, progress: Progress | None
) -> Iterator[Any]:
    """Copy the packets of the pinned video stream. Raises MediaError if they cannot be copied."""
    container, source = open_video(path)
    stream = out.add_stream_from_template(source)
    return _counted(_copy(container, source, stream, start_s), total, progress)


def copied_sound(out: Any, path: Path, start_s: float) -> Iterator[Any]:
    """Copy the packets of the first audio stream."""
    container = _open(path)
    source = container.streams.audio[0]
    return _copy(container, source, out.add_stream_from_template(source), start_s)


def _open(path: Path) -> Any:
    return av.open(str(path.absolute()), options={"protocol_whitelist": "file"}, metadata_errors="ignore")


def _counted(source: Iterator[Any], total: int, progress: Progress | None) -> Iterator[Any]:
    for done, packet in enumerate(source, start=1):
        yield packet
        if progress is not None:
            progress(min(done, total), total)


def _copy(container: Any, source: Any, stream: Any, start_s: float) -> Iterator[Any]:
    try:
        shift = round(start_s / source.time_base)
        for packet in _in_order(p for p in packets(container, source) if p.size):
            if packet.pts is None or packet.is_discard:
                raise MediaError("the video has packets without a time, or hidden packets")
            packet.pts -= shift
            packet.dts -= shift
            packet.stream = stream
            yield packet
    finally:
        container.close()


def _in_order(source: Iterable[Any]) -> Iterator[Any]:
    """Add missing decoding times: packets without one are real frames, often the first."""
    waiting: list[Any] = []
    last: int | None = None
    for packet in source:
        if packet.dts is None and last is None:
            waiting.append(packet)
            continue
        for back, early in enumerate(reversed(waiting), start=1):
            early.dts = packet.dts - back * max(1, early.duration or 0)
        yield from waiting
        waiting.clear()
        if packet.dts is None or (last is not None and packet.dts <= last):
            packet.dts = (last or 0) + 1
        last = packet.dts
        yield packet
    if waiting:
        raise MediaError("the packets of the video have no decoding times")
