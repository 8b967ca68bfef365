"""Measured camera motion on made moves that nothing was tuned on.

    python -m benchmarks.camera_moves

Forty moves of all eight kinds, at drawn speeds, over drawn grounds and grain, without a
foreground, with a small and with a large moving one. The seeds are not those of the tests. Prints a
Markdown table and every miss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from backends.measurements.opencv import OpencvMeasurer
from tests.backends.moves import FPS, ArrayReader, Path, Thing, film, texture

FIRST_SEED = 5000
KINDS = ("static", "pan_left", "pan_right", "tilt_up", "tilt_down", "zoom_in", "zoom_out", "shake")
PER_KIND = 5
FOREGROUNDS = ("none", "small", "large")
SECONDS = 2.4


@dataclass(frozen=True)
class Move:
    kind: str
    speed: float
    """Picture widths or heights, or growth, per second; for shake its size in picture widths."""
    foreground: str
    seed: int


def draw_moves() -> list[Move]:
    """The forty moves; speeds are drawn evenly on a logarithmic axis."""
    moves = []
    for number, kind in enumerate(KINDS * PER_KIND):
        random = np.random.default_rng(FIRST_SEED + number)
        low, high = (0.004, 0.012) if kind == "shake" else (0.06, 0.5) if "zoom" in kind else (0.03, 0.6)
        speed = 0.0 if kind == "static" else float(np.exp(random.uniform(np.log(low), np.log(high))))
        moves.append(Move(kind, speed, FOREGROUNDS[(number // len(KINDS)) % 3], FIRST_SEED + number))
    return moves


def path_of(move: Move) -> Path:
    jitter = np.random.default_rng(move.seed + 1).normal(0, move.speed, (round(SECONDS * FPS) + 1, 2))
    sign = -1 if move.kind in ("pan_left", "tilt_up", "zoom_out") else 1

    def path(t: float) -> tuple[float, float, float]:
        way = sign * move.speed * (t - SECONDS / 2)
        if move.kind == "shake":
            x, y = jitter[round(t * FPS) // 2]
            return float(x), float(y), 1.0
        if "pan" in move.kind:
            return way, 0.0, 1.0
        if "tilt" in move.kind:
            return 0.0, way, 1.0
        if "zoom" in move.kind:
            return 0.0, 0.0, 1.4 * float((1 + sign * move.speed) ** (t - SECONDS / 2))
        return 0.0, 0.0, 1.0

    return path


def thing_of(move: Move) -> Thing | None:
    """A rectangle that crosses the picture on its own."""
    if move.foreground == "none":
        return None
    random = np.random.default_rng(move.seed + 2)
    start, way = random.uniform(0.2, 0.4), random.uniform(0.1, 0.3)
    size = (0.16, 0.28) if move.foreground == "small" else (0.42, 0.6)
    rgb = tuple(int(v) for v in random.integers(20, 235, 3))
    return Thing(lambda t: (start + way * t, 0.5), size, (rgb[0], rgb[1], rgb[2]))


def shoot(move: Move) -> ArrayReader:
    noise = float(np.random.default_rng(move.seed + 3).uniform(0.5, 5.0))
    return film(texture(move.seed), path_of(move), SECONDS, thing=thing_of(move), noise=noise)


def label_of(reader: ArrayReader) -> tuple[str, float]:
    found = {m.kind: m.value for m in OpencvMeasurer().measure(reader, 0, len(reader.pictures))}
    motion = found["camera_motion"]
    return str(motion["label"]), float(motion["confidence"])


def main() -> None:
    right: dict[str, list[bool]] = {name: [] for name in (*KINDS, *FOREGROUNDS)}
    misses = []
    for move in draw_moves():
        label, confidence = label_of(shoot(move))
        for group in (move.kind, move.foreground):
            right[group].append(label == move.kind)
        if label != move.kind:
            misses.append(f"{move} measured as {label}, confidence {confidence:.2f}")
    print("| moves | right | of |\n|---|---|---|")
    for name, hits in right.items():
        print(f"| {name if name in KINDS else f'foreground: {name}'} | {sum(hits)} | {len(hits)} |")
    whole = [hit for kind in KINDS for hit in right[kind]]
    print(f"| all | {sum(whole)} ({sum(whole) / len(whole):.3f}) | {len(whole)} |")
    print("\n".join(misses))


if __name__ == "__main__":
    main()
