"""Rows of keyframes over the same candidates: progression, uniform, clusters, and people's picks.

Every function is a pure function of candidates, verdicts and descriptors, so pages, files and
benchmarks use the same rows. For comparable sizes, the uniform and clustered rows are also
computed with the number of frames of another row.
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
"""Cluster counts of FrameCapEval: the count from 3 to 6 with the highest silhouette."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbouring candidates and their current verdict."""

    frames: tuple[int, int]
    label: str
    """`yes`, `no`, `uncertain`, or empty if there is no readable verdict."""
    by: str = ""
    """Person who corrected the verdict; empty if it is the judge's."""
    machine: str = ""
    """The judge's label, if a person corrected it."""


@dataclass(frozen=True, slots=True)
class Row:
    """Candidates that one method keeps."""

    method: Method
    frames: tuple[int, ...]
    """Frame indices, ascending."""
    size_of: SizeOf = ""
    """The row that defines this row's size, or `budget`; empty if the row has its own size."""
    reasons: Mapping[int, str] = field(default_factory=dict)
    """Per candidate, the reason why it was kept or dropped."""
    note: str = ""
    """Basis of the whole row, if its method does not define it."""


# --- rows -----------------------------------------------------------------------------


def machine_rows(candidates: Sequence[int], pairs: Sequence[Pair], vectors: Vectors | None) -> list[Row]:
    """Rows for progression and clusters, and uniform and clustered rows of the same sizes.

    `vectors` are (n, d) descriptors of the candidates; without them clusters are omitted.
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
    """Uniform and clustered rows with as many frames as a person's row."""
    rows = [uniform_row(candidates, size, "person")]
    return rows if vectors is None else [*rows, clusters_row(candidates, vectors, size, "person")]


def progression_row(candidates: Sequence[int], pairs: Sequence[Pair]) -> Row:
    """Frames in which the action has advanced since the previous one; the first is always kept.

    Candidates without a caption are not part of any pair and are never kept.
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
    "yes": "kept: the action has progressed since frame {}",
    "no": "dropped: no progress since frame {}",
    "uncertain": "dropped: progress since frame {} is unclear",
    "": "dropped: no readable verdict against frame {}",
}
_LABELS = {"yes": "yes", "no": "no", "uncertain": "uncertain", "": "nothing readable"}


def why(pair: Pair) -> str:
    """Reason why the second frame of a pair is kept or dropped, in one line."""
    words = _WHY.get(pair.label, _WHY[""]).format(pair.frames[0])
    if not pair.by:
        return words
    return f"{words}, says {pair.by}; the judge said {_LABELS.get(pair.machine, pair.machine)}"


def uniform_row(candidates: Sequence[int], size: int, size_of: SizeOf) -> Row:
    """The middle frames of `size` equal intervals."""
    places = uniform(len(candidates), size)
    reasons = {i: "dropped: not the middle of an interval" for i in candidates}
    reasons |= {
        candidates[place]: f"kept: the middle of interval {n} of {len(places)}"
        for n, place in enumerate(places, start=1)
    }
    return Row("uniform", tuple(candidates[place] for place in places), size_of, reasons)


def clusters_row(candidates: Sequence[int], vectors: Vectors, size: int = 0, size_of: SizeOf = "") -> Row:
    """One frame per group of similar frames; without `size`, 3 to 6 groups by silhouette."""
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
    representative = {int(labels[place]): place for place in places}
    reasons = {}
    for place, index in enumerate(candidates):
        chosen = representative[int(labels[place])]
        others = int((labels == labels[place]).sum()) - 1
        if chosen != place:
            alike = rows[place] @ rows[chosen]
            reasons[index] = f"dropped: looks like frame {candidates[chosen]}, similarity {alike:.2f} of 0-1"
        elif others:
            reasons[index] = f"kept: represents itself and {others} similar frames"
        else:
            reasons[index] = "kept: no other frame looks like it"
    return reasons


# --- redundancy and agreement ---------------------------------------------------------


def redundancy(vectors: Vectors) -> float | None:
    """Mean similarity of each picked frame with the picked frame most similar to it, 0 to 1.

    `vectors` are (k, d), of length 1. Returns None for fewer than two frames.
    """
    rows = np.asarray(vectors, np.float64)
    if len(rows) < 2:
        return None
    alike = rows @ rows.T
    np.fill_diagonal(alike, -np.inf)
    return float(np.clip(alike.max(axis=1), 0, 1).mean())


SAME_CAPTION = 0.9
"""Minimum share of common words at which two captions count as the same."""


def repeated_captions(captions: Sequence[str]) -> int:
    """Number of captions that repeat an earlier one.

    A caption repeats another if they share at least nine tenths of their words (intersection over union).
    """
    words = [frozenset(caption.lower().split()) for caption in captions]
    return sum(
        any(one and _shared(one, other) >= SAME_CAPTION for other in words[:n]) for n, one in enumerate(words)
    )


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of a row with a person's row."""

    matched: int
    """Frames of the row within the tolerance of a frame of the person's row, matched one to one."""
    picked: int
    """Number of frames in the row."""
    wanted: int
    """Number of frames in the person's row."""
    exact: int
    """Frames that are in both rows."""

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
"""Maximum distance, in candidates, between two frames that count as the same moment."""


def agreement(
    candidates: Sequence[int], row: Sequence[int], person: Sequence[int], tolerance: int = TOLERANCE
) -> Agreement:
    """Match a row with a person's row, one to one, within `tolerance` candidates.

    Picks that are not current candidates (made for an earlier set) are placed between the neighbouring ones.
    """
    places = np.arange(len(candidates))
    theirs = sorted(float(x) for x in np.interp(row, candidates, places)) if len(candidates) and row else []
    wanted = (
        sorted(float(x) for x in np.interp(person, candidates, places)) if len(candidates) and person else []
    )
    matched = at = 0
    for place in theirs:  # both lists ascend, so the earliest match leaves most frames for the rest
        while at < len(wanted) and wanted[at] < place - tolerance - 1e-9:
            at += 1
        if at < len(wanted) and wanted[at] <= place + tolerance + 1e-9:
            matched, at = matched + 1, at + 1
    return Agreement(matched, len(row), len(person), len(set(row) & set(person)))
