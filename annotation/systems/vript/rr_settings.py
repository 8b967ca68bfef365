"""How questions of Vript-RR are asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.records.constants_of_systems import Setting
from backends.errors import UsageError


@dataclass(frozen=True, slots=True)
class RrOptions:
    """What goes with a question: the whole video, its scene alone, or one after the other."""

    settings: tuple[Setting, ...] = ("whole",)


def rr_options(word: str) -> RrOptions:
    """`whole`, `scene` or `both`, as the settings to ask in. Raises UsageError."""
    chosen: Mapping[str, tuple[Setting, ...]] = {
        "whole": ("whole",),
        "scene": ("scene",),
        "both": ("whole", "scene"),
    }
    if word not in chosen:
        raise UsageError(f"no setting {word!r} of Vript-RR; choose from {', '.join(chosen)}")
    return RrOptions(chosen[word])
