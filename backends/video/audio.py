"""Decode a file's sound to 16 kHz mono, aligned with a browser's `currentTime`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.stream import Disposition

from backends.errors import MediaError
from backends.video.open_and_decode import presentation_start

RATE = 16_000
"""Samples per second."""

Piece = tuple[int, npt.NDArray[np.int16]]
"""Position in samples from the start of the presentation, and the samples (n, channels)."""

_TOLERANCE_S = 0.08
"""Timestamps that differ by less from the running sample count are jitter, not a gap."""

_MAX_GAP_S = 600.0
"""A longer gap is accepted only if the container's duration allows it."""


_BLOCK = 10 * RATE
"""Maximum size of a block of silence, in samples."""


class SoundFile:
    """The first audio stream of a file, read in blocks to save memory.

    A late start and gaps of the stream are filled with silence, so that times
    in the samples are times of the player.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._counter = Counter()
        self.present = False
        """Whether the file has an audio stream; valid once the first block was requested."""
        self.length_s = 0.0
        """Duration from the container; 0 if unknown."""

    @property
    def errors(self) -> int:
        """Number of packets so far that could not be decoded."""
        return self._counter.errors

    def blocks(self) -> Iterator[npt.NDArray[np.float32]]:
        """Yield consecutive mono samples (n,), -1 to 1; nothing for a file without audio.

        Raises MediaError if the file cannot be opened or none of its audio can be decoded.
        """
        try:
            # An absolute path is never parsed as a protocol; the whitelist keeps playlists off the network.
            options = {"protocol_whitelist": "file"}
            with av.open(str(self._path.absolute()), options=options, metadata_errors="ignore") as container:
                self.length_s = container.duration / av.time_base if container.duration else 0.0
                self.present = bool(container.streams.audio)
                if self.present:
                    yield from self._stream(container, container.streams.audio[0])
        except (av.FFmpegError, OSError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise MediaError(
                f"{self._path.name}: cannot be read ({reason}); check or convert the file"
            ) from error

    def _stream(self, container: Any, stream: Any) -> Iterator[npt.NDArray[np.float32]]:
        decoded = False
        for block in _without_holes(
            placed_sound(container, stream, _player_start(container), counter=self._counter)
        ):
            decoded = True
            yield block
        if not decoded and self.errors:
            name = f"{self._path.name}: its audio ({_codec(stream)})"
            raise MediaError(f"{name} cannot be decoded; convert it to AAC or WAV")


def placed_sound(
    container: Any,
    stream: Any,
    start_s: float,
    *,
    rate: int = RATE,
    layout: str = "mono",
    counter: Counter | None = None,
) -> Iterator[Piece]:
    """Yield `(place, samples)` of an audio stream, in order, resampled to `rate` and `layout`.

    `samples` are (n, channels); the first one is at `place / rate` seconds after
    `start_s`. Gaps between pieces are silence. Packets that cannot be decoded are
    counted and skipped.
    """
    length_s = container.duration / av.time_base if container.duration else None
    takes = _Takes(length_s, rate, layout)
    for frame in _frames(container, stream, counter or Counter()):
        yield from takes.add(frame, start_s)
    yield from takes.finish()


def _without_holes(pieces: Iterable[Piece]) -> Iterator[npt.NDArray[np.float32]]:
    """Yield samples from the start of the presentation; earlier samples are dropped."""
    at = 0
    for place, piece in pieces:
        while at < place:
            block = np.zeros(min(_BLOCK, place - at), np.float32)
            at += len(block)
            yield block
        kept = piece[max(0, at - place) :, 0]
        if len(kept):
            at += len(kept)
            yield kept.astype(np.float32) / 32768.0


def _player_start(container: Any) -> float:
    """Return the offset that the frame reader subtracts from timestamps, so that sound and picture align."""
    for video in container.streams.video:
        if not video.disposition & Disposition.attached_pic and video.codec_context is not None:
            return presentation_start(container, video)
    return 0.0


def _codec(stream: Any) -> str:
    context = stream.codec_context
    return context.name if context is not None else "unknown codec"


@dataclass(slots=True)
class Counter:
    """Errors found while reading."""

    errors: int = 0
    """Packets that could not be decoded."""


def _frames(container: Any, stream: Any, counter: Counter) -> Iterator[Any]:
    """Yield every frame that decodes; damaged packets are counted and skipped."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets, None)
        except av.FFmpegError:
            counter.errors += 1
            return
        if packet is None:
            return
        try:
            yield from packet.decode()
        except av.FFmpegError:
            counter.errors += 1


@dataclass(slots=True)
class _Takes:
    """Splits a stream at its gaps, and resamples each part separately."""

    length_s: float | None
    rate: int
    layout: str
    _resampler: Any = None
    _place: int = 0
    """Position of the next resampled sample."""
    _next_s: float = 0.0

    def add(self, frame: Any, start_s: float) -> Iterator[Piece]:
        at = self._next_s if frame.time is None else frame.time - start_s
        if self._resampler is None or self._is_hole(at):
            yield from self.finish()
            self._place = round(at * self.rate)
            self._next_s = at
            self._resampler = av.AudioResampler(format="s16", layout=self.layout, rate=self.rate)
        self._next_s += frame.samples / frame.sample_rate
        # The resampler rejects frames with jittering timestamps; positions are tracked here instead.
        frame.pts = None
        yield from self._placed(self._resampler.resample(frame))

    def _is_hole(self, at: float) -> bool:
        """Return whether there is a gap. Backward jumps are timestamp errors: they do not overwrite sound."""
        gap = at - self._next_s
        possible = gap < _MAX_GAP_S or (self.length_s is not None and at < self.length_s)
        return gap > _TOLERANCE_S and possible

    def _placed(self, frames: list[Any]) -> Iterator[Piece]:
        for frame in frames:
            samples = frame.to_ndarray().reshape(-1, len(frame.layout.channels))
            yield self._place, samples
            self._place += len(samples)

    def finish(self) -> Iterator[Piece]:
        if self._resampler is not None:
            yield from self._placed(self._resampler.resample(None))
            self._resampler = None
