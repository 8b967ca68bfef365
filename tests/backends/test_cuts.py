"""The rules that join cuts and fades."""

from __future__ import annotations

import numpy as np

from backends.cuts import Passage, Trace, joined, true_fades, without_short

TIMES = np.arange(0, 301) / 10
"""Thirty seconds at 10 frames a second, with the end."""


def _trace(mean: list[float], deviation: list[float]) -> Trace:
    return Trace(frames=list(range(len(mean))), mean=mean, deviation=deviation)


def test_fade_needs_black_not_only_dark() -> None:
    mean = [90.0] * 5 + [5.0] * 4 + [90.0] * 5
    lamps, black = [40.0] * 14, [40.0] * 6 + [1.0] * 2 + [40.0] * 6
    assert true_fades(_trace(mean, black), TIMES, 12, 6) == [Passage(7, 5, 9)]
    assert true_fades(_trace(mean, lamps), TIMES, 12, 6) == []


def test_black_at_either_end_separates_nothing() -> None:
    plain = [1.0] * 10
    assert true_fades(_trace([3.0] * 4 + [90.0] * 6, plain), TIMES, 12, 6) == []
    assert true_fades(_trace([90.0] * 6 + [3.0] * 4, plain), TIMES, 12, 6) == []


def test_a_fade_swallows_the_cuts_around_it() -> None:
    fade = Passage(100, 95, 105)
    assert joined({20, 91, 95, 104, 110, 112, 200}, [fade], TIMES[:-1], 0.6) == [20, 100, 112, 200]


def test_short_scenes_join_across_the_weaker_cut() -> None:
    assert without_short([100, 110], {100: 9.0, 110: 30.0}, TIMES, 3.0) == [110]
    assert without_short([100, 110], {100: 30.0, 110: 9.0}, TIMES, 3.0) == [100]
    assert without_short([10], {10: 99.0}, TIMES, 3.0) == []
    assert without_short([290], {290: 99.0}, TIMES, 3.0) == []
    assert without_short([30, 270], {30: 1.0, 270: 1.0}, TIMES, 3.0) == [30, 270]
    assert without_short([], {}, TIMES, 99.0) == []


def test_no_scene_is_left_short() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        cuts = sorted(int(c) for c in rng.choice(np.arange(1, 300), 25, replace=False))
        kept = without_short(cuts, {c: float(rng.random()) for c in cuts}, TIMES, 3.0)
        assert set(kept) <= set(cuts)
        assert np.diff(TIMES[[0, *kept, 300]]).min() >= 3.0 - 1e-6
