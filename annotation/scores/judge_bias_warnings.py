"""Warnings about possible bias of a judge: shared model family, and preference for caption length."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.scores.means_with_intervals import Estimate, drawn_videos, with_interval
from annotation.scores.scored_item import Item

FAMILIES = (
    *("qwen", "llama", "gemma", "gemini", "gpt", "claude", "mistral", "mixtral", "internvl", "llava", "phi"),
    *("deepseek", "smol", "vicuna", "minicpm", "glm", "molmo", "pixtral", "nvila", "vila", "granite", "yi"),
)
"""Names of model families as they appear in model names."""
LEAST_VIDEOS = 10
"""Minimum number of videos for a warning about caption length. With fewer the interval is too wide."""


def shared_families(captioners: Sequence[str], judges: Sequence[str]) -> list[str]:
    """Return families with both a captioner and a judge.

    A judge may prefer texts of its own family (Panickssery et al. 2024).
    """
    return sorted(_families(captioners) & _families(judges))


def _families(models: Sequence[str]) -> set[str]:
    words = [word for model in models for word in _words(model)]
    return {family for family in FAMILIES if any(_is_of(word, family) for word in words)}


def _is_of(word: str, family: str) -> bool:
    """Whether a word names a family. Short names must match completely: many words start with `yi`."""
    return word == family or (len(family) > 2 and word.startswith(family))


def _words(model: str) -> list[str]:
    """Split a model name into runs of letters: `Qwen/Qwen2.5-VL-7B` gives qwen, qwen, vl, b."""
    return "".join(letter if letter.isalpha() else " " for letter in model.lower()).split()


@dataclass(frozen=True, slots=True)
class LengthEffect:
    """Correlation of "yes" with caption length within aspects."""

    correlation: Estimate
    """Correlation of log(words) and yes, both centred per aspect; -1 to 1."""
    videos: int


def length_effect(items: Sequence[Item]) -> LengthEffect | None:
    """Return the effect; None if there are too few captions or videos, or if all values are equal."""
    known = [i for i in items if i.state == "done" and i.accuracy is not None and i.caption_words]
    videos = sorted({item.video for item in known})
    if len(videos) < LEAST_VIDEOS:
        return None
    aspects = [item.aspect for item in known]
    words = _within([float(np.log(item.caption_words or 1)) for item in known], aspects)
    yes = _within([float(item.accuracy or 0) for item in known], aspects)
    place = {video: number for number, video in enumerate(videos)}
    codes = np.array([place[item.video] for item in known])
    sums = [np.bincount(codes, product, len(videos)) for product in (words * yes, words**2, yes**2)]
    moments = np.stack(sums, axis=1)
    whole = _correlations(moments.sum(axis=0, keepdims=True))
    if not len(whole):
        return None
    drawn = _correlations(drawn_videos(len(videos)) @ moments)
    return LengthEffect(with_interval(float(whole[0]), drawn), len(videos))


def _within(values: Sequence[float], aspects: Sequence[str]) -> NDArray[np.float64]:
    found = np.array(values)
    names = np.array(aspects)
    for aspect in set(aspects):
        found[names == aspect] -= found[names == aspect].mean()
    return found


def _correlations(moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return correlations from (B, 3) sums of xy, xx, yy, without those of zero variance."""
    scatter = np.sqrt(moments[:, 1] * moments[:, 2])
    return np.asarray(moments[scatter > 1e-9, 0] / scatter[scatter > 1e-9])


def flags(items: Sequence[Item], captioners: Sequence[str], judges: Sequence[str]) -> list[str]:
    """Return the warnings, one line each."""
    found = [
        f"captioner and judge are both {family}: a judge may prefer texts of its own family"
        for family in shared_families(captioners, judges)
    ]
    effect = length_effect(items)
    low, high = (effect.correlation.low, effect.correlation.high) if effect else (None, None)
    if effect and low is not None and high is not None and low * high > 0:
        words = f"{effect.correlation.value:.2f} ({low:.2f} to {high:.2f}) over {effect.videos:,} videos"
        found.append(
            f"{'longer' if low > 0 else 'shorter'} captions get more yes: correlation {words}; "
            "they may contain more answers, or the judge may prefer them"
        )
    return found
