"""How many of the published scene boundaries of Vript each detector finds, and how many cuts it has besides.

    python -m benchmarks.vript_cuts FOLDER          # a checkout of github.com/mutonix/Vript
    python -m benchmarks.vript_cuts FOLDER --set    # how the shortest scene of `vript` was set

The paper names PySceneDetect and fades to black, but no detector and no number: `vript` is AdaptiveDetector,
the choice of PySceneDetect's program, with fades. Vript publishes the clips of two videos, cut by its
authors. Those of each video, joined in order, make a film whose boundaries are known. The shortest scene of
`vript` was set on the first; the second was in sight, afterwards. A boundary is found by a cut within 2
frames of it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

from annotation.records.clip_names import split_clip_id
from backends.scenes.scene_detectors import scene_detector
from backends.video.joined_clips import Clip, join_clips
from backends.video.probe import probe
from benchmarks.cuts import markdown

SET_ON = "0J7UPHL08fU"
SPECS = ("vript", "default", "adaptive", "content")
SHORTEST = (0.5, 3.0, 3.2, 3.4, 3.6, 3.7, 3.8, 4.0, 4.5)
REACH = 2
"""Frames."""


def films(folder: Path, work: Path) -> dict[str, tuple[Path, list[int]]]:
    """`{video id: (film, its boundaries)}`, the one that was set on first."""
    clips: dict[str, dict[int, Path]] = {}
    for path in sorted(folder.rglob("*.mp4")):
        if named := split_clip_id(path.stem):
            clips.setdefault(named[0], {})[named[1]] = path
    found = {}
    for name, parts in sorted(clips.items(), key=lambda pair: pair[0] != SET_ON):
        film = work / f"{name}.mp4"
        asked = [Clip(path.stem, path, 0.0, 0.0) for _, path in sorted(parts.items())]
        found[name] = (film, [part.first_frame for part in join_clips(asked, film)][1:])
    return found


def score(film: Path, boundaries: Sequence[int], spec: str) -> tuple[int, int]:
    """Boundaries found, and cuts that are none."""
    facts, table = probe(film)
    cuts = [cut for cut in scene_detector(spec).detect(film, table, facts).starts if cut > 0]
    used: set[int] = set()
    for boundary in boundaries:
        used.update([cut for cut in cuts if abs(cut - boundary) <= REACH and cut not in used][:1])
    return len(used), len(cuts) - len(used)


def table(found: dict[str, tuple[Path, list[int]]], specs: Sequence[str]) -> str:
    rows = []
    for spec in specs:
        scores = [score(film, boundaries, spec) for film, boundaries in found.values()]
        rows.append([f"`{spec}`", *(f"{hits}, {extra} extra" for hits, extra in scores)])
    head = [f"{name}: of {len(boundaries)}" for name, (_, boundaries) in found.items()]
    return markdown(["detector", *head], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description="Published scene boundaries of Vript that detectors find.")
    parser.add_argument("folder", type=Path, help="a checkout of github.com/mutonix/Vript")
    parser.add_argument("--set", action="store_true", help=f"try the shortest scene on {SET_ON}")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        found = films(args.folder, Path(work))
        if not found:
            raise SystemExit(f"{args.folder}: no clips called <video id>-Scene-<number>.mp4 in it or below")
        if args.set:
            specs = [f"vript:min_scene_s={seconds}" for seconds in SHORTEST]
            print(table({SET_ON: found[SET_ON]}, specs))
        else:
            print(table(found, SPECS))


if __name__ == "__main__":
    main()
