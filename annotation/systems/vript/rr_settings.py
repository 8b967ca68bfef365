"""Settings for questions of Vript-RR."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from backends.errors import UsageError

Setting = Literal["whole", "scene"]


@dataclass(frozen=True, slots=True)
class RrOptions:
    """Frames sent with a question: the whole video, its scene alone, or each in turn."""

    settings: tuple[Setting, ...] = ("whole",)


def rr_options(word: str) -> RrOptions:
    """The settings for `whole`, `scene` or `both`. Raises UsageError."""
    chosen: Mapping[str, tuple[Setting, ...]] = {
        "whole": ("whole",),
        "scene": ("scene",),
        "both": ("whole", "scene"),
    }
    if word not in chosen:
        raise UsageError(f"setting {word!r} of Vript-RR not found; choose from {', '.join(chosen)}")
    return RrOptions(chosen[word])
