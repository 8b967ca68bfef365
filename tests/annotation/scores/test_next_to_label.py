"""The judge against people, by simulation: how often intervals hold, and what proposed labels are worth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from annotation.scores.agreement import agreement
from annotation.scores.next_to_label import next_labels, people_mean
from annotation.scores.scored_item import Item
from tests.annotation.scores.test_scores import lenient_world

pytestmark = pytest.mark.long

TRUTH, SENSITIVE, LENIENT = 0.4, 0.9, 0.25
"""Share of "yes" by people; how often the judge says yes to those, and to the others."""


def judged_world(numbers: np.random.Generator, size: int, share: float) -> tuple[list[Item], float]:
    """Verdicts with labels on a random share of them, and what people would say of all."""
    true = numbers.random(size) < TRUTH
    said = np.where(true, numbers.random(size) < SENSITIVE, numbers.random(size) < LENIENT)
    score = np.where(said, numbers.integers(3, 6, size), numbers.integers(0, 3, size)).astype(float)
    labelled = numbers.random(size) < share
    items = [
        Item(
            video=f"v{n % 80}",
            aspect="camera",
            state="done",
            accuracy=float(said[n]),
            score=float(score[n]),
            verdict=str(n),
            question=str(n),
            human_accuracy=float(true[n]) if labelled[n] else None,
            human_score=(4.0 if true[n] else 1.0) if labelled[n] else None,
        )
        for n in range(size)
    ]
    return items, float(true.mean())


@pytest.mark.parametrize("share", [0.08, 0.2, 0.5])
def test_the_interval_of_what_people_would_say_holds_as_often_as_it_claims(share: float) -> None:
    """500 draws: between 93 and 97 of 100 intervals hold the truth, for both measures."""
    numbers = np.random.default_rng(5)
    held = {"accuracy": 0, "score": 0}
    draws = 500
    for _ in range(draws):
        items, accuracy = judged_world(numbers, 500, share)
        for measure, truth in (("accuracy", accuracy), ("score", 1 + 3 * accuracy)):
            found = people_mean(items, measure).estimate  # type: ignore[arg-type]
            assert found.low is not None
            assert found.high is not None
            held[measure] += found.low <= truth <= found.high
    for measure, count in held.items():
        assert 0.93 <= count / draws <= 0.97, (measure, count / draws)


@pytest.mark.parametrize("share", [0.2, 0.5])
def test_the_interval_of_kappa_holds_as_often_as_it_claims(share: float) -> None:
    yes = TRUTH * SENSITIVE + (1 - TRUTH) * LENIENT
    observed = TRUTH * SENSITIVE + (1 - TRUTH) * (1 - LENIENT)
    chance = TRUTH * yes + (1 - TRUTH) * (1 - yes)
    truth = (observed - chance) / (1 - chance)
    numbers = np.random.default_rng(6)
    held, draws = 0, 500
    for _ in range(draws):
        found = agreement(judged_world(numbers, 600, share)[0]).kappa
        assert found.low is not None
        assert found.high is not None
        held += found.low <= truth <= found.high
    assert 0.93 <= held / draws <= 0.97, held / draws


def test_label_next_makes_a_shorter_interval_than_labels_at_random() -> None:
    """30 labels at random, then 60 more: as proposed, or at random again. The judge errs on "yes" alone."""

    def width(items: list[Item]) -> float:
        found = people_mean(items).estimate
        assert found.low is not None
        assert found.high is not None
        return found.high - found.low

    proposed, random_ones = [], []
    for seed in range(12):
        numbers = np.random.default_rng(seed)
        everything = lenient_world(seed, 2000)
        start = set(numbers.permutation(2000)[:30].tolist())
        also = set(numbers.permutation([n for n in range(2000) if n not in start])[:60].tolist())

        def with_labels(chosen: set[int], all_items: list[Item] = everything) -> list[Item]:
            bare = {"human_accuracy": None, "human_score": None}
            return [i if n in chosen else replace(i, **bare) for n, i in enumerate(all_items)]

        mine = set(start)
        for _ in range(6):
            mine |= {int(i.verdict) for i in next_labels(with_labels(mine), 10)}
        assert len(mine) == len(start | also) == 90
        proposed.append(width(with_labels(mine)))
        random_ones.append(width(with_labels(start | also)))
    assert sum(a < b for a, b in zip(proposed, random_ones, strict=True)) >= 8
    assert np.mean(proposed) < 0.95 * np.mean(random_ones)
