"""The frames of a FrameCapEval sequence."""

from __future__ import annotations

import numpy as np

from annotation.systems.progress_captioner.framecapeval_frames import near_duplicate, sequence

CENTRES = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])


def clustered(each: int = 5) -> np.ndarray:
    """Four clusters of `each` rows, rows of a cluster next to each other."""
    noise = np.random.default_rng(3).normal(scale=0.1, size=(4 * each, 2))
    return np.repeat(CENTRES, each, axis=0) + noise


def test_one_frame_of_each_cluster_and_the_nearest_to_one_of_them() -> None:
    rows = clustered()
    found = sequence(rows, seed=1)
    clusters = [place // 5 for place in found]
    assert sorted(set(clusters)) == [0, 1, 2, 3] and len(found) == 5
    [twice] = [c for c in set(clusters) if clusters.count(c) == 2]
    first, second = (place for place in found if place // 5 == twice)
    gap = np.linalg.norm(rows[first] - rows[second])
    others = [np.linalg.norm(rows[a] - rows[b]) for a in found for b in found if a // 5 != b // 5]
    assert gap < min(others)


def test_the_same_video_gives_the_same_frames_and_another_seed_another_duplicate() -> None:
    rows = clustered()
    assert sequence(rows, seed=7) == sequence(rows, seed=7)
    assert len({sequence(rows, seed=seed) for seed in range(20)}) > 1


def test_the_duplicate_is_the_nearest_frame_that_is_left() -> None:
    rows = np.array([[0.0], [1.0], [1.2], [5.0]])
    assert near_duplicate(rows, (1,)) == (2,)
    assert near_duplicate(rows, (0, 1, 2, 3)) == ()


def test_few_or_equal_frames_are_no_error() -> None:
    assert sequence(np.zeros((1, 4))) == (0,)
    assert len(sequence(np.zeros((6, 4)))) == 2  # one frame, and one just like it
