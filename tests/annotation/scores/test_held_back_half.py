"""What a prompt's version reaches on one half of the labels, for judges whose kappa is known."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scores.agreement import agreement
from annotation.scores.held_back_half import halves, is_held_back
from annotation.scores.scored_item import Item

TRUTH = 0.45
"""Share of "yes" by people."""


def test_a_question_stays_in_its_half_whatever_is_labelled_later() -> None:
    names = [f"qst-{n}" for n in range(400)]
    work, held = halves(names)
    assert sorted([*work, *held]) == sorted(names)
    assert halves(names[:100]) == (
        [n for n in work if n in names[:100]],
        [n for n in held if n in names[:100]],
    )
    assert 160 <= len(held) <= 240
    assert all(is_held_back(n) for n in held)


@pytest.mark.long
@pytest.mark.parametrize("kappa", [0.2, 0.5, 0.8])
def test_the_kappa_of_a_judge_is_recovered_on_the_half_that_is_held_back(kappa: float) -> None:
    """400 draws of 800 labels on 80 videos; a judge with people's share of yes errs as its kappa says."""
    numbers = np.random.default_rng(11)
    # With equal shares of yes, kappa is 1 - errors / (2 p (1 - p)).
    wrong = (1 - kappa) * TRUTH * (1 - TRUTH)
    held, draws = 0, 400
    for _ in range(draws):
        true = numbers.random(800) < TRUTH
        errs = np.where(true, wrong / TRUTH, wrong / (1 - TRUTH))
        said = true ^ (numbers.random(800) < errs)
        items = {
            f"q{n}": Item(
                video=f"v{n % 80}",
                aspect="camera",
                state="done",
                accuracy=float(said[n]),
                human_accuracy=float(true[n]),
                question=f"q{n}",
            )
            for n in range(800)
        }
        found = agreement([items[name] for name in halves(items)[True]]).kappa
        assert found.low is not None and found.high is not None
        held += found.low <= kappa <= found.high
    assert 366 <= held <= 394, held
