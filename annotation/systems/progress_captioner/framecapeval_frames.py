"""The frames of a FrameCapEval sequence: one per cluster, and a near-duplicate as a distractor.

Source: ProgressCaptioner (CVPR 2025), section 4: frames at 1 per second are grouped by k-means on their
features, with 3 to 6 clusters by silhouette, and the frame nearest to a randomly drawn one is added,
so that a sequence contains pairs with and without progress. The paper uses CLIP features.
"""

from __future__ import annotations

import numpy as np

from annotation.systems.progress_captioner.k_means import Rows, best_clusters, distances, representatives

FRAMES_PER_SECOND = 1.0
CLUSTER_COUNTS = range(3, 7)


def sequence(rows: Rows, seed: int = 0) -> tuple[int, ...]:
    """Places of the chosen frames in (n, d) `rows`, ascending: 4 to 7 if there are enough distinct frames.

    The same rows and seed give the same frames. If no frame is left over, no distractor is added.
    """
    chosen = representatives(rows, best_clusters(rows, CLUSTER_COUNTS, seed))
    duplicate = near_duplicate(rows, chosen, seed)
    return tuple(sorted((*chosen, *duplicate)))


def near_duplicate(rows: Rows, chosen: tuple[int, ...], seed: int = 0) -> tuple[int, ...]:
    """The frame nearest to one of the chosen frames, drawn at random; empty if all frames are chosen."""
    left = np.setdiff1d(np.arange(len(rows)), chosen)
    if not len(left):
        return ()
    drawn = int(np.random.default_rng(seed).choice(np.asarray(chosen)))
    gaps = distances(rows[[drawn]], rows[left])[0]
    return (int(left[gaps.argmin()]),)
