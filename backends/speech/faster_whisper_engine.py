"""Speech recognition with faster-whisper (CTranslate2) and Silero voice activity detection.

Decoding is sequential by default. The batched pipeline is faster but may drop
speech, and its segments are up to 30 s long; its transcripts have a warning in `params`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import av
from threadpoolctl import threadpool_limits

from backends.errors import BackendUnavailable, UsageError
from backends.protocols import Progress, SpeechEngine, SpeechSegment, Transcript
from backends.scenes.resume_file import Notes, identity
from backends.speech.long_audio import (
    LONGEST_S,
    PieceTranscript,
    Samples,
    complement,
    from_part,
    pieces,
    speech_stretches,
    to_part,
)
from backends.speech.whisper_weights import INSTALL, check_name, find_weights, weights_source
from backends.text.sentences import sentences
from backends.video.audio import RATE, SoundFile
from backends.video_and_word_types import Word

NONE = "none"
"""The spec that turns off speech recognition."""

BATCHED = "batched:"
"""Prefix of a model's name that selects the batched pipeline."""
_BATCH = 8
_BEAM_SIZE = 5
_WINDOW_S = 30.0
_SEED = 0
_REPORT_EVERY = 60 * RATE
"""Samples between progress reports while the sound is only read."""
_MAX_TOKENS = 220
"""Most tokens for a window of 30 s; this ends a loop. Whisper's limit is 448 including the tokens of the
previous window, which are at most 227 with their markers."""
_LOOP = 2.4
"""A text with a higher compression ratio (Whisper's threshold) repeats itself: a loop, not speech."""


def speech_engine(
    spec: str,
    cache: Path,
    *,
    language: str | None = None,
    longest_s: float = LONGEST_S,
) -> SpeechEngine:
    """Return the engine that `spec` names: `none`, a Whisper size, a CTranslate2 folder, or `owner/name`.

    The prefix `batched:` decodes several windows at once, which may drop speech. `cache` is the folder
    for joined weights. Weights are loaded with the first transcription. Raises UsageError for any
    other name.
    """
    if spec == NONE:
        return NoSpeech()
    check_name(spec.removeprefix(BATCHED))
    return WhisperEngine(spec, cache=cache, language=language, longest_s=longest_s)


class NoSpeech:
    """The engine that turns speech recognition off: no segments, no gaps, unknown language."""

    name = NONE
    language = ""

    def check(self) -> str:
        return "turned off"

    def transcribe(
        self,
        path: Path,  # noqa: ARG002 - the protocol has it
        progress: Progress | None = None,
        notes: Path | None = None,  # noqa: ARG002 - this too
    ) -> Transcript:
        """Return an empty transcript without opening the file."""
        if progress:
            progress(1, 1)
        return Transcript((), "", 0.0, 0.0, (), NONE, {})


class WhisperEngine:
    """Whisper with one set of weights, loaded once and shared. Thread-safe."""

    def __init__(
        self,
        spec: str = "base",
        *,
        cache: Path,
        language: str | None = None,
        longest_s: float = LONGEST_S,
    ) -> None:
        self.name = f"whisper:{spec}"
        self._spec = spec
        self._model = spec.removeprefix(BATCHED)
        self._batched = spec.startswith(BATCHED)
        self._cache = cache
        self.language = language or ""
        self._longest_s = longest_s
        self._lock = threading.Lock()
        self._loaded: Any = None

    def check(self) -> str:
        """Name the source of the weights. Raises UsageError, BackendUnavailable."""
        return weights_source(self._model)

    def transcribe(
        self, path: Path, progress: Progress | None = None, notes: Path | None = None
    ) -> Transcript:
        """Return the speech of `path` with word times, and the ranges without speech.

        Progress counts milliseconds of the sound. Sound longer than `longest_s` is split at pauses;
        the first piece with speech determines the language. A file without audio or without speech
        gives no segments and the language ``''``. Raises BackendUnavailable (no weights), MediaError
        (cannot be decoded), UsageError (the model does not support the language).
        """
        sound = SoundFile(path)
        kept = Notes(notes, self._about(path)) if notes else None
        finished = [from_part(part) for part in kept.read()] if kept else []
        end = finished[-1].end if finished else 0
        blocks = _stoppable(sound.blocks(), sound, end, progress)
        for start, samples, last in pieces(blocks, end, self._longest_s):
            end = start + len(samples)
            total_s = end / RATE if last else max(sound.length_s, end / RATE)
            finished.append(
                self._transcribe_piece(
                    start, samples, _found_language(finished), _ahead(progress, start, total_s)
                )
            )
            if kept and not last:
                kept.add(to_part(finished[-1]))
        return self._transcript(sound, finished, end / RATE)

    def _about(self, path: Path) -> dict[str, Any]:
        """Everything that intermediate results depend on."""
        return {
            "file": identity(path),
            "av": av.__version__,
            "model": self._model,
            "params": self._params(),
            "longest_s": self._longest_s,
        }

    def _transcribe_piece(
        self, start: int, samples: Samples, language: str, progress: Progress | None
    ) -> PieceTranscript:
        """Transcribe one piece that begins at sample `start`; `progress` counts its milliseconds."""
        model, at, end = self._load(), start / RATE, start + len(samples)
        total = round(len(samples) / RATE * 1000)
        if progress:
            progress(0, total)
        spoken = tuple((at + a, at + b) for a, b in speech_stretches(samples, self._vad()))
        if not spoken:
            if progress:
                progress(total, total)
            return PieceTranscript(end, (), (), "", 0.0)
        # NumPy rounds the spectrum differently with several threads than with one, as on a cluster; the
        # transcripts would differ slightly.
        with threadpool_limits(1, "blas"):
            with _engine_errors(self.name):
                found, info = self._start(model, samples, language)
            segments = tuple(
                _later(one, at) for one in _segments(_reporting(_guarded(found, self.name), total, progress))
            )
        if progress:
            progress(total, total)
        probability = float(info.language_probability)
        return PieceTranscript(end, spoken, segments, str(info.language) if segments else "", probability)

    def _transcript(
        self, sound: SoundFile, finished: Sequence[PieceTranscript], duration_s: float
    ) -> Transcript:
        first = next((piece for piece in finished if piece.language), None)
        return Transcript(
            segments=tuple(segment for piece in finished for segment in piece.segments),
            language=first.language if first else "",
            language_probability=first.language_probability if first else 0.0,
            duration_s=duration_s,
            gaps=complement([stretch for piece in finished for stretch in piece.spoken], duration_s),
            model=self._spec,
            params={**self._params(), "audio": sound.present, "audio_errors": sound.errors},
        )

    def _start(self, model: Any, samples: Samples, language: str) -> tuple[Iterable[Any], Any]:
        from ctranslate2 import set_random_seed

        set_random_seed(_SEED)
        options: dict[str, Any] = {
            "language": self.language or language or None,
            "beam_size": _BEAM_SIZE,
            "max_new_tokens": _MAX_TOKENS,
            "best_of": 2,
            "word_timestamps": True,
            "vad_filter": True,
            "vad_parameters": dict(self._vad()),
        }
        if self._batched:
            from faster_whisper import BatchedInferencePipeline

            # Each call needs a separate pipeline: it stores the time of the last word between segments.
            model = BatchedInferencePipeline(model)
            options["batch_size"] = _BATCH
        found, info = model.transcribe(samples, **options)
        return _by_sentence(found) if self._batched else found, info

    def _vad(self) -> Mapping[str, float]:
        """Options of voice activity detection that differ from faster-whisper's defaults."""
        if self._batched:
            return {"min_silence_duration_ms": 160, "max_speech_duration_s": _WINDOW_S}
        return {"min_silence_duration_ms": 2000, "speech_pad_ms": 400}

    def _params(self) -> dict[str, Any]:
        params: dict[str, Any] = {
            "engine": "faster-whisper",
            "version": metadata.version("faster-whisper"),
            "language": self.language or None,
            "device": "auto",
            "compute_type": "int8 on cpu, model's own on cuda",
            "beam_size": _BEAM_SIZE,
            "seed": _SEED,
            "batched": self._batched,
            "vad": dict(self._vad()),
        }
        return {**params, "warning": "batched: may drop speech"} if self._batched else params

    def _load(self) -> Any:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._open(find_weights(self._model, self._cache))
            model = self._loaded
        if self.language and self.language not in model.supported_languages:
            known = "only en" if len(model.supported_languages) == 1 else "codes such as en, de, zh"
            raise UsageError(f"{self.name} does not support language {self.language!r}; use {known}")
        return model

    def _open(self, folder: Path) -> Any:
        from ctranslate2 import get_cuda_device_count
        from faster_whisper import WhisperModel

        device = "cuda" if get_cuda_device_count() else "cpu"
        compute_type = "int8" if device == "cpu" else "default"
        try:
            return WhisperModel(str(folder), device=device, compute_type=compute_type)
        except (RuntimeError, ValueError) as error:
            why = " ".join(str(error).split())[:160]
            raise BackendUnavailable(
                f"Whisper {self._model!r} does not load on {device} ({why}); "
                f"set CUDA_VISIBLE_DEVICES= to use the CPU, or install the weights again: {INSTALL}"
            ) from error


@contextmanager
def _engine_errors(name: str) -> Iterator[None]:
    """Translate errors: CTranslate2 reports missing CUDA libraries or memory with its first computation."""
    try:
        yield
    except RuntimeError as error:
        why = " ".join(str(error).split())[:160]
        raise BackendUnavailable(f"{name} has failed ({why}); use a smaller model or the CPU") from error


def _stoppable(
    blocks: Iterable[Samples], sound: SoundFile, start: int, progress: Progress | None
) -> Iterator[Samples]:
    """Yield `blocks`; report progress while skipping the part transcribed earlier, up to sample `start`."""
    at = reported = 0
    for block in blocks:
        at += len(block)
        if progress and at - reported >= _REPORT_EVERY and at <= start:
            reported = at
            progress(round(start / RATE * 1000), round(max(sound.length_s, start / RATE) * 1000))
        yield block


def _ahead(progress: Progress | None, start: int, total_s: float) -> Progress | None:
    """Convert the progress of a piece into progress of the whole sound."""
    if progress is None:
        return None
    total, before = round(total_s * 1000), round(start / RATE * 1000)
    return lambda done, _: progress(min(total, before + done), total)


def _found_language(finished: Sequence[PieceTranscript]) -> str:
    return next((piece.language for piece in finished if piece.language), "")


def _later(segment: SpeechSegment, seconds: float) -> SpeechSegment:
    if not seconds:
        return segment
    words = tuple(
        replace(word, start_s=word.start_s + seconds, end_s=word.end_s + seconds) for word in segment.words
    )
    start, end = segment.start_s + seconds, segment.end_s + seconds
    return replace(segment, start_s=start, end_s=end, words=words)


def _guarded(found: Iterable[Any], name: str) -> Iterator[Any]:
    segments = iter(found)
    while True:
        with _engine_errors(name):
            segment = next(segments, None)
        if segment is None:
            return
        yield segment


def _reporting(found: Iterable[Any], total: int, progress: Progress | None) -> Iterator[Any]:
    for segment in found:
        if progress:
            progress(min(total, round(float(segment.end) * 1000)), total)
        yield segment


def _by_sentence(found: Iterable[Any]) -> Iterator[Any]:
    """Split segments at sentence ends: a batched segment may be as long as its window of 30 s."""
    for segment in found:
        words, text, left = segment.words or (), "", []
        ends = {one.end for one in sentences("".join(word.word for word in words))}
        for word in words:
            text += word.word
            left.append(word)
            if len(text.rstrip()) in ends:
                said = "".join(each.word for each in left)
                yield replace(segment, start=left[0].start, end=word.end, text=said, words=left)
                left = []
        if not words:
            yield segment


def _segments(found: Iterable[Any]) -> Iterator[SpeechSegment]:
    """Convert faster-whisper's segments to plain values that JSON can store."""
    for segment in found:
        text = str(segment.text).strip()
        # Music may be transcribed as lone punctuation or as one repeated sound; neither is speech.
        if not any(char.isalnum() for char in text) or segment.compression_ratio > _LOOP:
            continue
        words = tuple(_words(segment.words or ()))
        yield SpeechSegment(
            start_s=min([float(segment.start), *(word.start_s for word in words)]),
            end_s=max([float(segment.end), *(word.end_s for word in words)]),
            text=text,
            avg_logprob=float(segment.avg_logprob),
            no_speech_prob=float(segment.no_speech_prob),
            words=words,
        )


def _words(found: Iterable[Any]) -> Iterator[Word]:
    """Yield words with ascending times."""
    at = 0.0
    for word in found:
        start = max(at, float(word.start))
        yield Word(
            text=str(word.word).strip(),
            start_s=start,
            end_s=max(start, float(word.end)),
            probability=float(word.probability),
        )
        at = start
