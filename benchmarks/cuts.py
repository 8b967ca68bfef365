"""How well every detector finds known transitions, and what it costs beside PySceneDetect itself.

    python -m benchmarks.cuts --cache FOLDER          # reports; --half tuning for the other half

Prints Markdown tables. Costs are seconds of processor time (user and system, all threads), so that
other work on the machine disturbs them little. A hard cut is found within 2 frames, a dissolve or fade
by a cut anywhere inside it or within 6 frames of it; a second cut there is a false alarm of that kind.
Every other false alarm claims a hard cut, so it counts against both kinds of these.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import scenedetect
from scenedetect import detectors

from backends.errors import BackendUnavailable
from backends.scenes.keyframe_proposal import propose
from backends.scenes.scene_detectors import scene_detector
from backends.video.open_and_decode import decoded, open_video
from backends.video.probe import probe
from benchmarks.assembly import COUNTS, HARD, SHOTS, NotHere, Transition, film

SEEDS = {"tuning": 7, "reporting": 8}
COST_SEEDS = {"tuning": 17, "reporting": 18}
REPEATS = 3
"""Runs of everything whose cost is compared, in turn; the median counts."""

PEERS: dict[str, Callable[[], Any]] = {
    "AdaptiveDetector": detectors.AdaptiveDetector,
    "ContentDetector": detectors.ContentDetector,
    "HashDetector": detectors.HashDetector,
    "HistogramDetector": detectors.HistogramDetector,
    "ThresholdDetector": detectors.ThresholdDetector,
}
OURS = ("default", "adaptive", "content", "hash", "histogram", "threshold", "vript", "default+content")


@dataclass(frozen=True, slots=True)
class Result:
    who: str
    cuts: list[int]
    cost_s: float


def measured(who: str, work: Callable[[], Sequence[int]]) -> Result:
    begin = _cost_s()
    cuts = [cut for cut in work() if cut > 0]
    return Result(who, cuts, _cost_s() - begin)


def _cost_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def bare(path: Path) -> Result:
    """Decoding every frame with the threads that we use, and nothing done to the pictures."""

    def work() -> list[int]:
        container, stream = open_video(path)
        with container:
            for _ in decoded(container, stream):
                pass
        return []

    return measured("decoding alone", work)


def peer(path: Path, name: str) -> Result:
    """PySceneDetect as its own program would run it, on its PyAV backend."""

    def work() -> list[int]:
        scenes = scenedetect.detect(str(path), PEERS[name](), start_in_scene=True, backend="pyav")
        return [start.frame_num for start, _ in scenes]

    return measured(f"PySceneDetect {name}", work)


def ours(path: Path, spec: str) -> Result:
    facts, table = probe(path)
    detector = scene_detector(spec)
    return measured(f"`{spec}`", lambda: detector.detect(path, table, facts).starts)


def proposal(path: Path) -> Result:
    facts, table = probe(path)
    return measured("`keyframes` (proposal)", lambda: propose(path, table, facts).starts)


@dataclass(slots=True)
class Tally:
    """Of one kind of transition."""

    truth: int = 0
    found: int = 0
    false: int = 0

    def f1(self) -> float:
        return f1(self.found, self.found + self.false, self.truth)[2]


def tallies(truth: Sequence[Transition], cuts: Sequence[int]) -> Mapping[str, Tally]:
    """By kind; a transition is found by the first cut in its reach that no other took."""
    counts = {kind: Tally() for kind in COUNTS}
    used: set[int] = set()
    for one in truth:
        inside = [cut for cut in cuts if _reached(one, cut) and cut not in used]
        used.update(inside[:1])
        counts[one.kind].truth += 1
        counts[one.kind].found += bool(inside)
    for cut in sorted(set(cuts) - used):
        slow = [one.kind for one in truth if one.first < one.last and _reached(one, cut)]
        for kind in slow[:1] or ("cut", "same scene"):
            counts[kind].false += 1
    return counts


def _reached(one: Transition, cut: int) -> bool:
    reach = 2 if one.first == one.last else 6
    return one.first - reach <= cut <= one.last + reach


def f1(found: int, cuts: int, truth: int) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    precision, recall = found / max(1, cuts), found / max(1, truth)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def accuracy_row(result: Result, truth: Sequence[Transition], base_s: float) -> list[str]:
    counts = tallies(truth, result.cuts)
    total = sum(one.found for one in counts.values())
    numbers = f1(total, len(result.cuts), len(truth))
    return [
        result.who,
        *(f"{one.found}/{one.truth} {one.f1():.2f}" for one in counts.values()),
        str(len(result.cuts) - total),
        *(f"{number:.3f}" for number in numbers),
        f"{result.cost_s / base_s:.2f}",
    ]


def same_rows(lines: int, path: Path) -> list[list[str]]:
    """Whether our pass finds the peer's own cuts with the same detector, and at what cost."""
    pairs = (("AdaptiveDetector", "adaptive"), ("ContentDetector", "content"))
    alone: list[Result] = []
    runs: dict[str, list[tuple[Result, Result]]] = {name: [] for name, _ in pairs}
    for _ in range(REPEATS):
        alone.append(bare(path))
        for name, spec in pairs:
            runs[name].append((peer(path, name), ours(path, spec)))
    return [_same_row(f"{lines} lines, {name}", both, _cost(alone)) for name, both in runs.items()]


def _same_row(what: str, both: Sequence[tuple[Result, Result]], alone_s: float) -> list[str]:
    theirs, own = both[0]
    theirs_s, own_s = (_cost([pair[side] for pair in both]) for side in (0, 1))
    again = sum(any(abs(cut - other) <= 1 for other in own.cuts) for cut in theirs.cuts)
    extra = sum(all(abs(cut - other) > 1 for other in theirs.cuts) for cut in own.cuts)
    return [
        what,
        f"{again}/{len(theirs.cuts)}",
        str(extra),
        f"{theirs_s:.1f}",
        f"{own_s:.1f}",
        f"{alone_s:.1f}",
        f"{own_s / theirs_s:.2f}",
        f"{own_s / alone_s:.2f}",
    ]


def _cost(results: Sequence[Result]) -> float:
    return median(result.cost_s for result in results)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def accuracy(path: Path, truth: Sequence[Transition]) -> str:
    results = [peer(path, name) for name in PEERS]
    results += [ours(path, spec) for spec in OURS] + [proposal(path)]
    try:
        results.append(ours(path, "transnetv2"))
    except BackendUnavailable as error:
        print(f"left out: {error}", file=sys.stderr)
    base_s = results[0].cost_s
    rows = [accuracy_row(result, truth, base_s) for result in results]
    kinds = [f"{kind}: found, F1" for kind in COUNTS]
    return markdown(["detector", *kinds, "false", "precision", "recall", "F1", "cost"], rows)


def costs(films: Sequence[tuple[int, Path]]) -> str:
    rows = [row for lines, path in films for row in same_rows(lines, path)]
    head = [
        "film",
        "its cuts found again",
        "others",
        "PySceneDetect s",
        "Dailies s",
        "decoding alone s",
        "of PySceneDetect",
        "of decoding",
    ]
    return markdown(head, rows)


def first_look(path: Path) -> str:
    """What the proposal from keyframes costs."""
    facts, _ = probe(path)
    seconds = _cost([proposal(path) for _ in range(REPEATS)])
    return f"Proposal for {facts.duration_s:.0f} s of {facts.height} lines: {seconds:.1f} s of processor time"


def main() -> None:
    parser = argparse.ArgumentParser(description="How well and how fast cuts are found.")
    parser.add_argument("--cache", type=Path, required=True, help="folder for clips and films (400 MB)")
    parser.add_argument("--half", choices=list(SHOTS), default="reporting", help="default: reporting")
    parser.add_argument("--only", choices=["accuracy", "costs"], help="default: both")
    args = parser.parse_args()
    try:
        if args.only != "costs":
            path, truth = film(args.cache, args.half, SEEDS[args.half], 480)
            print(f"{args.half} half, {len(truth)} transitions; PySceneDetect {scenedetect.__version__}\n")
            print(accuracy(path, truth), end="\n\n")
        if args.only != "accuracy":
            films = [(lines, _cost_film(args.cache, args.half, lines)) for lines in (480, 1080)]
            print(first_look(films[-1][1]), end="\n\n")
            print(costs(films))
    except NotHere as error:
        print(f"skipped: {error}; put the clips into {args.cache}", file=sys.stderr)


def _cost_film(cache: Path, half: str, lines: int) -> Path:
    return film(cache, half, COST_SEEDS[half], lines, HARD)[0]


if __name__ == "__main__":
    main()
