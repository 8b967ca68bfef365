"""How well every detector finds known transitions, and what it costs beside PySceneDetect itself.

    python -m benchmarks.cuts --cache FOLDER          # reports; --half tuning for the other half

Prints Markdown tables. Costs are seconds of processor time (user and system, all threads), so that
other work on the machine disturbs them little. A hard cut is found within 2 frames, a dissolve or fade
by a cut anywhere inside it or within 6 frames of it; a second cut there is a false alarm.
"""

from __future__ import annotations

import argparse
import resource
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import scenedetect
from scenedetect import detectors

from annotation.errors import BackendUnavailable
from backends.proposal import propose
from backends.scenes import scene_detector
from backends.video.probe import probe
from benchmarks.assembly import COUNTS, SHOTS, NotHere, Transition, film

SEEDS = {"tuning": 7, "reporting": 8}
SHORT = 16
"""Stretches of the film of 1080 lines: it is for the costs, and takes long to make."""

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
    """Decoding alone, with nothing done to the pictures."""

    def work() -> list[int]:
        with av.open(str(path)) as container:
            container.streams.video[0].thread_type = "AUTO"
            for _ in container.decode(video=0):
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


def hits(truth: Sequence[Transition], cuts: Sequence[int]) -> dict[str, int]:
    """Transitions found, by kind; each by the first cut in its reach that no other took."""
    used: set[int] = set()
    found = dict.fromkeys(COUNTS, 0)
    for one in truth:
        reach = 2 if one.first == one.last else 6
        inside = [c for c in cuts if one.first - reach <= c <= one.last + reach and c not in used]
        if inside:
            used.add(inside[0])
            found[one.kind] += 1
    return found


def f1(found: int, cuts: int, truth: int) -> tuple[float, float, float]:
    """Precision, recall and F1."""
    precision, recall = found / max(1, cuts), found / max(1, truth)
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def accuracy_row(result: Result, truth: Sequence[Transition], base_s: float) -> list[str]:
    found = hits(truth, result.cuts)
    total = sum(found.values())
    counts = {kind: sum(one.kind == kind for one in truth) for kind in COUNTS}
    numbers = f1(total, len(result.cuts), len(truth))
    return [
        result.who,
        *(f"{found[kind]}/{counts[kind]}" for kind in COUNTS),
        str(len(result.cuts) - total),
        *(f"{number:.3f}" for number in numbers),
        f"{result.cost_s / base_s:.2f}",
    ]


def same_row(lines: int, path: Path, name: str, spec: str) -> list[str]:
    """Whether our pass finds the peer's own cuts with the same detector, and at what cost."""
    theirs, own, alone = peer(path, name), ours(path, spec), bare(path)
    again = sum(any(abs(cut - other) <= 1 for other in own.cuts) for cut in theirs.cuts)
    extra = sum(all(abs(cut - other) > 1 for other in theirs.cuts) for cut in own.cuts)
    return [
        f"{lines} lines, {name}", f"{again}/{len(theirs.cuts)}", str(extra), f"{theirs.cost_s:.1f}",
        f"{own.cost_s:.1f}", f"{alone.cost_s:.1f}", f"{own.cost_s / theirs.cost_s:.2f}",
    ]  # fmt: skip


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
    head = ["detector", *COUNTS, "false", "precision", "recall", "F1", "cost"]
    return markdown(head, rows)


def costs(films: Sequence[tuple[int, Path]]) -> str:
    pairs = (("AdaptiveDetector", "adaptive"), ("ContentDetector", "content"))
    rows = [same_row(lines, path, name, spec) for lines, path in films for name, spec in pairs]
    head = ["film", "its cuts found again", "others", "PySceneDetect s", "Dailies s", "decoding s", "ratio"]
    return markdown(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="How well and how fast cuts are found.")
    parser.add_argument("--cache", type=Path, required=True, help="folder for clips and films (200 MB)")
    parser.add_argument("--half", choices=list(SHOTS), default="reporting", help="default: reporting")
    args = parser.parse_args()
    seed = SEEDS[args.half]
    try:
        path, truth = film(args.cache, args.half, seed, 480)
        large, _ = film(args.cache, args.half, seed, 1080, SHORT)
    except NotHere as error:
        print(f"skipped: {error}; put the clips into {args.cache}", file=sys.stderr)
        return
    print(
        f"{args.half} half, seed {seed}, {len(truth)} transitions; PySceneDetect {scenedetect.__version__}\n"
    )
    print(accuracy(path, truth), end="\n\n")
    print(costs([(480, path), (1080, large)]))


if __name__ == "__main__":
    main()
