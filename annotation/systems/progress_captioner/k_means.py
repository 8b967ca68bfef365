"""Small k-means with the number of clusters chosen by silhouette. For tens to hundreds of frames."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]

RESTARTS = 8
MAX_STEPS = 100


def best_clusters(rows: Rows, counts: Iterable[int], seed: int = 0) -> Labels:
    """(n,) cluster numbers of (n, d) `rows`, with the count whose silhouette is highest.

    Counts with fewer distinct rows than clusters are skipped; if all are skipped, equal
    rows form a cluster. The same rows and seed give the same clusters.
    """
    distinct = np.unique(rows, axis=0, return_inverse=True)
    possible = [k for k in counts if k < len(rows) and k <= len(distinct[0])]
    if not possible:
        return np.asarray(distinct[1], dtype=np.int64).reshape(-1)
    gaps = distances(rows, rows)
    tried = [kmeans(rows, k, seed) for k in possible]
    return max(tried, key=lambda labels: silhouette(gaps, labels))


def kmeans(rows: Rows, k: int, seed: int = 0) -> Labels:
    """(n,) labels 0..k-1: the best of several starts by k-means++ (Lloyd's steps)."""
    random = np.random.default_rng(seed)
    results = [_settle(rows, _start(rows, k, random)) for _ in range(RESTARTS)]
    return min(results, key=lambda result: result[1])[0]


def silhouette(gaps: Rows, labels: Labels) -> float:
    """Mean silhouette of (n, n) distances under (n,) labels; -1 if there is only one cluster."""
    kinds = np.unique(labels)
    if len(kinds) < 2:
        return -1.0
    members = labels[:, None] == kinds[None, :]
    sizes = members.sum(axis=0)
    to_cluster = gaps @ members.astype(np.float64)
    own = members.argmax(axis=1)
    rows = np.arange(len(labels))
    inside = to_cluster[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = to_cluster / sizes
    means[rows, own] = np.inf
    outside = means.min(axis=1)
    scale = np.maximum(np.maximum(inside, outside), 1e-12)
    # The silhouette of a cluster with one row is 0 by definition.
    return float(np.where(sizes[own] > 1, (outside - inside) / scale, 0.0).mean())


def representatives(rows: Rows, labels: Labels) -> tuple[int, ...]:
    """For each cluster the row nearest to its centre, ascending; ties go to the first row."""
    chosen = []
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        centre = rows[members].mean(axis=0)
        chosen.append(int(members[((rows[members] - centre) ** 2).sum(axis=1).argmin()]))
    return tuple(sorted(chosen))


def distances(left: Rows, right: Rows) -> Rows:
    """(n, m) Euclidean distances between rows."""
    squares = (left**2).sum(axis=1)[:, None] + (right**2).sum(axis=1)[None, :] - 2 * left @ right.T
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)), dtype=np.float64)


def _start(rows: Rows, k: int, random: np.random.Generator) -> Rows:
    """k-means++: each next centre is drawn with the squared distance to the nearest one so far."""
    chosen = [int(random.integers(len(rows)))]
    for _ in range(k - 1):
        weight = distances(rows, rows[chosen]).min(axis=1) ** 2
        total = weight.sum()
        pick = random.choice(len(rows), p=weight / total) if total > 0 else random.integers(len(rows))
        chosen.append(int(pick))
    return rows[chosen]


def _settle(rows: Rows, centres: Rows) -> tuple[Labels, float]:
    labels = np.full(len(rows), -1, dtype=np.int64)
    for _ in range(MAX_STEPS):
        gaps = distances(rows, centres)
        nearest = gaps.argmin(axis=1)
        if (nearest == labels).all():
            break
        labels = nearest
        centres = np.stack(
            [
                rows[labels == i].mean(axis=0) if (labels == i).any() else centres[i]
                for i in range(len(centres))
            ]
        )
    spread = ((rows - centres[labels]) ** 2).sum()
    return labels, float(spread)
