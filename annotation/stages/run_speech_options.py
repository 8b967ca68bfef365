"""How speech is heard where somebody has chosen it for a run, or for one video."""

from __future__ import annotations

from dataclasses import dataclass

from backends.speech.whisper_sizes import check_choice


@dataclass(frozen=True, slots=True)
class SpeechOptions:
    """What was chosen; empty: as flags and settings say."""

    size: str = ""
    language: str = ""
    """A code, or `auto` to detect it."""

    @property
    def chosen(self) -> bool:
        return bool(self.size or self.language)


def speech_options(size: str, language: str) -> SpeechOptions:
    """Raises UsageError for a size or a language that is none."""
    check_choice(size, language)
    return SpeechOptions(size, language)
