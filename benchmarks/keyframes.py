"""Do keyframes by progression show more stages of an action than as many uniform or clustered ones?

    python -m benchmarks.keyframes                # 60 sequences at each level of noise

Drawn action sequences whose stages are known: bread is cut, a glass filled, a tower built, a fence painted.
Stages last unevenly, as in real films: some are held long. The camera shakes, the light drifts, a hand and
somebody in the background move, all independent of the action. Captions say how far the action is, in
changing words; a share of them is spoilt: the state is dropped, the caption stands at its neighbour, or the
one before is repeated. The judge reads two captions and nothing else. Pictures are seen by the clusters
alone. Seeds from 1000 on are reported; those below were for making this program.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from annotation.systems.progress_captioner.keyframe_rows_by_method import (
    Pair,
    Row,
    Vectors,
    clusters_row,
    progression_row,
    uniform_row,
)
from backends.measurements.frame_vectors import describe
from backends.protocols import Picture
from benchmarks.browsing import table

FIRST_SEED, SEQUENCES = 1000, 60
NOISE = (0.0, 0.1, 0.2, 0.3)
"""Share of captions that are spoilt, in thirds: dropped, swapped, repeated."""
WIDTH, HEIGHT = 160, 90
METHODS = ("progression", "uniform", "clusters")
RESAMPLES = 2000
Random = np.random.Generator


@dataclass(frozen=True, slots=True)
class Action:
    """One action: which stage each candidate shows, and how it looks."""

    kind: str
    stages: npt.NDArray[np.int64]
    """(candidates,) 0 to `count` - 1, never going back."""
    count: int
    vectors: Vectors


# --- pictures ---------------------------------------------------------------------------


def _bread(canvas: Picture, stage: int, count: int, at: tuple[int, int]) -> None:
    x, y = at
    slices = np.linspace(x, x + 70, count + 1)
    for n in range(count):
        gone = n >= count - stage
        left, shift = int(slices[n]), 10 if gone else 0
        top, colour = (y - 6, (236, 214, 160)) if gone else (y - 20, (196, 142, 78))
        cv2.rectangle(canvas, (left + shift, top), (int(slices[n + 1]) - 2 + shift, y + 6), colour, -1)


def _glass(canvas: Picture, stage: int, count: int, at: tuple[int, int]) -> None:
    x, y = at
    level = y + 6 - round(44 * stage / max(1, count - 1))
    cv2.rectangle(canvas, (x + 20, level), (x + 46, y + 6), (70, 140, 220), -1)
    cv2.rectangle(canvas, (x + 19, y - 40), (x + 47, y + 7), (225, 230, 235), 1)


def _tower(canvas: Picture, stage: int, count: int, at: tuple[int, int]) -> None:
    x, y = at
    high = 48 // count
    for n in range(stage):
        colour = ((200, 70, 60), (70, 120, 200), (90, 170, 90))[n % 3]
        cv2.rectangle(canvas, (x + 18, y + 6 - (n + 1) * high), (x + 46, y + 5 - n * high), colour, -1)


def _fence(canvas: Picture, stage: int, count: int, at: tuple[int, int]) -> None:
    x, y = at
    for n in range(count):
        left = x + n * 72 // count
        colour = (80, 150, 190) if n < stage else (170, 150, 120)
        cv2.rectangle(canvas, (left, y - 28), (left + 72 // count - 2, y + 6), colour, -1)


KINDS: dict[str, Callable[[Picture, int, int, tuple[int, int]], None]] = {
    "cutting bread": _bread,
    "filling a glass": _glass,
    "building a tower": _tower,
    "painting a fence": _fence,
}


def _picture(draw: Callable[..., None], stage: int, count: int, random: Random, share: float) -> Picture:
    """One frame: the state of the action, and much that has nothing to do with it."""
    canvas: Picture = np.full((HEIGHT, WIDTH, 3), (206, 200, 190), np.uint8)
    cv2.rectangle(canvas, (0, 68), (WIDTH, HEIGHT), (150, 110, 80), -1)
    walker = int((share * 2.3 + random.normal(0, 0.05)) % 1 * WIDTH)
    cv2.rectangle(canvas, (walker - 7, 22), (walker + 7, 66), (120, 120, 140), -1)
    draw(canvas, stage, count, (42, 66))
    hand = (int(random.integers(36, 130)), int(random.integers(24, 66)))
    cv2.ellipse(canvas, hand, (13, 8), float(random.uniform(0, 180)), 0, 360, (224, 178, 150), -1)
    move = np.array([[1, 0, random.normal(0, 3)], [0, 1, random.normal(0, 2)]])
    shaken = cv2.warpAffine(canvas, move, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
    light = 1 + 0.12 * np.sin(share * 9) + random.normal(0, 0.02)
    return np.asarray(np.clip(shaken * light + random.normal(0, 4, shaken.shape), 0, 255), np.uint8)


def make(seed: int) -> Action:
    """A sequence of 20 to 36 candidates with 4 to 8 stages of uneven length."""
    random = np.random.default_rng(seed)
    kind = list(KINDS)[seed % len(KINDS)]
    count = int(random.integers(4, 9))
    n = int(random.integers(20, 37))
    shares = random.lognormal(0, 1.0, count)
    lengths = 1 + np.floor((n - count) * shares / shares.sum()).astype(int)
    lengths[int(lengths.argmax())] += n - int(lengths.sum())
    stages = np.repeat(np.arange(count), lengths)
    pictures = [_picture(KINDS[kind], int(s), count, random, i / n) for i, s in enumerate(stages)]
    return Action(kind, stages, count, np.array([describe(p) for p in pictures]))


# --- captions and their judge -----------------------------------------------------------

NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
STATES = {
    "cutting bread": ("{} slices lie on the board", "the loaf has lost {} slices", "{} slices have been cut"),
    "filling a glass": ("the glass holds {} measures", "{} measures are in it", "water stands at {} marks"),
    "building a tower": ("the tower has {} blocks", "{} blocks stand on each other", "a stack of {} blocks"),
    "painting a fence": ("{} boards are painted", "paint covers {} boards", "{} boards have their colour"),
}
REST = (
    "a hand moves across the table",
    "somebody walks past in the background",
    "the hand rests for a moment",
    "the camera shakes slightly",
    "the light is a little darker",
    "the person leans over the table",
)


def captions(sequence: Action, noise: float, seed: int) -> list[str]:
    """One per candidate; `noise` is the share that is spoilt."""
    random = np.random.default_rng((seed, 7))
    told = [_caption(sequence.kind, int(stage), random) for stage in sequence.stages]
    said = list(told)
    for n in range(len(said)):
        draw = random.random()
        if draw < noise / 3:
            said[n] = f"{str(random.choice(REST)).capitalize()}."
        elif draw < 2 * noise / 3 and n + 1 < len(said):
            said[n], said[n + 1] = said[n + 1], said[n]
        elif draw < noise and n:
            said[n] = said[n - 1]
    return said


def _caption(kind: str, stage: int, random: Random) -> str:
    state = str(random.choice(STATES[kind])).format(NUMBERS[stage])
    parts = [state, str(random.choice(REST))]
    if random.random() < 0.5:
        parts.reverse()
    return f"{parts[0].capitalize()}; {parts[1]}."


def judged(before: str, after: str) -> str:
    """`yes` where the second tells of more, `no` of as much or less, `uncertain` where one tells nothing."""
    first, second = _told(before), _told(after)
    if first is None or second is None:
        return "uncertain"
    return "yes" if second > first else "no"


def _told(caption: str) -> int | None:
    words = caption.lower().replace(";", " ").replace(".", " ").split()
    return next((NUMBERS.index(word) for word in words if word in NUMBERS), None)


# --- what is measured -------------------------------------------------------------------


def rows_of(sequence: Action, said: Sequence[str]) -> dict[str, Row]:
    """The three rows; uniform and clusters have as many frames as progression keeps."""
    places = range(len(said))
    pairs = [Pair((a, b), judged(said[a], said[b])) for a, b in pairwise(places)]
    progression = progression_row(places, pairs)
    size = len(progression.frames)
    return {
        "progression": progression,
        "uniform": uniform_row(places, size, "progression"),
        "clusters": clusters_row(places, sequence.vectors, size, "progression"),
    }


def coverage(sequence: Action, row: Row) -> tuple[float, float]:
    """Share of the stages that a row shows (0 to 1), and how many of its frames repeat a stage."""
    shown = {int(sequence.stages[place]) for place in row.frames}
    return len(shown) / sequence.count, float(len(row.frames) - len(shown))


def measure(seeds: Sequence[int], noise: Sequence[float] = NOISE) -> dict[float, dict[str, npt.NDArray[Any]]]:
    """Per noise and method (sequences, 3): coverage, repeats, frames kept."""
    made = {seed: make(seed) for seed in seeds}
    found: dict[float, dict[str, npt.NDArray[Any]]] = {}
    for level in noise:
        rows = [rows_of(made[seed], captions(made[seed], level, seed)) for seed in seeds]
        found[level] = {
            method: np.array(
                [
                    (*coverage(made[seed], row[method]), len(row[method].frames))
                    for seed, row in zip(seeds, rows, strict=True)
                ]
            )
            for method in METHODS
        }
    return found


def interval(values: npt.NDArray[Any], seed: int = 0) -> tuple[float, float, float]:
    """Mean with a 95 % bootstrap interval over sequences."""
    random = np.random.default_rng(seed)
    drawn = values[random.integers(0, len(values), (RESAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(values.mean()), float(low), float(high)


def report(found: dict[float, dict[str, npt.NDArray[Any]]]) -> str:
    """The table of docs/performance.md."""
    head = [
        "captions spoilt",
        "row",
        "frames",
        "stages covered",
        "repeats",
        "progression covers more by",
        "and repeats less by",
    ]
    lines = []
    for level, methods in found.items():
        ours = methods["progression"]
        for method, values in methods.items():
            more = "" if method == "progression" else _spread(ours[:, 0] - values[:, 0])
            less = "" if method == "progression" else _spread(values[:, 1] - ours[:, 1])
            lines.append(
                [
                    f"{level:.0%}",
                    method,
                    f"{values[:, 2].mean():.1f}",
                    _spread(values[:, 0]),
                    _spread(values[:, 1]),
                    more,
                    less,
                ]
            )
    return table(head, lines)


def _spread(values: npt.NDArray[Any]) -> str:
    mean, low, high = interval(values)
    return f"{mean:.2f} ({low:.2f} to {high:.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sequences", type=int, default=SEQUENCES, help=f"how many (default {SEQUENCES})")
    parser.add_argument("--json", action="store_true", help="every figure as JSON")
    options = parser.parse_args()
    found = measure(range(FIRST_SEED, FIRST_SEED + options.sequences))
    if options.json:
        print(json.dumps({str(k): {m: v.tolist() for m, v in x.items()} for k, x in found.items()}))
        return
    print(report(found))


if __name__ == "__main__":
    main()
