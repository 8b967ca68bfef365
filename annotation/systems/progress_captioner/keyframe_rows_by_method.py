"""Rows of keyframes over the same candidates: by progression, uniform, clusters, and of people.

Everything here is a pure function of candidates, verdicts and descriptors, so that what a page
shows, what a file holds and what a benchmark measures is the same. Sizes are made comparable: the
uniform and the clustered row are also given with as many frames as another row has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from annotation.systems.progress_captioner.k_means import best_clusters, representatives
from annotation.systems.progress_captioner.requests import select_keyframes, uniform

Method = Literal["progression", "uniform", "clusters", "person"]
SizeOf = Literal["", "progression", "clusters", "person", "budget"]
Vectors = npt.NDArray[np.floating[Any]]
CLUSTER_COUNTS = range(3, 7)
"""FrameCapEval's: as many groups, 3 to 6, as give the highest silhouette."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring candidates and what is said of them now."""

    frames: tuple[int, int]
    label: str
    """`yes`, `no`, `uncertain`, or empty where there is no readable verdict."""
    by: str = ""
    """Who put the verdict right; empty while it is the judge's."""
    machine: str = ""
    """The judge's own label, where somebody put it right."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one method keeps of the candidates."""

    method: Method
    frames: tuple[int, ...]
    """Frame indices, ascending."""
    size_of: SizeOf = ""
    """The row that it has its size from, or `budget`; empty when the size is its own."""
    reasons: Mapping[int, str] = field(default_factory=dict)
    """Per candidate: why it was kept or dropped."""
    note: str = ""
    """What the whole row goes by, where its method does not say it."""


# --- rows -----------------------------------------------------------------------------


def machine_rows(candidates: Sequence[int], pairs: Sequence[Pair], vectors: Vectors | None) -> list[Row]:
    """Progression; clusters; and uniform and clusters of the sizes that those two have.

    `vectors` are (n, d) descriptors of the candidates; without them there are no clusters.
    """
    rows = [progression_row(candidates, pairs)]
    size = len(rows[0].frames)
    rows.append(uniform_row(candidates, size, "progression"))
    if vectors is None or not len(candidates):
        return rows
    own = clusters_row(candidates, vectors)
    rows += [own, uniform_row(candidates, len(own.frames), "clusters")]
    return [*rows, clusters_row(candidates, vectors, size, "progression")]


def rows_like(candidates: Sequence[int], vectors: Vectors | None, size: int) -> list[Row]:
    """Uniform and clusters with as many frames as a person's row has."""
    rows = [uniform_row(candidates, size, "person")]
    return rows if vectors is None else [*rows, clusters_row(candidates, vectors, size, "person")]


def progression_row(candidates: Sequence[int], pairs: Sequence[Pair]) -> Row:
    """Frames in which the action has moved on since their neighbour; the first is always kept.

    Candidates without a caption stand in no pair; they are never kept.
    """
    known = {pair.frames[1]: pair for pair in pairs}
    first = next((i for i in candidates if i in known or any(p.frames[0] == i for p in pairs)), None)
    if first is None:
        first = candidates[0] if candidates else None
    compared = [i for i in candidates if i == first or i in known]
    moved = [{"yes": True, "no": False}.get(known[i].label) for i in compared[1:]]
    kept = tuple(compared[place] for place in select_keyframes(moved)) if compared else ()
    reasons = {i: "dropped: it has no readable caption" for i in candidates}
    reasons |= {i: why(known[i]) for i in compared[1:]}
    if first is not None:
        reasons[first] = "kept: the first frame"
    return Row("progression", kept, reasons=reasons)


_WHY = {
    "yes": "kept: the action has moved on since frame {}",
    "no": "dropped: no progress since frame {}",
    "uncertain": "dropped: progress since frame {} is unclear",
    "": "dropped: no readable verdict against frame {}",
}
_SAID = {"yes": "yes", "no": "no", "uncertain": "uncertain", "": "nothing readable"}


def why(pair: Pair) -> str:
    """Why the second frame of a pair is kept or dropped, in one line."""
    words = _WHY.get(pair.label, _WHY[""]).format(pair.frames[0])
    if not pair.by:
        return words
    return f"{words}, says {pair.by}; the judge said {_SAID.get(pair.machine, pair.machine)}"


def uniform_row(candidates: Sequence[int], size: int, size_of: SizeOf) -> Row:
    """The middles of `size` equal stretches."""
    places = uniform(len(candidates), size)
    reasons = {i: "dropped: not the middle of a stretch" for i in candidates}
    reasons |= {
        candidates[place]: f"kept: the middle of stretch {n} of {len(places)}"
        for n, place in enumerate(places, start=1)
    }
    return Row("uniform", tuple(candidates[place] for place in places), size_of, reasons)


def clusters_row(candidates: Sequence[int], vectors: Vectors, size: int = 0, size_of: SizeOf = "") -> Row:
    """One frame per group of frames that look alike; without `size` 3 to 6 groups by silhouette."""
    rows = np.asarray(vectors, np.float64)
    n = len(candidates)
    labels = np.arange(n) if n <= (size or 3) else best_clusters(rows, [size] if size else CLUSTER_COUNTS)
    places = representatives(rows, labels) if n else ()
    reasons = _cluster_reasons(candidates, rows, labels, places)
    return Row("clusters", tuple(candidates[place] for place in places), size_of, reasons)


def _cluster_reasons(
    candidates: Sequence[int],
    rows: npt.NDArray[np.float64],
    labels: npt.NDArray[np.int64],
    places: Sequence[int],
) -> dict[int, str]:
    stands = {int(labels[place]): place for place in places}
    reasons = {}
    for place, index in enumerate(candidates):
        chosen = stands[int(labels[place])]
        others = int((labels == labels[place]).sum()) - 1
        if chosen != place:
            alike = rows[place] @ rows[chosen]
            reasons[index] = f"dropped: looks like frame {candidates[chosen]}, {alike:.2f} of 0-1 alike"
        elif others:
            reasons[index] = f"kept: stands for itself and {others} more that look alike"
        else:
            reasons[index] = "kept: no other frame looks like it"
    return reasons


# --- redundancy and agreement ---------------------------------------------------------


def redundancy(vectors: Vectors) -> float | None:
    """How alike picked frames are: the mean of each one's similarity with the one most like it, 0 to 1.

    `vectors` are (k, d), of length 1. None with fewer than two frames: there is nothing to repeat.
    """
    rows = np.asarray(vectors, np.float64)
    if len(rows) < 2:
        return None
    alike = rows @ rows.T
    np.fill_diagonal(alike, -np.inf)
    return float(np.clip(alike.max(axis=1), 0, 1).mean())


SAME_CAPTION = 0.9
"""Share of words that two captions have in common from which they are the same caption."""


def repeated_captions(captions: Sequence[str]) -> int:
    """How many captions say what an earlier one of them says already.

    Two say the same when they share at least nine tenths of their words (intersection over union).
    """
    words = [frozenset(caption.lower().split()) for caption in captions]
    return sum(
        any(one and _shared(one, other) >= SAME_CAPTION for other in words[:n]) for n, one in enumerate(words)
    )


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a row has what a person's row has."""

    matched: int
    """Frames of the row with a frame of the person's within the tolerance, each used once."""
    picked: int
    """Frames of the row."""
    wanted: int
    """Frames of the person's row."""
    exact: int
    """Frames that both have."""

    @property
    def precision(self) -> float | None:
        return self.matched / self.picked if self.picked else None

    @property
    def recall(self) -> float | None:
        return self.matched / self.wanted if self.wanted else None

    @property
    def f1(self) -> float | None:
        """Harmonic mean of precision and recall."""
        both = self.picked + self.wanted
        return 2 * self.matched / both if both else None


TOLERANCE = 1
"""Candidates by which a frame may lie beside the person's and still be the same moment."""


def agreement(
    candidates: Sequence[int], row: Sequence[int], person: Sequence[int], tolerance: int = TOLERANCE
) -> Agreement:
    """Match a row with a person's, one to one, within `tolerance` candidates.

    Picks that are no candidate now (of an earlier choice of candidates) are placed between those beside them.
    """
    places = np.arange(len(candidates))
    theirs = sorted(float(x) for x in np.interp(row, candidates, places)) if len(candidates) and row else []
    wanted = (
        sorted(float(x) for x in np.interp(person, candidates, places)) if len(candidates) and person else []
    )
    matched = at = 0
    for place in theirs:  # both ascend: the earliest that fits leaves most for the others
        while at < len(wanted) and wanted[at] < place - tolerance - 1e-9:
            at += 1
        if at < len(wanted) and wanted[at] <= place + tolerance + 1e-9:
            matched, at = matched + 1, at + 1
    return Agreement(matched, len(row), len(person), len(set(row) & set(person)))
