"""Rules that merge cuts and fades."""

from __future__ import annotations

import numpy as np

from backends.scenes.fades_and_short_scenes import Passage, Trace, in_turn, joined, true_fades

TIMES = np.arange(0, 301) / 10
"""Times of thirty seconds at 10 frames per second, with the end."""


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


def test_of_cuts_too_near_to_each_other_the_first_stays() -> None:
    assert in_turn([20, 40, 69, 70, 101], TIMES, 3.0) == [40, 70, 101]
    assert in_turn([30, 299], TIMES, 3.0) == [30, 299] and in_turn([], TIMES, 3.0) == []


def test_a_hard_cut_at_the_edge_of_black_is_where_the_scene_begins() -> None:
    mean = [90.0] * 5 + [5.0] * 4 + [90.0] * 5
    black = [40.0] * 5 + [1.0] * 4 + [40.0] * 5
    for hard, cut in (((9,), 9), ((5,), 5), ((5, 9), 9), ((2, 12), 7), ((10,), 10)):
        assert true_fades(_trace(mean, black), TIMES, 12, 6, hard) == [Passage(cut, 5, 9)]
