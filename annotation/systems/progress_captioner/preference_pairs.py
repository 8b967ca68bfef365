"""How FrameCap's training data are made: votes on change, accepted and rejected captions, preferences.

Source: ProgressCaptioner (CVPR 2025), section 3.2 and supplement 1.1. Several captioners write
captions of the same frames. For two frames, language models say of each one's captions whether
they tell of a change; the majority is the truth, and captions that disagree with it are rejected.
What is left, and every longer sequence, is matched: shown a frame and all captions of the sequence,
a model names the one that fits. Accepted is a sequence whose frames all found their own caption,
rejected one with more than half wrong; those between are neither.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from annotation.systems.progress_captioner.requests import Progression

Outcome = Literal["accepted", "rejected", "undecided"]
Correct = Sequence[bool | None]
"""Per frame whether it found its own caption; None where no reply could be read, or judges disagree."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One model's captions of one sequence of frames, and what the judges made of them."""

    video_id: str
    frames: tuple[int, ...]
    run_id: str
    captions: tuple[str, ...]
    """One per frame."""
    passed: bool | None
    """Whether the captions tell of change where the majority does; None: nothing to compare, or too long."""
    correct: tuple[bool | None, ...]
    """As `Correct`; empty where nothing was matched."""
    choices: tuple[str, ...]
    """The letters that were chosen, for people; `?` where there is none."""
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Preference:
    """Captions of the same frames, of which the first were accepted and the second rejected."""

    chosen: Evidence
    rejected: Evidence


def majority(labels: Iterable[str]) -> Progression:
    """`yes` or `no`, whichever more say; empty on a tie. Uncertain and unreadable ones do not vote."""
    votes = Counter(label for label in labels if label in ("yes", "no"))
    if votes["yes"] == votes["no"]:
        return ""
    return "yes" if votes["yes"] > votes["no"] else "no"


def agrees(own: Iterable[str], everybody: Iterable[str]) -> bool | None:
    """Whether what is said of one model's captions is what the majority says of all; None: cannot be told."""
    mine, truth = majority(own), majority(everybody)
    return mine == truth if mine and truth else None


def distinct(frames: Sequence[int], changed: Sequence[Progression]) -> tuple[int, ...]:
    """The frames that differ from the one before them; the first always does.

    `changed[t]` is the majority's word on frames t and t + 1; where there is none, both are kept.
    """
    kept = [b for (_, b), word in zip(pairwise(frames), changed, strict=True) if word != "no"]
    return (*frames[:1], *kept)


def chosen_by_most(letters: Sequence[str]) -> str:
    """The letter that more than half of the judges chose; empty where none has so many."""
    if not letters:
        return ""
    letter, n = Counter(letters).most_common(1)[0]
    return letter if 2 * n > len(letters) else ""


def outcome(correct: Correct, passed: bool | None = True) -> Outcome:
    """Accepted: every frame found its caption. Rejected: more than half did not, or progress is told wrongly.

    What could not be read counts as neither right nor wrong.
    """
    if passed is False or 2 * sum(c is False for c in correct) > len(correct):
        return "rejected"
    whole = bool(correct) and all(c is True for c in correct)
    return "accepted" if whole and passed else "undecided"


def preferences(found: Iterable[Evidence]) -> list[Preference]:
    """Each accepted model's captions before each rejected one's, of the same frames, in a fixed order."""
    groups: dict[tuple[str, tuple[int, ...]], list[Evidence]] = defaultdict(list)
    for one in found:
        groups[one.video_id, one.frames].append(one)
    return [
        Preference(good, bad)
        for _, group in sorted(groups.items(), key=lambda item: item[0])
        for good in sorted(group, key=lambda e: e.run_id)
        if good.outcome == "accepted"
        for bad in sorted(group, key=lambda e: e.run_id)
        if bad.outcome == "rejected"
    ]
