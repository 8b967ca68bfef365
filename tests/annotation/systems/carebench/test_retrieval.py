"""R@k against plain counting on random matrices; ReBias on published figures and on made ones."""

from __future__ import annotations

import itertools
import time

import numpy as np
import pytest

from annotation.systems.carebench.rebias import (
    hits_per_video,
    mean_recall_estimate,
    missed_in_time,
    rebias,
    rebias_estimate,
    recall_estimate,
    unified,
)
from annotation.systems.carebench.recall_at_k import KS, TIES, Setting, cosine, ranked, ranks, recalls
from backends.errors import UsageError

DRAW = np.random.default_rng(7)


def case(rows: int, columns: int, levels: int) -> tuple[np.ndarray, np.ndarray]:
    """Few different values make many ties; some queries have several positives, some none."""
    similarity = DRAW.integers(0, levels, (rows, columns)).astype(float)
    positive = DRAW.random((rows, columns)) < 0.3
    positive[0] = False
    return similarity, positive


def plain(similarity: np.ndarray, positive: np.ndarray, k: int, ties: str) -> list[float]:
    """By sorting, and for `expected` by every order of the candidates that are equal."""
    found = []
    for scores, wanted in zip(similarity, positive, strict=True):
        if not wanted.any():
            found.append(np.nan)
            continue
        if ties == "expected":
            orders = [o for o in itertools.permutations(range(len(scores))) if _sorted(scores, o)]
            found.append(np.mean([wanted[list(order[:k])].any() for order in orders]))
            continue
        second = wanted if ties == "pessimistic" else ~wanted
        order = np.lexsort((second, -scores))
        found.append(float(wanted[order[:k]].any()))
    return found


def _sorted(scores: np.ndarray, order: tuple[int, ...]) -> bool:
    return all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("turn", range(6))
def test_hits_equal_plain_counting_with_ties_and_several_positives(turn: int, ties: str) -> None:
    size = (12, 6) if ties == "expected" else (60, 40)
    similarity, positive = case(*size, levels=2 + turn)
    for k in (1, 2, 5, 10):
        np.testing.assert_allclose(
            ranks(similarity, positive).hits(k, ties), plain(similarity, positive, k, ties)
        )


def test_without_ties_all_rules_agree_with_a_sort() -> None:
    similarity = DRAW.normal(size=(200, 150))
    positive = DRAW.random((200, 150)) < 0.02
    for k in KS:
        order = np.argsort(-similarity, axis=1)[:, :k]
        hits = np.take_along_axis(positive, order, axis=1).any(axis=1).astype(float)
        hits[~positive.any(axis=1)] = np.nan
        for ties in TIES:
            np.testing.assert_array_equal(ranks(similarity, positive).hits(k, ties), hits)


def test_a_model_that_cannot_tell_gets_what_chance_gives() -> None:
    positive = np.eye(50, dtype=bool)
    found = ranks(np.ones((50, 50)), positive)
    assert np.mean(found.hits(5)) == pytest.approx(0.1)
    assert found.hits(1, "pessimistic").sum() == 0 and found.hits(1, "optimistic").sum() == 50
    assert found.rank()[0] == pytest.approx(25.5), "the mean of 1 to 50"


def setting(name: str, similarity: np.ndarray, positive: np.ndarray | None = None) -> Setting:
    rows, columns = similarity.shape
    positive = np.eye(rows, columns, dtype=bool) if positive is None else positive
    return Setting(
        name,
        similarity,
        positive,
        tuple(f"t{n}" for n in range(rows)),
        tuple(f"v{n}" for n in range(columns)),
    )


def test_both_directions() -> None:
    similarity = np.array([[0.9, 0.1, 0.2], [0.8, 0.7, 0.6], [0.1, 0.2, 0.3]])
    found = recalls(ranked(setting("general", similarity)), ks=(1, 2))
    assert found["t2v", 1] == pytest.approx(2 / 3) and found["t2v", 2] == 1.0
    assert found["v2t", 1] == pytest.approx(2 / 3) and found["v2t", 2] == pytest.approx(1.0)


def test_embeddings_are_compared_by_their_direction() -> None:
    texts = DRAW.normal(size=(7, 5))
    found = cosine(texts * 3, texts * 0.1)
    np.testing.assert_allclose(np.diag(found), 1.0)
    for broken in (np.zeros((2, 5)), np.full((2, 5), np.nan), np.ones((2, 4))):
        with pytest.raises(UsageError):
            cosine(texts, broken)


def test_values_without_order_are_refused() -> None:
    with pytest.raises(UsageError, match="not a number"):
        ranks(np.array([[np.nan, 1.0]]), np.array([[True, False]]))
    with pytest.raises(UsageError, match="make them equal"):
        ranks(np.ones((2, 2)), np.ones((2, 3), dtype=bool))


def test_a_thousand_by_a_thousand_takes_no_time() -> None:
    """Generous: benchmarks/retrieval.py measures it (a fifth of this)."""
    similarity = DRAW.normal(size=(1000, 1000)).round(2)
    start = time.perf_counter()
    found = recalls(ranked(setting("general", similarity)))
    assert time.perf_counter() - start < 2.0
    assert 0 < found["t2v", 10] < 0.05


# --- ReBias -------------------------------------------------------------------------------


def test_rebias_of_the_published_recalls() -> None:
    """CaRe on the leaderboard: six-recall means 90.83 and 77.35. The paper prints 17.53."""
    assert 100 * rebias(90.83, 77.35, "temporal_over_spatial") == pytest.approx(14.84, abs=0.005)
    assert 100 * rebias(90.83, 77.35, "spatial_over_temporal") == pytest.approx(17.43, abs=0.005)
    assert rebias(0.5, 0.0, "spatial_over_temporal") is None
    assert rebias(0.5, 0.5, "temporal_over_spatial") == 0


def test_the_unified_score_of_the_paper() -> None:
    """Both stages: R@1 78.0 (77.0 and 79.0), F1 33.4; baseline: 25.6 and 26.8."""
    assert unified((77.0 + 79.0) / 2, 33.4) == pytest.approx(55.7)
    assert unified(25.6, 26.8) == pytest.approx(26.2)


def noisy(noise: float, size: int = 60) -> np.ndarray:
    return np.eye(size) + DRAW.normal(scale=noise, size=(size, size))


def test_rebias_has_an_interval_over_videos() -> None:
    spatial, temporal = ranked(setting("spatial", noisy(0.3))), ranked(setting("temporal", noisy(0.8)))
    mean = [mean_recall_estimate(found, "expected") for found in (spatial, temporal)]
    for orientation in ("temporal_over_spatial", "spatial_over_temporal"):
        found = rebias_estimate(spatial, temporal, orientation, "expected")
        assert found.value == pytest.approx(rebias(mean[0].value, mean[1].value, orientation))
        assert 0 < found.low < found.value < found.high
    six = recalls(temporal)
    assert mean[1].value == pytest.approx(sum(six.values()) / 6)
    one = recall_estimate(temporal, "v2t", 5, "expected")
    assert one.value == pytest.approx(six["v2t", 5]) and one.low < one.value < one.high


def test_videos_are_paired_by_name_whatever_their_order() -> None:
    similarity = noisy(0.8)
    spatial, temporal = setting("spatial", noisy(0.3)), setting("temporal", similarity)
    turned = Setting(
        "temporal", similarity[:, ::-1], temporal.positive[:, ::-1], temporal.texts, temporal.videos[::-1]
    )
    one, other = (
        rebias_estimate(ranked(spatial), ranked(t), "temporal_over_spatial", "expected")
        for t in (temporal, turned)
    )
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_several_texts_of_a_video_fall_together() -> None:
    positive = np.repeat(np.eye(20, dtype=bool), 2, axis=0)
    found = ranked(setting("general", positive + DRAW.normal(scale=0.4, size=(40, 20)), positive))
    hits = hits_per_video(found, "t2v", 1, "expected", found.videos)
    assert set(hits.numbers) == {2.0}
    assert hits.sums.sum() / 40 == pytest.approx(recalls(found)["t2v", 1])


def test_the_videos_that_time_does_not_find() -> None:
    spatial = np.eye(4)
    temporal = np.eye(4)
    temporal[1] = [0.9, 0.1, 0.2, 0.3]
    temporal[2] = [1.0, 0.0, 0.5, 0.0]
    missed = missed_in_time(
        ranked(setting("spatial", spatial)), ranked(setting("temporal", temporal)), 1, "expected"
    )
    assert [(m.video, m.spatial, m.temporal) for m in missed] == [("v1", 1.0, 4.0), ("v2", 1.0, 2.0)]
