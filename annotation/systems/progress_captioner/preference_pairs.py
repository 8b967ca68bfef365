"""Training data of FrameCap: votes on change, accepted and rejected captions, preferences.

Source: ProgressCaptioner (CVPR 2025), section 3.2 and supplement 1.1. Several captioners write
captions of the same frames. For two frames, language models judge whether each captioner's
captions describe a change; the majority is taken as the truth, and captions that disagree are
rejected. The remaining pairs, and every longer sequence, are matched: a model sees a frame and
all captions of the sequence and names the one that fits. A sequence is accepted if every frame
is matched with its own caption, and rejected if more than half are wrong; others are neither.
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
"""Per frame, whether it was matched with its caption; None if no reply is readable or judges disagree."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One model's captions of one sequence of frames, and the verdicts of the judges."""

    video_id: str
    frames: tuple[int, ...]
    run_id: str
    captions: tuple[str, ...]
    """One per frame."""
    passed: bool | None
    """Whether the captions agree with the majority on change; None: nothing to compare, or too long."""
    correct: tuple[bool | None, ...]
    """As `Correct`; empty if no frame was matched."""
    choices: tuple[str, ...]
    """The chosen letters, for display; `?` if there is none."""
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Preference:
    """Two captionings of the same frames: the first was accepted, the second rejected."""

    chosen: Evidence
    rejected: Evidence


def majority(labels: Iterable[str]) -> Progression:
    """`yes` or `no`, whichever is more frequent; empty on a tie. Other labels are ignored."""
    votes = Counter(label for label in labels if label in ("yes", "no"))
    if votes["yes"] == votes["no"]:
        return ""
    return "yes" if votes["yes"] > votes["no"] else "no"


def agrees(own: Iterable[str], everybody: Iterable[str]) -> bool | None:
    """Whether one model's labels agree with the majority over all models; None if it cannot be determined."""
    mine, truth = majority(own), majority(everybody)
    return mine == truth if mine and truth else None


def distinct(frames: Sequence[int], changed: Sequence[Progression]) -> tuple[int, ...]:
    """The frames that differ from the previous frame; the first frame is always included.

    `changed[t]` is the majority label of frames t and t + 1; if there is none, both are kept.
    """
    kept = [b for (_, b), word in zip(pairwise(frames), changed, strict=True) if word != "no"]
    return (*frames[:1], *kept)


def chosen_by_most(letters: Sequence[str]) -> str:
    """The letter that more than half of the judges chose; empty if there is none."""
    if not letters:
        return ""
    letter, n = Counter(letters).most_common(1)[0]
    return letter if 2 * n > len(letters) else ""


def outcome(correct: Correct, passed: bool | None = True) -> Outcome:
    """Accepted: every frame found its caption. Rejected: more than half did not, or progress is wrong.

    Unreadable replies count as neither right nor wrong.
    """
    if passed is False or 2 * sum(c is False for c in correct) > len(correct):
        return "rejected"
    whole = bool(correct) and all(c is True for c in correct)
    return "accepted" if whole and passed else "undecided"


def preferences(found: Iterable[Evidence]) -> list[Preference]:
    """Pairs of accepted and rejected captions of the same frames, in a fixed order."""
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
