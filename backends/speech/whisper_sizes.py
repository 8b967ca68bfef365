"""Sizes of Whisper by name, what each costs, and the languages that it hears."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from backends.errors import UsageError
from backends.speech.whisper_weights import check_folder, packaged_size


@dataclass(frozen=True, slots=True)
class WhisperSize:
    """What one size costs, int8 on a CPU. Sizes of the files: Systran's conversions; the rest is rounded."""

    name: str
    parameters_m: int
    """Millions (OpenAI's model card)."""
    download_mb: int
    """Of the weights, once."""
    memory_gb: float
    """At most, while it hears."""

    @property
    def times_base(self) -> float:
        """How much longer than base it hears, as its parameters say."""
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
"""Those that hear every language."""
DETECT = "auto"
"""For a language that is to be detected, whatever the settings say."""


@cache
def languages() -> tuple[str, ...]:
    """Codes, such as `pt`."""
    from faster_whisper.tokenizer import _LANGUAGE_CODES

    return tuple(_LANGUAGE_CODES)


def check_choice(size: str, language: str) -> None:
    """Raises UsageError for a size or a language that nobody may choose here; empty: as set."""
    names = [each.name for each in SIZES]
    if size and size not in names:
        raise UsageError(f"no Whisper size {size!r}; choose from {', '.join(names)}")
    if language and language != DETECT and language not in languages():
        raise UsageError(
            f"Whisper knows no language {language!r}; write {DETECT}, or a code such as en, de, pt"
        )


def is_here(size: str) -> bool:
    """Whether the weights are on this machine, so that nothing has to be fetched."""
    if packaged_size(size):
        return True
    from faster_whisper import download_model

    with suppress(Exception):  # the hub client's errors share no base class
        return bool(check_folder(Path(download_model(size, local_files_only=True))))
    return False
