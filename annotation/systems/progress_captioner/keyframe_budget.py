"""Rows of keyframes with a fixed size, for visual comparison of methods.

The first row uses progression if the judge's labels differ. If all neighbours have the same label,
it uses the measured picture change and adds a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from annotation.systems.progress_captioner.keyframe_rows_by_method import (
    Pair,
    Row,
    Vectors,
    clusters_row,
    progression_row,
    uniform_row,
)

BUDGET = 6
"""Default number of frames."""
LEAST, MOST = 2, 24
STILL = 0.001
"""Maximum mean change between frames (0 to 1) at which pictures count as unchanged."""


def budget_rows(
    candidates: Sequence[int], pairs: Sequence[Pair], vectors: Vectors | None, size: int
) -> list[Row]:
    """Rows for progression, uniform and clusters with `size` frames each, or all frames if there are fewer.

    `vectors`: (n, d), one of length 1 per candidate; without them the row of clusters is omitted.
    """
    spread = spread_row(candidates, pairs, vectors, size)
    if candidates and len(candidates) <= size:
        spread = replace(spread, note=f"{spread.note}; all {len(candidates)} candidates are kept")
    rows = [spread, uniform_row(candidates, size, "budget")]
    return rows if vectors is None else [*rows, clusters_row(candidates, vectors, size, "budget")]


def spread_row(candidates: Sequence[int], pairs: Sequence[Pair], vectors: Vectors | None, size: int) -> Row:
    """`size` frames spread over the progress in the judge's labels, or over the measured change."""
    readable = [pair.label for pair in pairs if pair.label]
    moved = readable.count("yes")
    if 0 < moved < len(readable):
        note = f"{moved} of {len(readable)} neighbouring pairs show progress"
        return _by_progression(candidates, pairs, vectors, size, note)
    why = f"the judge says yes for {'all' if moved else 'no'} neighbours" if readable else "no pair is judged"
    if vectors is None:
        return _evenly(candidates, size, f"at equal distances: {why}, and no pictures are available")
    steps = 1 - np.sum(np.asarray(vectors[1:], np.float64) * vectors[:-1], axis=1)
    if not len(steps) or steps.mean() <= STILL:
        return _evenly(candidates, size, f"at equal distances: {why}, and no change was measured")
    return _by_change(candidates, vectors, np.concatenate([[0.0], np.cumsum(steps)]), size, why)


def _by_progression(
    candidates: Sequence[int], pairs: Sequence[Pair], vectors: Vectors | None, size: int, note: str
) -> Row:
    row = progression_row(candidates, pairs)
    kept = row.frames
    if len(kept) > size:
        chosen = tuple(kept[round(n * (len(kept) - 1) / (size - 1))] for n in range(size))
        left = {i: f"dropped: {len(kept)} frames show progress, {size} of them are kept" for i in kept}
        return Row("progression", chosen, "budget", {**row.reasons, **left, **_kept(row, chosen)}, note)
    more = _most_unlike(candidates, vectors, kept, size)
    reasons = {**row.reasons, **more}
    return Row("progression", tuple(sorted({*kept, *more})), "budget", reasons, note)


def _kept(row: Row, chosen: Sequence[int]) -> dict[int, str]:
    return {index: row.reasons[index] for index in chosen}


def _by_change(candidates: Sequence[int], vectors: Vectors, change: Vectors, size: int, why: str) -> Row:
    """The middle frame of each of `size` equal shares of the change."""
    targets = (np.arange(size) + 0.5) / size * change[-1]
    places = sorted({int(place) for place in np.searchsorted(change, targets)})
    chosen = [candidates[place] for place in places]
    reasons = {i: "dropped: another frame represents this share of the change" for i in candidates}
    reasons |= {
        candidates[place]: f"kept: {change[place] / change[-1]:.0%} of the measured change is before it"
        for place in places
    }
    more = _most_unlike(candidates, vectors, chosen, size)
    note = f"by measured change: {why}"
    return Row("progression", tuple(sorted({*chosen, *more})), "budget", {**reasons, **more}, note)


def _evenly(candidates: Sequence[int], size: int, note: str) -> Row:
    row = uniform_row(candidates, size, "budget")
    return Row("progression", row.frames, "budget", row.reasons, note)


def _most_unlike(
    candidates: Sequence[int], vectors: Vectors | None, kept: Sequence[int], size: int
) -> dict[int, str]:
    """Frames that fill up the budget, with reasons: repeatedly the frame least similar to those kept."""
    found: dict[int, str] = {}
    if vectors is None:
        return found
    rows = np.asarray(vectors, np.float64)
    chosen = [candidates.index(index) for index in kept]
    for _ in range(min(size, len(candidates)) - len(chosen)):
        alike = (rows @ rows[chosen].T).max(axis=1) if chosen else np.zeros(len(rows))
        alike[chosen] = np.inf
        place = int(alike.argmin())
        found[candidates[place]] = (
            f"kept: fills the row; least like the others, similarity {alike[place]:.2f} of 0-1"
        )
        chosen.append(place)
    return found
