"""Split long sound at pauses, and store the transcript of each piece on disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from backends.protocols import SpeechSegment
from backends.scenes.resume_file import Part
from backends.video.audio import RATE
from backends.video_and_word_types import Word

Samples = npt.NDArray[np.float32]
"""(n,) mono, -1 to 1, `RATE` per second."""
Stretch = tuple[float, float]
"""Start and end, seconds."""

LONGEST_S = 300.0
"""Shorter sound is not split: recognition uses the previous words as context."""
_HUSH_MS = 200
"""Minimum pause between words for a cut, in milliseconds."""
_QUIET = RATE // 5
"""Samples per window in which loudness is averaged if there is no pause."""


@dataclass(frozen=True, slots=True)
class PieceTranscript:
    """Transcript of one piece; times refer to the whole sound."""

    end: int
    """First sample of the next piece."""
    spoken: tuple[Stretch, ...]
    segments: tuple[SpeechSegment, ...]
    language: str
    """Empty if the piece has no speech."""
    language_probability: float


def pieces(blocks: Iterable[Samples], start: int, longest_s: float) -> Iterator[tuple[int, Samples, bool]]:
    """Yield (first sample, samples, whether it is the last) of pieces of at most `longest_s` from `start` on.

    Samples before `start` are read and skipped. Empty sound gives no piece.
    """
    longest = round(longest_s * RATE)
    waiting: list[Samples] = []
    held, at, skip = 0, start, start
    for whole in blocks:
        block = whole[min(skip, len(whole)) :]
        skip -= len(whole) - len(block)
        waiting.append(block)
        held += len(block)
        while held > longest:
            samples = np.concatenate(waiting)
            place = quiet_place(samples[:longest])
            yield at, samples[:place], False
            waiting = [samples[place:].copy()]
            at, held = at + place, held - place
    if held:
        yield at, np.concatenate(waiting), True


def quiet_place(samples: Samples) -> int:
    """Return where to cut in the last third: the middle of its longest pause, else its quietest window."""
    first = 2 * len(samples) // 3
    tail = samples[first:]
    options = {"min_silence_duration_ms": _HUSH_MS, "speech_pad_ms": 0}
    length_s = len(tail) / RATE
    pauses = complement(speech_stretches(tail, options), length_s)
    if pauses:
        start, end = max(pauses, key=lambda pause: pause[1] - pause[0])
        return first + round((start + end) / 2 * RATE)
    loudness = np.abs(tail[: len(tail) // _QUIET * _QUIET]).reshape(-1, _QUIET).mean(1)
    return first + (int(loudness.argmin()) * _QUIET + _QUIET // 2 if len(loudness) else 0)


def speech_stretches(samples: Samples, options: Mapping[str, float]) -> tuple[Stretch, ...]:
    """Return the ranges with speech, by voice activity detection: (start, end) in seconds, ascending."""
    from faster_whisper.vad import VadOptions, get_speech_timestamps

    chunks = get_speech_timestamps(samples, VadOptions(**options))
    return tuple((float(chunk["start"]) / RATE, float(chunk["end"]) / RATE) for chunk in chunks)


def complement(stretches: Iterable[Stretch], duration_s: float) -> tuple[Stretch, ...]:
    """Return the parts of [0, duration_s) outside `stretches` (ascending)."""
    gaps: list[Stretch] = []
    at = 0.0
    for start, end in stretches:
        if start > at:
            gaps.append((at, start))
        at = max(at, end)
    if duration_s > at:
        gaps.append((at, duration_s))
    return tuple(gaps)


# --- on disk ---------------------------------------------------------------------------


def to_part(piece: PieceTranscript) -> Part:
    """Serialise a piece for `Notes`."""
    return {"heard": np.array(json.dumps(asdict(piece)))}


def from_part(part: Part) -> PieceTranscript:
    """Read what `to_part` wrote."""
    kept: dict[str, Any] = json.loads(str(part["heard"]))
    spoken = tuple((float(start), float(end)) for start, end in kept.pop("spoken"))
    return PieceTranscript(**{**kept, "spoken": spoken, "segments": tuple(_segments(kept["segments"]))})


def _segments(kept: Sequence[dict[str, Any]]) -> Iterator[SpeechSegment]:
    for one in kept:
        yield SpeechSegment(**{**one, "words": tuple(Word(**word) for word in one["words"])})
