"""Thumbnails for many people at once: how long each picture takes, from request to its last byte.

    python -m benchmarks.thumbnails [--people 50] [--each 4] [--videos 3] [--scroll] [FILE]

Each person asks for neighbouring frames of a video, as a strip does, one request per picture, all at the
same moment; no picture is there before. With `--scroll` each person goes through the Library instead, by
`--each` requests at a time as its page does: one picture of every video, made when the video was added. FILE
is the video (the sample's clip by default), added as often as there are videos.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from annotation.records.videos import Video
from annotation.stages.media_library import poster_of
from annotation.workspace.workspace import Workspace
from benchmarks.browsing import ROOT, app, dailies, started, table
from benchmarks.processes import cpu_s, tree

SEED = 7
Asked = tuple[str, int]
"""Video id and frame."""


def prepared(folder: Path, clip: Path, videos: int) -> dict[str, int]:
    """A workspace there that knows the videos; frames by video id."""
    for n in range(videos):
        copy = folder / f"clip {n}{clip.suffix}"
        # Another content is another video: a few bytes behind the end of the file change nothing else.
        copy.write_bytes(clip.read_bytes() + b"\0" * (n + 8))
        app("run", str(copy), "--stages", "probe", "--workspace", str(folder / "workspace"))
    space = Workspace(folder / "workspace")
    found = {v.id: v.facts.frames for v in space.store.find(Video) if v.facts}
    space.close()
    return found


def forget_pictures(folder: Path) -> None:
    for pictures in (folder / "workspace" / "media").glob("*/w*"):
        shutil.rmtree(pictures)


def wanted(frames: dict[str, int], people: int, each: int) -> list[list[Asked]]:
    """Per person the pictures of one stretch; no two people ask for the same one."""
    draw = random.Random(SEED)
    videos, stretches = sorted(frames), []
    for person in range(people):
        video = videos[person % len(videos)]
        places = frames[video] // each
        stretches.append((video, draw.randrange(places)))
    return [[(video, each * place + n) for n in range(each)] for video, place in stretches]


def ask(url: str, asked: Asked) -> float:
    """Seconds."""
    video, frame = asked
    begin = time.perf_counter()
    with urllib.request.urlopen(f"{url}/media/{video}/strip/{frame}.jpg", timeout=300) as answer:
        assert answer.read()[:2] == b"\xff\xd8"
    return time.perf_counter() - begin


def scrolled(frames: dict[str, int], people: int, each: int) -> list[list[Asked]]:
    """The pictures of the Library: `each` lists a person, whose pictures come one after the other."""
    posters = [(video, poster_of(frames[video])) for video in sorted(frames)]
    return [posters[n::each] for _ in range(people) for n in range(each)]


def measure(url: str, turns: list[list[Asked]]) -> tuple[list[float], float]:
    """Seconds of each picture, and of all of them; every turn is begun at the same moment."""
    together = threading.Barrier(len(turns))

    def ask_in_turn(turn: list[Asked]) -> list[float]:
        together.wait()
        return [ask(url, one) for one in turn]

    with ThreadPoolExecutor(len(turns)) as pool:
        begin = time.perf_counter()
        found = [seconds for turn in pool.map(ask_in_turn, turns) for seconds in turn]
        return found, time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=ROOT / "sample" / "clip.mp4")
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--videos", type=int, default=3)
    parser.add_argument("--scroll", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        frames = prepared(Path(folder), given.file, given.videos)
        if given.scroll:
            turns = scrolled(frames, given.people, given.each)
        else:
            forget_pictures(Path(folder))
            turns = [[one] for stretch in wanted(frames, given.people, given.each) for one in stretch]
        with started(dailies(Path(folder) / "workspace")) as server:
            server.wait("/api/me")
            before = cpu_s(tree(server.process.pid))
            found, whole = measure(server.url, turns)
            used = cpu_s(tree(server.process.pid)) - before
    cuts = statistics.quantiles(found, n=20, method="inclusive")
    times = [f"{seconds:.2f} s" for seconds in (cuts[9], cuts[18], max(found), whole, used)]
    head = ["thumbnails", "median", "95 %", "longest", "all", "processor time"]
    print(table(head, [[f"{len(found)} of {len(frames)} videos", *times]]))


if __name__ == "__main__":
    main()
