"""When each frame of a film is shown, read from its packets with PyAV. No frame is decoded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import av
import gradio as gr
from av.stream import Disposition

MICRO = Fraction(1, 1_000_000)


class FilmError(gr.Error, ValueError):  # type: ignore[misc]  # Gradio has no types here
    """A film cannot be read. Gradio shows its text to the person, and the log stays without a traceback."""

    def __init__(self, message: str) -> None:
        gr.Error.__init__(self, message, print_exception=False)


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """The frames of one video stream, in presentation order."""

    ticks: tuple[int, ...]
    """Time of every frame in units of `unit`; the first is 0."""
    unit: Fraction
    """Seconds."""
    last: int
    """Length of the last frame in units of `unit`."""
    codec: str
    container: str
    starts: tuple[float, ...]
    """Where a browser's clock may have the first frame, in seconds: as stored, from the file's start, 0."""

    @property
    def seconds(self) -> list[float]:
        """Time of every frame in seconds from the first one."""
        return [float(tick * self.unit) for tick in self.ticks]

    def packed(self) -> dict[str, Any]:
        """As JSON: the steps between frames as [length, count, length, count, ...]."""
        steps = [after - before for before, after in pairwise((*self.ticks, self.ticks[-1] + self.last))]
        runs = [(length, len([*same])) for length, same in groupby(steps)]
        return {
            "steps": [number for run in runs for number in run],
            "unit": [self.unit.numerator, self.unit.denominator],
            "starts": list(self.starts),
            "codec": self.codec,
            "container": self.container,
        }


def frame_times(path: Path, times: Sequence[float] | None = None) -> FrameTimes:
    """The frames of the first video stream of `path`.

    `times`: seconds of every frame from the first one; with these only the file's header is read.
    Raises FilmError, in one line, if the file cannot be read or the times do not ascend from 0.
    """
    try:
        about = path.stat()
    except OSError as error:
        raise FilmError(
            f"{path.name}: the file cannot be read ({error.strerror}). Check the path."
        ) from error
    head = _head(path, about.st_mtime_ns, about.st_size)
    if times is None:
        return _read(path, about.st_mtime_ns, about.st_size)
    ticks = tuple(round(second / float(MICRO)) for second in times)
    if not ticks or ticks[0] or any(a >= b for a, b in pairwise(ticks)):
        raise FilmError(f"{path.name}: the times of its frames must begin with 0 and ascend.")
    return _frames(ticks, MICRO, 0, head)


@dataclass(frozen=True, slots=True)
class _Head:
    """What the header of a file says."""

    codec: str
    container: str
    first_s: float
    """Time of the first frame as stored; 0 if the header does not say."""
    start_s: float
    """Where the container starts."""


@lru_cache(maxsize=64)
def _head(path: Path, _changed: int, _size: int) -> _Head:
    container, stream = _open(path)
    with container:
        return _about(container, stream, stream.start_time or 0)


def _about(container: Any, stream: Any, first: int) -> _Head:
    return _Head(
        str(stream.codec_context.codec.canonical_name),
        _container_name(path=Path(container.name), names=container.format.name.split(",")),
        float(first * stream.time_base),
        int(container.start_time or 0) / float(av.time_base),
    )


def _container_name(path: Path, names: list[str]) -> str:
    """FFmpeg names a family of containers: the one that the file's name ends with, if it is in it."""
    ending = path.suffix.lower().removeprefix(".")
    return ending if ending in names else names[0]


@lru_cache(maxsize=64)
def _read(path: Path, _changed: int, _size: int) -> FrameTimes:
    container, stream = _open(path)
    lengths: dict[int, int] = {}
    with container:
        codec = str(stream.codec_context.codec.canonical_name)
        for packet in _packets(container, stream):
            if packet.pts is not None and not packet.is_discard and _is_shown(packet, codec):
                lengths[packet.pts] = packet.duration or 0
        if not lengths:
            raise FilmError(f"{path.name}: no frame of it has a time. Convert it to MP4 (H.264).")
        first = min(lengths)
        ticks = tuple(pts - first for pts in sorted(lengths))
        unit = Fraction(stream.time_base)
        return _frames(ticks, unit, lengths[max(lengths)], _about(container, stream, first))


def _frames(ticks: tuple[int, ...], unit: Fraction, last: int, head: _Head) -> FrameTimes:
    usual = ticks[-1] - ticks[-2] if len(ticks) > 1 else max(1, round(Fraction(1, 25) / unit))
    starts = dict.fromkeys((head.first_s, head.first_s - head.start_s, 0.0))
    return FrameTimes(ticks, unit, last or usual, head.codec, head.container, tuple(starts))


def _open(path: Path) -> tuple[Any, Any]:
    """Container and stream. Only local files are opened, also from inside of playlists."""
    try:
        container = av.open(
            str(path.absolute()), options={"protocol_whitelist": "file"}, metadata_errors="ignore"
        )
    except (av.FFmpegError, OSError, ValueError) as error:
        raise FilmError(f"{path.name}: this is not a video file, or it is damaged.") from error
    streams = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
    if not streams or streams[0].codec_context is None:
        container.close()
        raise FilmError(f"{path.name}: this file has no video stream.")
    return container, streams[0]


def _packets(container: Any, stream: Any) -> Iterator[Any]:
    """Those with data. A damaged end only ends them."""
    with suppress(av.FFmpegError):
        yield from (packet for packet in container.demux(stream) if packet.size)


def _is_shown(packet: Any, codec: str) -> bool:
    """VP8 has reference frames that are never shown (RFC 6386, section 9.1)."""
    return codec != "vp8" or bool(memoryview(packet)[0] & 0x10)
