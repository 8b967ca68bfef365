"""CapST: recall, precision and F1 of events and objects, by the usual terms and by the letters of the paper.

Recall: of the elements of the reference, the share that the predicted caption entails. Precision: of the
elements of the prediction, the share that the reference entails. Both are means over videos, F1 is the
harmonic mean of the two means, and the score is the mean of the F1 of events and of objects.

Source: CaReBench (ICLR 2026). Its formulas swap the two letters (R over the elements of the
prediction, P over those of the reference); its published code and leaderboard define them as here
(MCG-NJU/CaReBench f67d9aa, `utils/dream_gpt.py`). In both, only "entailment" counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotation.records.allowed_values import ResultState
from annotation.scores.means_with_intervals import NOTHING, Estimate, Floats, drawn_videos, with_interval
from annotation.scores.score_table import Row
from annotation.systems.carebench.capst_requests import KINDS, ElementKind
from backends.text.plural import plural

SideName = Literal["reference", "prediction"]
SIDES: tuple[SideName, ...] = ("reference", "prediction")
LETTER = "_in_the_letter_of_the_paper"


@dataclass(frozen=True, slots=True)
class ElementVerdict:
    """One judged element."""

    state: ResultState
    label: str
    """The judge's label; empty unless `state` is `done`."""
    human: str = ""
    """A person's correction of the label; empty if there is none."""
    stale: bool = False
    """Whether the element or the description has changed since the verdict."""


@dataclass(frozen=True, slots=True)
class Side:
    """The elements of one kind of one caption, judged by the other caption."""

    video: str
    kind: ElementKind
    side: SideName
    """Owner of the elements: those of the reference give recall, those of the prediction precision."""
    state: ResultState
    """State of the extraction."""
    verdicts: tuple[ElementVerdict, ...] = ()
    category: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """The result of a policy for a side."""

    value: float | None
    """None if the side is excluded."""
    n: int
    """Number of counted elements."""
    dropped: Mapping[str, int]
    """Number of excluded elements, by reason."""
    why: str = ""
    """Reason why the side is excluded."""


@dataclass(frozen=True, slots=True)
class Policy:
    """A named scoring policy."""

    name: str
    what: str
    share: Callable[[Side], Share]
    whole: bool = False
    """Whether a video is excluded with all of its sides if one side is."""
    zero: float | None = 0.0
    """F1 if recall and precision are both 0; None means undefined, as in the published code."""


def _counted(side: Side, value_of: Callable[[ElementVerdict], float | None]) -> Share:
    values = [value_of(verdict) for verdict in side.verdicts]
    kept = [value for value in values if value is not None]
    dropped: Counter[str] = Counter(
        v.state for v, value in zip(side.verdicts, values, strict=True) if value is None
    )
    if not side.verdicts:
        why = "no elements" if side.state == "done" else f"extraction {side.state}"
    else:
        why = "" if kept else "no readable verdict"
    return Share(sum(kept) / len(kept) if kept else None, len(kept), dict(dropped), why)


def _machine(verdict: ElementVerdict) -> float | None:
    return float(verdict.label == "entailment") if verdict.state == "done" else None


def _current(verdict: ElementVerdict) -> float | None:
    return float(verdict.human == "entailment") if verdict.human else _machine(verdict)


def _as_wrong(side: Side) -> Share:
    share = _counted(side, lambda verdict: _machine(verdict) or 0.0)
    if not side.verdicts and side.state != "done":
        return Share(0.0, 0, {})
    return share


def _published(side: Side) -> Share:
    share = _counted(side, _machine)
    if side.state == "done" and not side.verdicts:
        return Share(1.0, 0, {})
    if share.dropped:
        left_out = {**share.dropped, "in a list with an unreadable one": share.n}
        return Share(None, 0, {why: n for why, n in left_out.items() if n}, "an unreadable verdict")
    return share


POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            "parsed",
            "readable verdicts only; a caption without elements is left out of its mean",
            lambda side: _counted(side, _machine),
        ),
        Policy("failures_as_wrong", "unreadable, failed and missing are not entailed", _as_wrong),
        Policy(
            "corrected",
            "people's verdicts if given, else the readable ones",
            lambda side: _counted(side, _current),
        ),
        Policy(
            "carebench",
            "the published code: a list without elements scores 1, a video with an "
            "unreadable reply is left out whole",
            _published,
            whole=True,
            zero=None,
        ),
    )
}


def capst_table(
    sides: Sequence[Side], policies: Iterable[str] = tuple(POLICIES), *, by_category: bool = False
) -> list[Row]:
    """Rows of each policy: per kind of element, of both together, and the same per category."""
    return [row for name in policies for row in _of_policy(POLICIES[name], sides, by_category)]


def _of_policy(policy: Policy, sides: Sequence[Side], by_category: bool) -> list[Row]:
    shares = [policy.share(side) for side in sides]
    if policy.whole:
        shares = _whole_videos(sides, shares)
    rows = _Group(policy, sides, shares, {}).rows()
    for category in sorted({side.category or "none" for side in sides}) if by_category else ():
        mine = [n for n, side in enumerate(sides) if (side.category or "none") == category]
        group = _Group(policy, [sides[n] for n in mine], [shares[n] for n in mine], {"category": category})
        rows += group.rows()
    return rows


def _whole_videos(sides: Sequence[Side], shares: Sequence[Share]) -> list[Share]:
    """Exclude the videos that have an excluded side; their elements are counted as excluded."""
    out = {side.video for side, share in zip(sides, shares, strict=True) if share.value is None}
    return [
        _left_out(share) if side.video in out and share.value is not None else share
        for side, share in zip(sides, shares, strict=True)
    ]


def _left_out(share: Share) -> Share:
    return Share(
        None, 0, {"in a video with an unreadable one": share.n} if share.n else {}, "an unreadable reply"
    )


@dataclass(frozen=True, slots=True)
class _Means:
    """Recall, precision and F1 of one kind under weights of videos, each (B,)."""

    recall: Floats
    precision: Floats
    f1: Floats


class _Group:
    """The rows of one policy and one set of videos."""

    def __init__(
        self, policy: Policy, sides: Sequence[Side], shares: Sequence[Share], group: Mapping[str, str]
    ) -> None:
        self.policy, self.sides, self.shares, self.group = policy, sides, shares, group
        self.videos = {video: n for n, video in enumerate(sorted({side.video for side in sides}))}
        self.values = {(kind, side): self._column(kind, side) for kind in KINDS for side in SIDES}

    def rows(self) -> list[Row]:
        rows: list[Row] = []
        count = len(self.videos)
        once, drawn = np.ones((1, count)), drawn_videos(count) if count else np.ones((1, 0))
        found = {kind: (self._means(kind, once), self._means(kind, drawn)) for kind in KINDS}
        for kind, (value, draws) in found.items():
            group = {"elements": f"{kind}s", **self.group}
            for metric, attribute, sides in _METRICS:
                one, many = getattr(value, attribute), getattr(draws, attribute)
                rows.append(self._row(group, metric, one, many, [(kind, side) for side in sides]))
        both = [(kind, side) for kind in KINDS for side in SIDES]
        means = [np.mean([found[kind][n].f1 for kind in KINDS], axis=0) for n in (0, 1)]
        group = {"elements": "events and objects", **self.group}
        return [self._row(group, "f1", means[0], means[1], both), *rows]

    def _column(self, kind: ElementKind, name: SideName) -> Floats:
        """(V,) the side's share per video; NaN if it is excluded."""
        column = np.full(len(self.videos), np.nan)
        for side, share in zip(self.sides, self.shares, strict=True):
            if side.kind == kind and side.side == name and share.value is not None:
                column[self.videos[side.video]] = share.value
        return column

    def _means(self, kind: ElementKind, weights: Floats) -> _Means:
        recall, precision = (_mean(self.values[kind, side], weights) for side in SIDES)
        with np.errstate(invalid="ignore", divide="ignore"):
            f1 = 2 * recall * precision / (recall + precision)
        if self.policy.zero is not None:
            f1 = np.where((recall == 0) & (precision == 0), self.policy.zero, f1)
        return _Means(recall, precision, f1)

    def _row(
        self,
        group: Mapping[str, str],
        metric: str,
        value: Floats,
        draws: Floats,
        places: Sequence[tuple[ElementKind, SideName]],
    ) -> Row:
        mine = [
            (side, share)
            for side, share in zip(self.sides, self.shares, strict=True)
            if (side.kind, side.side) in places
        ]
        dropped: Counter[str] = Counter()
        for _, share in mine:
            dropped.update(share.dropped)
        n = sum(share.n for _, share in mine)
        counted = {side.video for side, share in mine if share.value is not None}
        fewest = min((int(np.sum(~np.isnan(self.values[place]))) for place in places), default=0)
        found = _estimate(value, draws, fewest)
        return Row(
            dict(group),
            self.policy.name,
            metric,
            found.value,
            n,
            n + dropped.total(),
            found.low,
            found.high,
            len(counted),
            dict(dropped),
            _note(mine),
        )


_METRICS: tuple[tuple[str, str, tuple[SideName, ...]], ...] = (
    ("f1", "f1", SIDES),
    ("recall", "recall", ("reference",)),
    ("precision", "precision", ("prediction",)),
    (f"recall{LETTER}", "precision", ("prediction",)),
    (f"precision{LETTER}", "recall", ("reference",)),
)
"""Display name, statistic, and the side whose elements are counted."""


def _mean(column: Floats, weights: Floats) -> Floats:
    """(B,) the mean over the videos that have a value; NaN if there are none."""
    there = ~np.isnan(column)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((weights @ np.where(there, column, 0.0)) / (weights @ there.astype(float)))


def _estimate(value: Floats, draws: Floats, videos: int) -> Estimate:
    if not len(value) or np.isnan(value[0]):
        return NOTHING
    # A single video does not give an interval.
    return with_interval(float(value[0]), draws if videos > 1 else np.empty(0))


def _note(mine: Sequence[tuple[Side, Share]]) -> str:
    """Number of excluded lists with reasons, and number of verdicts on changed words."""
    why = Counter(share.why for _, share in mine if share.why)
    parts = [f"{plural(n, 'list')} left out: {what}" for what, n in sorted(why.items())]
    stale = sum(verdict.stale for side, _ in mine for verdict in side.verdicts)
    if stale:
        parts.append(f"{plural(stale, 'verdict')} on text that has changed since")
    return "; ".join(parts)
