"""What counts, and as what: our two rules, people's corrections, and the rules of five peers.

A policy gives every item a value or a reason why it has none, so that values and reasons always
add up to the number of items. Peers' rules work on the raw reply where it was kept; where a log
has only a verdict, the verdict is taken as what the peer read.
Source of the peers' rules: their code at aurora 2bf68d5, lmms-eval 75571cf and 924814c (October
2024), VLMEvalKit e8e78f0, Video-MMLU 45b41bf.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotation.scores.replies_as_peers_read_them import (
    PeerReading,
    as_float,
    read_json_or_literal,
    read_literal,
    read_stripped_literal,
    whole_number,
)
from annotation.scores.scored_item import Counted, Item

System = Literal["vdc", "mmlu"]
Mean = Literal["macro", "micro"]
"""`macro`: mean per video, then over videos. `micro`: mean over questions."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A named rule."""

    name: str
    what: str
    rule: Callable[[Sequence[Item]], Counted]
    means: tuple[Mean, ...] = ("macro", "micro")
    """The means that the rule is published with."""
    systems: tuple[System, ...] = ("vdc", "mmlu")
    """The benchmarks that it is a rule of."""
    each: Callable[[Sequence[Item]], Counted] | None = None
    """The rule, where it looks at one item's verdict at a time: equal verdicts then need one look."""
    whole_videos: bool = False
    """Whether AuroraCap's rule on whole videos follows after `each`."""
    pooled: bool = False
    """Whether its overall figure is over the rows of all aspects, and not the mean of the aspects."""


# --- our own --------------------------------------------------------------------------


def parsed_only(items: Sequence[Item]) -> Counted:
    counted = Counted()
    for item in items:
        _count_readable(counted, item)
    return counted


def _count_readable(counted: Counted, item: Item) -> None:
    if item.state == "done" and item.accuracy is not None and item.score is not None:
        counted.add(item.accuracy, item.score)
    else:
        counted.drop(item.state if item.state != "done" else "no value")


def failures_as_wrong(items: Sequence[Item]) -> Counted:
    counted = Counted()
    for item in items:
        done = item.state == "done"
        counted.add((item.accuracy or 0.0) if done else 0.0, (item.score or 0.0) if done else 0.0)
    return counted


def corrected(items: Sequence[Item]) -> Counted:
    """A person's verdict where there is one, else the machine's readable one; no excluded question."""
    counted = Counted()
    for item in items:
        if item.excluded:
            counted.drop("excluded")
        elif item.human_accuracy is not None and item.human_score is not None:
            counted.add(item.human_accuracy, item.human_score)
        else:
            _count_readable(counted, item)
    return counted


def majority_of_repeats(items: Sequence[Item]) -> Counted:
    """What most of a judge's readable verdicts on an answer say, and the mean of their scores.

    As many yes as no are half; a question that was judged once counts as under `parsed`.
    """
    counted = Counted()
    for item in items:
        if len(item.repeats) < 2:
            _count_readable(counted, item)
            continue
        share = sum(accuracy for accuracy, _ in item.repeats) / len(item.repeats)
        scores = [score for _, score in item.repeats if score is not None]
        counted.add(
            0.5 if share == 0.5 else float(share > 0.5), sum(scores) / len(scores) if scores else None
        )
    return counted


# --- the peers' -----------------------------------------------------------------------


def aurora(items: Sequence[Item]) -> Counted:
    """A video with one unreadable reply is left out whole; so is one whose accuracy or score is 0."""
    counted = aurora_each(items)
    videos: dict[tuple[str, str], list[int]] = defaultdict(list)
    stopped: set[tuple[str, str]] = set()
    for position, item in enumerate(items):
        place = (item.aspect, item.video)
        videos[place].append(position)
        if counted.dropped[position]:
            stopped.add(place)
    for place in stopped:
        counted.drop_where(videos[place], "in a video with an unreadable one")
    for positions in videos.values():
        accuracy = sum(counted.accuracy[p] or 0.0 for p in positions)
        score = sum(counted.score[p] or 0.0 for p in positions)
        if not accuracy or not score:
            counted.drop_where(positions, "in a video at 0")
    return counted


def aurora_each(items: Sequence[Item]) -> Counted:
    """The part of the rule that looks at one reply."""
    counted = Counted()
    for item in items:
        reading = _reading(item, read_literal)
        score = as_float(reading.score)
        if reading.trouble or score is None or math.isnan(score):
            counted.drop("unreadable")
        else:
            counted.add(_exactly_yes(reading, item), score)
    return counted


def lmms_eval(items: Sequence[Item]) -> Counted:
    """Questions without both keys are left out; a reply that is no literal ends the peer's run."""
    counted = Counted()
    for item in items:
        reading = _reading(item, read_literal)
        if reading.trouble == "missing key":
            counted.drop("without a key")
        elif reading.trouble or isinstance(reading.score, str) or as_float(reading.score) is None:
            counted.drop("would end its run")
        else:
            counted.add(_exactly_yes(reading, item), float(reading.score))
    return counted


def lmms_eval_2024(items: Sequence[Item]) -> Counted:
    """`pred` and `score` each for itself: one that is missing or unreadable is "no" or 0.

    Of a score only the whole number counts; a mean that a log holds is one of whole numbers already.
    """
    counted = Counted()
    for item in items:
        reading = _reading(item, read_stripped_literal)
        is_mean = item.raw is None and not item.question
        score = as_float(reading.score) or 0.0 if is_mean else whole_number(reading.score)
        counted.add(_exactly_yes(reading, item), score)
    return counted


def vlmevalkit(items: Sequence[Item]) -> Counted:
    """Unreadable replies are left out of both means, a score below 0 of the mean of scores alone."""
    counted = Counted()
    for item in items:
        reading = _reading(item, read_json_or_literal)
        score = None if isinstance(reading.score, str) else as_float(reading.score)
        if reading.trouble:
            counted.drop("readable by running it alone" if reading.trouble == "code" else "unreadable")
        elif item.raw is None:
            counted.add(item.accuracy or 0.0, score)
        elif score is None or not isinstance(reading.pred, str):
            counted.drop("would end its run")
        else:
            counted.add(float(reading.pred.lower() == "yes"), score if score >= 0 else None)
    return counted


def video_mmlu(items: Sequence[Item]) -> Counted:
    """A reply that is no literal vanishes from both numerator and denominator; any case of "yes" is yes."""
    counted = Counted()
    for item in items:
        reading = _reading(item, read_literal)
        score = as_float(reading.score)
        if reading.trouble == "unreadable":
            counted.drop("unreadable")
        elif reading.trouble or score is None or isinstance(reading.score, str):
            counted.drop("would end its run")
        else:
            counted.add(float(str(reading.pred).lower() == "yes"), score)
    return counted


def _reading(item: Item, read: Callable[[str], PeerReading]) -> PeerReading:
    if item.raw is not None:
        return read(item.raw)
    if item.state == "done" and item.accuracy is not None and item.score is not None:
        return PeerReading("", "yes" if item.accuracy == 1 else "no", item.score)
    return PeerReading("unreadable")


def _exactly_yes(reading: PeerReading, item: Item) -> float:
    if item.raw is None:
        return item.accuracy or 0.0
    return float(reading.pred == "yes")


MAJORITY = "majority_of_repeats"
"""Says something else than `parsed` only where answers were judged several times."""

POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            "parsed", "readable verdicts only; the rest is counted beside them", parsed_only, each=parsed_only
        ),
        Policy(
            "failures_as_wrong",
            "unreadable, failed and missing are no and 0",
            failures_as_wrong,
            each=failures_as_wrong,
        ),
        Policy(
            "corrected",
            "people's verdicts where there are any, else the readable ones; excluded questions are left out",
            corrected,
            each=corrected,
        ),
        Policy(
            MAJORITY,
            "what most of the judge's verdicts on the same answer say, a tie is half, mean of their scores; "
            "judged once: the readable ones",
            majority_of_repeats,
            each=majority_of_repeats,
        ),
        Policy(
            "aurora",
            "AuroraCap: videos with an unreadable reply or a mean of 0 are left out",
            aurora,
            ("macro",),
            ("vdc",),
            aurora_each,
            whole_videos=True,
        ),
        Policy(
            "lmms-eval",
            "lmms-eval today: replies without both keys are left out",
            lmms_eval,
            ("macro",),
            ("vdc",),
            lmms_eval,
        ),
        Policy(
            "lmms-eval-2024",
            "lmms-eval of October 2024: what is unreadable or missing is no or 0, scores lose their fraction",
            lmms_eval_2024,
            ("macro",),
            ("vdc",),
            lmms_eval_2024,
        ),
        Policy(
            "vlmevalkit",
            "VLMEvalKit: unreadable replies are left out; over rows, not videos",
            vlmevalkit,
            ("micro",),
            ("vdc",),
            vlmevalkit,
            pooled=True,
        ),
        Policy(
            "video-mmlu",
            "Video-MMLU's scripts: unreadable replies vanish; a discipline that is missing "
            "or spelled in lower case counts as 0",
            video_mmlu,
            ("micro",),
            ("mmlu",),
        ),
    )
}


def policies_of(system: System, *, repeats: bool = False) -> list[str]:
    """Names of the rules that a benchmark is scored by; with `repeats` also the one on repeated verdicts."""
    return [
        name
        for name, policy in POLICIES.items()
        if system in policy.systems and (repeats or name != MAJORITY)
    ]
