"""Speech options that a person chose for a run or for one video."""

from __future__ import annotations

from dataclasses import dataclass

from backends.speech.whisper_sizes import check_choice


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """The chosen options. Empty values use the flags and settings."""

    size: str = ""
    language: str = ""
    """A language code, or `auto` to detect it."""

    @property
    def chosen(self) -> bool:
        return bool(self.size or self.language)


def speech_options(size: str, language: str) -> SpeechOptions:
    """Return the options. Raises UsageError for an unknown size or language."""
    check_choice(size, language)
    return SpeechOptions(size, language)
