"""Scoring policies: our own rules, people's corrections, and the rules of five peers.

A policy gives every item a value or a reason why it is not counted, so that values and reasons always
add up to the number of items. Peers' rules read the raw reply if it was kept; if a log has only a verdict,
the verdict is used as the peer's reading.
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

Mean = Literal["macro", "micro"]
"""`macro`: mean per video, then over videos. `micro`: mean over questions."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A named rule."""

    name: str
    what: str
    rule: Callable[[Sequence[Item]], Counted]
    means: tuple[Mean, ...] = ("macro", "micro")
    """The means that are published with this rule."""
    systems: tuple[str, ...] = ()
    """The benchmarks that use the rule; empty: all."""
    each: Callable[[Sequence[Item]], Counted] | None = None
    """The rule, if it depends only on single items. It is then applied once per distinct item."""
    whole_videos: bool = False
    """Whether AuroraCap's rule on whole videos is applied after `each`."""
    pooled: bool = False
    """Whether the overall figure is over the rows of all aspects instead of the mean over aspects."""


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
    """Count a person's verdict if there is one, else the machine's readable one. Drop excluded questions."""
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
    """Count the majority of a judge's readable verdicts on an answer, and the mean of their scores.

    A tie counts as 0.5. A question that was judged once counts as under `parsed`.
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
    """Drop all items of a video that has an unreadable reply, or whose accuracy or score is 0."""
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
            counted.drop_where(positions, "in a video with mean 0")
    return counted


def aurora_each(items: Sequence[Item]) -> Counted:
    """Apply the part of the rule that depends on single replies."""
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
    """Drop questions without both keys. A reply that is not a literal ends the peer's run."""
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
    """Read `pred` and `score` independently: a missing or unreadable one counts as "no" or 0.

    The fraction of a score is cut off. A mean from a log is already a mean of whole numbers.
    """
    counted = Counted()
    for item in items:
        reading = _reading(item, read_stripped_literal)
        is_mean = item.raw is None and not item.question
        score = as_float(reading.score) or 0.0 if is_mean else whole_number(reading.score)
        counted.add(_exactly_yes(reading, item), score)
    return counted


def vlmevalkit(items: Sequence[Item]) -> Counted:
    """Drop unreadable replies. A score below 0 is left out of the mean of scores only."""
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
    """Drop replies that are not literals. "yes" is matched case-insensitively."""
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
"""Differs from `parsed` only if answers were judged several times."""

POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            "parsed",
            "readable verdicts only; the others are reported separately",
            parsed_only,
            each=parsed_only,
        ),
        Policy(
            "failures_as_wrong",
            "unreadable, failed and missing verdicts count as no and 0",
            failures_as_wrong,
            each=failures_as_wrong,
        ),
        Policy(
            "corrected",
            "people's verdicts if there are any, else the readable ones; excluded questions are left out",
            corrected,
            each=corrected,
        ),
        Policy(
            MAJORITY,
            "majority of the judge's verdicts on the same answer (a tie counts as half) and mean of their "
            "scores; for answers judged once, the readable verdict",
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
            "lmms-eval (current): replies without both keys are left out",
            lmms_eval,
            ("macro",),
            ("vdc",),
            lmms_eval,
        ),
        Policy(
            "lmms-eval-2024",
            "lmms-eval of October 2024: unreadable or missing values count as no or 0, and the fractions of "
            "scores are cut off",
            lmms_eval_2024,
            ("macro",),
            ("vdc",),
            lmms_eval_2024,
        ),
        Policy(
            "vlmevalkit",
            "VLMEvalKit: unreadable replies are left out; means over rows instead of videos",
            vlmevalkit,
            ("micro",),
            ("vdc",),
            vlmevalkit,
            pooled=True,
        ),
        Policy(
            "video-mmlu",
            "Video-MMLU's scripts: unreadable replies are left out; a discipline that is missing "
            "or spelled in lower case counts as 0",
            video_mmlu,
            ("micro",),
            ("video-mmlu",),
        ),
    )
}


def policies_of(system: str, *, repeats: bool = False) -> list[str]:
    """Return the names of the policies of a benchmark; with `repeats` also the one for repeated verdicts."""
    return [
        name
        for name, policy in POLICIES.items()
        if system in (policy.systems or (system,)) and (repeats or name != MAJORITY)
    ]
