"""A film of any length, made cheaply: real clips at 1080 lines with the sample's narration, then copies.

Ninety seconds or so are encoded once; the rest is the same packets again, so a film of two hours is made
in a minute or two and takes about a gigabyte. What it costs to decode is what any such film costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

from benchmarks.assembly import RATE, SHOTS, clips
from tests.backends.sound import read_sound

CLIP = Path(__file__).resolve().parent.parent / "sample" / "clip.mp4"
"""Whose narration is heard."""
_SOUND_RATE = 48_000
_VIDEO_OPTIONS = {"preset": "veryfast", "crf": "27", "maxrate": "2200k", "bufsize": "4400k", "g": "125"}


def long_film(cache: Path, minutes: float, width: int = 1920, height: int = 1080) -> Path:
    """The file of that length (at least; whole copies), made where it is not in `cache` yet.

    Raises NotHere for a clip that cannot be had.
    """
    path = cache / f"long-{width}x{height}-{minutes:g}.mp4"
    if not path.exists():
        cache.mkdir(parents=True, exist_ok=True)
        once = cache / f"once-{width}x{height}.mp4"
        if not once.exists():
            _whole(once, lambda part: _encode(part, _pictures(clips(cache), width, height), width, height))
        _whole(path, lambda part: repeat(once, part, minutes * 60))
    return path


def _whole(path: Path, make: Any) -> None:
    part = path.with_suffix(".part.mp4")
    make(part)
    part.replace(path)


def _pictures(files: dict[str, Path], width: int, height: int) -> Iterator[Any]:
    """Frames of every stretch without a cut, of both halves, one after the other."""
    for name, first, end in (shot for half in SHOTS.values() for shot in half):
        with av.open(str(files[name])) as container:
            for number, frame in enumerate(container.decode(video=0)):
                if number >= end:
                    break
                if number >= first:
                    yield frame.reformat(width=width, height=height, format="yuv420p")


def _encode(path: Path, pictures: Iterator[Any], width: int, height: int) -> None:
    with av.open(str(path), "w") as out:
        video = out.add_stream("libx264", rate=RATE, options=dict(_VIDEO_OPTIONS))
        video.width, video.height, video.pix_fmt = width, height, "yuv420p"
        audio = out.add_stream("aac", rate=_SOUND_RATE, layout="mono")
        frames = 0
        for picture in pictures:
            picture.pts, picture.time_base = frames, Fraction(1, RATE)
            picture.pict_type = 0
            out.mux(video.encode(picture))
            frames += 1
        out.mux(video.encode(None))
        for sound in _narration(frames / RATE):
            out.mux(audio.encode(sound))
        out.mux(audio.encode(None))


def _narration(seconds: float) -> Iterator[Any]:
    """The sample's sound, again and again."""
    once = (read_sound(CLIP).samples * 32767).astype(np.int16)
    samples = np.resize(once, round(seconds * 16_000))
    resampler = av.AudioResampler(format="fltp", layout="mono", rate=_SOUND_RATE)
    at = 0
    for start in range(0, len(samples), 16_000):
        frame = av.AudioFrame.from_ndarray(samples[None, start : start + 16_000], "s16", "mono")
        frame.rate, frame.pts = 16_000, None
        for made in resampler.resample(frame):
            made.pts, made.time_base = at, Fraction(1, _SOUND_RATE)
            at += made.samples
            yield made


def repeat(source: Path, target: Path, seconds: float) -> None:
    """`source` again and again, packets copied, until `seconds` are full."""
    with av.open(str(target), "w") as out:
        streams: dict[int, Any] = {}
        shift_s = Fraction(0)
        while shift_s < seconds:
            with av.open(str(source)) as container:
                for stream in container.streams:
                    if stream.index not in streams:
                        streams[stream.index] = out.add_stream_from_template(stream)
                length = Fraction(int(container.streams.video[0].frames), RATE)
                for packet in container.demux():
                    if _kept(packet, length):
                        _copied(out, packet, streams[packet.stream.index], shift_s)
            shift_s += length


def _kept(packet: Any, length_s: Fraction) -> bool:
    """Not the flushing packets, nor the sound that an encoder lays before the beginning or after the end."""
    if packet.dts is None:
        return False
    return bool(packet.stream.type == "video" or 0 <= packet.pts * packet.time_base < length_s)


def _copied(out: Any, packet: Any, stream: Any, shift_s: Fraction) -> None:
    shift = round(shift_s / packet.time_base)
    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
    packet.stream = stream
    out.mux(packet)
