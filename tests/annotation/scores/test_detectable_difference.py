"""Which difference could be seen: by hand, and by drawing a thousand times."""

from __future__ import annotations

from statistics import stdev

import numpy as np
import pytest

from annotation.scores.agreement import agreement
from annotation.scores.compare_two_evaluations import compare
from annotation.scores.detectable_difference import power
from annotation.scores.means_with_intervals import NOTHING, Estimate
from annotation.scores.next_to_label import Corrected
from tests.annotation.scores.test_scores import item, reply


def test_labels_by_hand() -> None:
    """Half an interval of 0.098 is 1.96 standard errors of 0.05; four of five times take 2.80 of them."""
    found = Corrected(Estimate(0.6, 0.502, 0.698), 0.65, 10, 100)
    assert found.smallest == pytest.approx(2.8016 * 0.05, abs=1e-4)
    # A quarter of the variance (1/10 - 1/100) / 4 = 0.0225 is that of n labels with 1/n = 0.0325.
    assert found.for_half == 31
    assert found.tells_apart is False
    assert Corrected(Estimate(0.6, 0.502, 0.698), 0.7, 10, 100).tells_apart is True
    whole = Corrected(
        Estimate(0.93, 0.832, 1.0), 0.7, 100, 100
    )  # the interval ends at 1: the lower side counts
    assert whole.smallest == pytest.approx(2.8016 * 0.05, abs=1e-4) and whole.for_half is None
    nothing = Corrected(NOTHING, 0.7, 2, 100)
    assert (nothing.smallest, nothing.for_half, nothing.tells_apart) == (None, None, None)


def test_by_hand() -> None:
    """Sixteen differences of plus and minus 0.1936: they scatter by 0.2, and t of 15 is 2.131 and 0.866."""
    gaps = [0.2 * (15 / 16) ** 0.5, -0.2 * (15 / 16) ** 0.5] * 8
    assert stdev(gaps) == pytest.approx(0.2)
    found = power(gaps)
    assert found is not None
    assert found.smallest == pytest.approx((2.1314 + 0.8662) * 0.2 / 4, abs=1e-4)
    # Half of 0.14988 at t of 58, 2.0017 and 0.8483: 2.85 x 0.2 / sqrt(58.6) = 0.0745.
    assert found.for_half == 58


@pytest.mark.parametrize("gaps", [[], [0.1], [0.1, 0.2, 0.3], [0.0] * 20, [0.5] * 20])
def test_what_tells_nothing_gives_nothing(gaps: list[float]) -> None:
    assert power(gaps) is None


@pytest.mark.parametrize(("videos", "known"), [(4, 3.182 + 0.978), (11, 2.228 + 0.879), (61, 2.000 + 0.848)])
def test_quantiles_are_those_of_the_tables(videos: int, known: float) -> None:
    gaps = list(np.random.default_rng(videos).normal(0, 1, videos))
    found = power(gaps)
    assert found is not None
    assert found.smallest == pytest.approx(known * stdev(gaps) / videos**0.5, rel=0.003)


def test_a_comparison_tells_what_it_could_show() -> None:
    a = [item(str(v), reply("no", 0), question=str(v)) for v in range(20)]
    b = [item(str(v), reply("yes" if v % 2 else "no", 5), question=str(v)) for v in range(20)]
    accuracy = compare(a, b)[0][0]
    assert accuracy.power == power([float(v % 2) for v in range(20)])
    assert compare(a, a)[0][0].power is None


@pytest.mark.long
def test_the_smallest_difference_is_found_in_four_of_five_draws() -> None:
    """One thousand sets of 30 videos whose true difference is what 30 videos could show."""
    random, videos, spread = np.random.default_rng(11), 30, 0.25
    shape = np.array([1.0, -1.0] * (videos // 2)) * spread * ((videos - 1) / videos) ** 0.5
    known = power(shape.tolist())
    assert known is not None
    drawn = random.normal(known.smallest, spread, (1000, videos))
    t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / videos**0.5)
    found = int((abs(t) > 2.045).sum())  # of 29 degrees of freedom
    assert 765 <= found <= 835


@pytest.mark.long
def test_agreement_of_a_known_judge_lies_in_its_interval_in_95_of_100_draws() -> None:
    """People say yes to 0.8, the judge turns 0.15 of all verdicts round, on 100 videos of four questions.

    The judge says yes to 0.8 x 0.85 + 0.2 x 0.15 = 0.71, so chance is 0.71 x 0.8 + 0.29 x 0.2 = 0.626 for
    kappa and 2 x 0.755 x 0.245 = 0.36995 for AC1.
    """
    kappa, ac1 = (0.85 - 0.626) / (1 - 0.626), (0.85 - 0.36995) / (1 - 0.36995)
    random, replies = (
        np.random.default_rng(5),
        {yes: reply("yes" if yes else "no", 3) for yes in (True, False)},
    )
    hits = {"kappa": 0, "ac1": 0}
    for _ in range(1000):
        people = random.random(400) < 0.8
        judge = people ^ (random.random(400) < 0.15)
        found = agreement(
            [
                item(f"v{n // 4}", replies[bool(said)], human_accuracy=float(human), human_score=3.0)
                for n, (said, human) in enumerate(zip(judge, people, strict=True))
            ]
        )
        for name, value, true in (("kappa", found.kappa, kappa), ("ac1", found.ac1, ac1)):
            assert value.low is not None and value.high is not None
            hits[name] += value.low <= true <= value.high
    assert all(930 <= n <= 970 for n in hits.values()), hits
