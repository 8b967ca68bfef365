"""Whisper sizes, their costs, and the supported languages."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from backends.errors import UsageError
from backends.speech.whisper_weights import check_folder, packaged_size


@dataclass(frozen=True, slots=True)
class WhisperSize:
    """Cost of one size with int8 on a CPU. Download sizes: Systran's conversions; the rest is rounded."""

    name: str
    parameters_m: int
    """Millions (OpenAI's model card)."""
    download_mb: int
    """Size of the weights, downloaded once."""
    memory_gb: float
    """Peak memory during transcription."""

    @property
    def times_base(self) -> float:
        """Factor by which it is slower than base, estimated from the number of parameters."""
        return round(self.parameters_m / _BASE_M, 1)


_BASE_M = 74
SIZES = (
    WhisperSize("tiny", 39, 78, 0.8),
    WhisperSize("base", 74, 145, 1.2),
    WhisperSize("small", 244, 484, 1.5),
    WhisperSize("medium", 769, 1528, 2.5),
    WhisperSize("large-v3-turbo", 809, 1618, 2.7),
    WhisperSize("large-v3", 1550, 3087, 4.0),
)
"""Multilingual sizes."""
DETECT = "auto"
"""Detect the language, regardless of the settings."""


@cache
def languages() -> tuple[str, ...]:
    """Return the language codes, such as `pt`."""
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    return tuple(_LANGUAGE_CODES)


def check_choice(size: str, language: str) -> None:
    """Raise UsageError for an unknown size or language; an empty value means the setting."""
    names = [each.name for each in SIZES]
    if size and size not in names:
        raise UsageError(f"no Whisper size {size!r}; choose from {', '.join(names)}")
    if language and language != DETECT and language not in languages():
        raise UsageError(
            f"Whisper does not support language {language!r}; write {DETECT}, or a code such as en, de, pt"
        )


def is_here(size: str) -> bool:
    """Return whether the weights are on this machine, so that no download is needed."""
    if packaged_size(size):
        return True
    from faster_whisper import download_model

    with suppress(Exception):  # the hub client's errors share no base class
        return bool(check_folder(Path(download_model(size, local_files_only=True))))
    return False
