"""Text on screen: how well lines are read, how often a picture without text gives one, and how long it takes.

    python -m benchmarks.ocr [--videos FOLDER]

A hundred lines on twenty made slides (1280 x 720, five lines each; fonts of Debian's fonts-dejavu-core and
fonts-noto-cjk), saved as JPEG as a video would have them; and a hundred frames in which nobody can read
anything, from the clips that `FRAMES` names, where `--videos` has them. Prints a Markdown table and every
line that was misread. Spaces do not count, nor does the width of a letter (fullwidth forms are plain ones).
"""

from __future__ import annotations

import argparse
import csv
import time
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from backends.ocr.registry import DEFAULT, text_reader
from backends.protocols import Picture, ScreenLine, TextReader
from backends.video.probe import probe
from backends.video.reader_registry import frame_reader

WIDTH, HEIGHT = 1280, 720
PER_SLIDE = 5
JPEG_QUALITY = 80
LATIN_FONTS = tuple(
    f"/usr/share/fonts/truetype/dejavu/DejaVu{name}.ttf"
    for name in ("Sans", "Serif", "SansMono", "Sans-Bold")
)
CJK_FONTS = tuple(f"/usr/share/fonts/opentype/noto/Noto{name}CJK-Regular.ttc" for name in ("Sans", "Serif"))
COLOURS = (((20, 20, 20), (250, 250, 248)), ((245, 245, 245), (22, 48, 84)), ((255, 235, 90), (30, 30, 30)))
"""Of letters and ground."""
SIZES = (26, 30, 36, 44, 52)
"""Pixels, the lines of a slide in turn."""

LINES = Path(__file__).with_name("ocr_lines.csv")
"""Group and text of the lines. Fixed before anything was tuned."""


@dataclass(frozen=True)
class Stretch:
    """Frames of a clip in which no text can be read (looked at by eye)."""

    clip: str
    start_s: float
    end_s: float
    frames: int


FRAMES = (
    Stretch("bbb_30s_vp8.webm", 0.0, 15.0, 25),
    Stretch("bbb_720p_audio.mp4", 0.0, 5.3, 15),
    Stretch("bikes_multishot.mp4", 7.6, 9.6, 10),
    Stretch("car_30s_12fps.mp4", 0.0, 30.0, 20),
    Stretch("earth_vp9.webm", 0.0, 5.0, 10),
    Stretch("pancake_opus.mkv", 0.0, 10.0, 10),
    Stretch("nasa_320p.mp4", 0.0, 10.8, 10),
)


@dataclass(frozen=True)
class Slide:
    picture: Picture
    lines: tuple[tuple[str, str, float], ...]
    """Group, text, and the middle of its row as a share of the height."""


def slides() -> Iterator[Slide]:
    """The lines in one order, groups mixed, five to a slide."""
    columns: dict[str, list[tuple[str, str]]] = defaultdict(list)
    with LINES.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            columns[row["group"]].append((row["group"], row["line"]))
    most = max(map(len, columns.values()))
    order = [column[n] for n in range(most) for column in columns.values() if n < len(column)]
    for number in range(0, len(order), PER_SLIDE):
        yield _slide(number // PER_SLIDE, order[number : number + PER_SLIDE])


def _slide(number: int, lines: Sequence[tuple[str, str]]) -> Slide:
    ink, ground = COLOURS[number % len(COLOURS)]
    image = Image.new("RGB", (WIDTH, HEIGHT), ground)
    draw = ImageDraw.Draw(image)
    placed = []
    for row, (group, text) in enumerate(lines):
        fonts = CJK_FONTS if group in ("Chinese", "Japanese") else LATIN_FONTS
        font = ImageFont.truetype(fonts[(number + row) % len(fonts)], SIZES[(number + row) % len(SIZES)])
        middle = (row + 0.5) / PER_SLIDE
        draw.text((80 + 40 * (row % 3), middle * HEIGHT), text, font=font, fill=ink, anchor="lm")
        placed.append((group, text, middle))
    return Slide(_compressed(np.asarray(image, np.uint8)), tuple(placed))


def _compressed(picture: Picture) -> Picture:
    coded = cv2.imencode(".jpg", picture[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1]
    decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    assert decoded is not None
    return np.ascontiguousarray(decoded[:, :, ::-1], np.uint8)


def plain(text: str) -> str:
    """Without spaces; letters of either width are one."""
    kept = (unicodedata.normalize("NFKC", c) if "\uff00" <= c <= "\uffef" or c == "µ" else c for c in text)
    return "".join("".join(kept).split())


def distance(a: str, b: str) -> int:
    """Least number of letters to put in, take out or change (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row = row, [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y)))
    return row[-1]


def read_row(found: Sequence[ScreenLine], middle: float) -> str:
    """What was read in a row of a slide, from left to right."""
    half = 0.5 / PER_SLIDE
    inside = [line for line in found if abs((line.box[1] + line.box[3]) / 2 - middle) < half]
    return " ".join(line.text for line in sorted(inside, key=lambda line: line.box[0]))


class Watch:
    """Seconds by the clock, and of processor: other work on the machine makes only the first longer."""

    def __init__(self) -> None:
        self.wall, self.processor = time.perf_counter(), time.process_time()

    def per(self, count: int) -> str:
        wall, processor = time.perf_counter() - self.wall, time.process_time() - self.processor
        return f"{wall / count * 1000:.0f} ms, {processor / count * 1000:.0f} ms of processor"


def score_slides(reader: TextReader) -> tuple[dict[str, tuple[int, int, int, int]], str]:
    """Per group: lines, lines read without a fault, characters, faults; and the time of a slide."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    made = list(slides())
    watch = Watch()
    read = [reader.read(slide.picture) for slide in made]
    spent = watch.per(len(made))
    for slide, found in zip(made, read, strict=True):
        for group, text, middle in slide.lines:
            got = read_row(found, middle)
            faults = min(distance(plain(text), plain(got)), len(plain(text)))
            if faults:
                print(f"misread ({group}): {text!r} as {got!r}")
            for at, count in enumerate((1, not faults, len(plain(text)), faults)):
                totals[group][at] += count
    return {group: (t[0], t[1], t[2], t[3]) for group, t in totals.items()}, spent


def empty_frames(folder: Path) -> Iterator[tuple[str, Picture]]:
    for stretch in FRAMES:
        path = folder / stretch.clip
        facts, table = probe(path)
        times = np.linspace(stretch.start_s, stretch.end_s, stretch.frames, endpoint=False)
        indices = sorted({int(np.searchsorted(table.seconds, t)) for t in times})
        with closing(frame_reader("pyav", path, facts, table)) as reader:
            for index, picture in reader.frames(indices, width=min(facts.width, WIDTH)):
                yield f"{stretch.clip} #{index}", picture


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--videos", type=Path, help="folder with the clips of FRAMES")
    args = parser.parse_args()
    if missing := [font for font in LATIN_FONTS + CJK_FONTS if not Path(font).exists()]:
        parser.error(f"{missing[0]} is missing: apt install fonts-dejavu-core fonts-noto-cjk")
    reader = text_reader(DEFAULT)
    reader.read(np.zeros((HEIGHT, WIDTH, 3), np.uint8))  # loads the weights
    groups, spent = score_slides(reader)
    print("\n| lines | number | without a fault | characters right |\n|---|---|---|---|")
    for group, (lines, right, characters, faults) in groups.items():
        print(f"| {group} | {lines} | {right} | {1 - faults / characters:.3f} of {characters} |")
    sums = [sum(column) for column in zip(*groups.values(), strict=True)]
    print(f"| all | {sums[0]} | {sums[1]} | {1 - sums[3] / sums[2]:.3f} of {sums[2]} |")
    print(f"\na slide of {PER_SLIDE} lines: {spent}")
    if args.videos:
        print_empty(reader, args.videos)


def print_empty(reader: TextReader, folder: Path) -> None:
    pictures = list(empty_frames(folder))
    watch = Watch()
    read = [reader.read(picture) for _, picture in pictures]
    spent = watch.per(len(pictures))
    for (name, _), found in zip(pictures, read, strict=True):
        for line in found:
            print(f"no text there ({name}): {line.text!r}, score {line.score:.2f}")
    print(f"{sum(map(len, read))} false lines in {len(pictures)} frames without text; a frame: {spent}")


if __name__ == "__main__":
    main()
