"""R@1, 5, 10 in both directions of 1,000 texts and 1,000 videos: time, beside a sort of every row."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from annotation.systems.carebench.recall_at_k import KS, Setting, ranked, recalls

SIZE = 1000
TIMES = 7


def main() -> None:
    """Prints a table: the best of several runs, milliseconds."""
    draw = np.random.default_rng(0)
    similarity = draw.normal(size=(SIZE, SIZE)).round(3)  # with ties
    names = tuple(map(str, range(SIZE)))
    setting = Setting("general", similarity, np.eye(SIZE, dtype=bool), names, names)
    ours = _best(lambda: recalls(ranked(setting)))
    sort = _best(lambda: [_by_sorting(each, k) for each in (similarity, similarity.T) for k in KS])
    rows = (("ranks, ties by chance", ours), ("argsort per k, ties by luck", sort))
    sys.stdout.write("| what | ms |\n|---|---|\n")
    sys.stdout.writelines(f"| {what} | {milliseconds:.0f} |\n" for what, milliseconds in rows)


def _by_sorting(similarity: np.ndarray, k: int) -> float:
    order = np.argsort(-similarity, axis=1)[:, :k]
    return float((order == np.arange(len(similarity))[:, None]).any(axis=1).mean())


def _best(work: Callable[[], object]) -> float:
    found = []
    for _ in range(TIMES):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return 1000 * min(found)


if __name__ == "__main__":
    main()
