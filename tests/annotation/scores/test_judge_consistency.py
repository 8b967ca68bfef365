"""How far a judge repeats itself, and what most of its verdicts say."""

from __future__ import annotations

import numpy as np
import pytest

from annotation.scores.judge_consistency import consistency, flip_rate
from annotation.scores.score_table import table
from annotation.scores.scored_item import Item
from annotation.scores.scoring_policies import MAJORITY, POLICIES, policies_of


def item(video: str, *words: str, scores: tuple[float | None, ...] = (), **more: object) -> Item:
    """A question with these verdicts; the first one is the evaluation's own."""
    said = [float(word == "yes") for word in words]
    given = scores or tuple(5.0 * value for value in said)
    return Item(
        video=video,
        aspect="camera",
        state="done",
        accuracy=said[0],
        score=given[0],
        question=f"q-{video}-{'-'.join(words)}",
        repeats=tuple(zip(said, given, strict=True)) if len(words) > 1 else (),
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("words", "rate"),
    [
        (("yes",), None),
        (("yes", "yes"), 0.0),
        (("yes", "no"), 1.0),
        (("yes", "no", "no"), 2 / 3),  # of three pairs two differ
        (("yes", "yes", "yes", "no", "no"), 0.6),  # 6 of 10 pairs
    ],
)
def test_the_flip_rate_of_a_question_is_the_share_of_pairs_that_differ(
    words: tuple[str, ...], rate: float | None
) -> None:
    found = flip_rate(item("a", *words))
    assert found == (None if rate is None else pytest.approx(rate))


def test_consistency_by_hand() -> None:
    items = [
        item("a", "yes", "yes", "yes"),
        item("a", "yes", "no", "no"),
        item("b", "no", "yes", "yes", "no"),  # 4 of 6 pairs differ, and a tie
        item("b", "no"),  # judged once: says nothing
    ]
    found = consistency(items)
    assert found is not None
    assert (found.n, found.most, found.inconsistent, found.ties) == (3, 4, 2, 1)
    assert found.flip_rate.value == pytest.approx((0 + 2 / 3 + 2 / 3) / 3)
    assert found.consistency.value == pytest.approx(1 - 4 / 9)
    assert found.flip_rate.low == pytest.approx(1 - found.consistency.high)  # type: ignore[operator]
    assert consistency([item("a", "yes")]) is None


def test_the_majority_by_hand() -> None:
    items = [
        item("a", "no", "yes", "yes", scores=(1.0, 4.0, 4.0)),
        item("a", "yes", "no", scores=(3.0, 2.0)),
        item("a", "yes", "yes", scores=(None, None)),
        item("a", "yes", scores=(4.5,)),
    ]
    counted = POLICIES[MAJORITY].rule(items)
    assert counted.accuracy == [1.0, 0.5, 1.0, 1.0]
    assert counted.score == [3.0, 2.5, None, 4.5]
    # The table looks at one of those that are alike: repeats make them different.
    alike = [item("a", "yes", "no", "no"), item("b", "yes", "yes", "yes")]
    rows = {
        row.policy: row.value for row in table(alike, ["parsed", MAJORITY]) if row.metric == "accuracy_micro"
    }
    assert rows == {"parsed": 1.0, MAJORITY: 0.5}


def test_the_majority_is_no_usual_policy_where_nothing_was_repeated() -> None:
    assert MAJORITY not in policies_of("vdc")
    assert policies_of("vdc", repeats=True).index(MAJORITY) < policies_of("vdc", repeats=True).index("aurora")


@pytest.mark.long
@pytest.mark.parametrize("spread", [0.4, 2.0])
def test_a_known_consistency_is_recovered(spread: float) -> None:
    """A judge whose chance of yes differs from question to question, and videos from each other."""
    chance = np.random.default_rng(7)
    videos, questions, times = 80, 5, 3
    # Beta(a, b) per question: the chance that two verdicts differ is 2 E[p (1 - p)].
    low, high = spread * np.array([0.5, 1.5])
    truths = [2 * a * a / (2 * a * (2 * a + 1)) for a in (low, high)]
    truth = float(np.mean(truths))
    inside = 0
    for _ in range(1000):
        steady = chance.random(videos) < 0.5
        p = np.stack([chance.beta(a, a, questions) for a in np.where(steady, low, high)])
        said = chance.random((videos, questions, times)) < p[..., None]
        items = [
            Item(
                video=f"{v:02d}",
                aspect="camera",
                state="done",
                repeats=tuple((float(x), None) for x in said[v, q]),
            )
            for v in range(videos)
            for q in range(questions)
        ]
        found = consistency(items)
        assert found is not None and found.flip_rate.low is not None and found.flip_rate.high is not None
        inside += found.flip_rate.low <= truth <= found.flip_rate.high
    assert 930 <= inside <= 970
