"""Films of known order for `benchmarks.evidence`: rendered lectures with narration, and joined clips.

What is in them stands in `evidence_set/`: `lectures.txt` (slides: `=` title and lines, `>` what is said, `~`
what a person wrote about it), `films.txt` (clips with their seconds) and `questions.tsv` (parts that answer).
Parts are counted from 1; those of Vript's films have the numbers of their scenes. ffmpeg and espeak-ng
make the films; half of the footages (`tune`) may be looked at, the others report. Questions and spans were
written before the writer had read the ranking.
"""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
from PIL import Image, ImageDraw, ImageFont

from annotation.records.clip_names import split_clip_id
from benchmarks.assembly import NotHere

SET = Path(__file__).with_name("evidence_set")
TUNED = ("plants", "sorting", "aqueducts", "probability")
"""Lectures of the half that the ranking is tuned on."""
RATE = 12
SIZE = (640, 360)
SLIDE_S = 15.5
"""Shortest slide: eight of them are two minutes."""


@dataclass
class Part:
    """A slide, a clip, or a published scene."""

    number: int
    script: str = ""
    """What a person wrote about it."""
    said: str = ""
    lines: tuple[str, ...] = ()
    shapes: tuple[str, ...] = ()
    clip: Path | None = None
    first_s: float = 0.0
    last_s: float = 1e6
    start_s: float = 0.0
    end_s: float = 0.0
    """Where it lies in the film, once that is made."""


@dataclass
class Film:
    name: str
    half: str
    parts: list[Part] = field(default_factory=list)
    path: Path = Path()


@dataclass(frozen=True, slots=True)
class Asked:
    """One labelled question."""

    film: str
    parts: tuple[int, int]
    where: str
    """`seen`, `said`, `shown` (as text), or `order`."""
    question: str
    answer: str


def questions() -> list[Asked]:
    found = []
    for line in (SET / "questions.tsv").read_text().splitlines():
        film, parts, where, question, answer = line.split("\t")
        first, _, last = parts.partition("-")
        found.append(Asked(film, (int(first), int(last or first)), where, question, answer))
    return found


def films(cache: Path, clips: dict[str, Path], vript: Path) -> list[Film]:
    """Every film, made in `cache` where it is not there yet. Raises NotHere."""
    cache.mkdir(parents=True, exist_ok=True)
    found = [*_lectures(), *_joined(clips, vript)]
    for film in found:
        film.path = cache / f"{film.name}.mp4"
        pieces = [_piece(cache, film.name, part) for part in film.parts]
        _lay_out(film, pieces)
        if not film.path.exists():
            listing = cache / f"{film.name}.txt"
            listing.write_text("".join(f"file '{piece.resolve()}'\n" for piece in pieces))
            _call("ffmpeg", "-f", "concat", "-safe", "0", "-i", str(listing), "-c", "copy", str(film.path))
    return found


def _lectures() -> list[Film]:
    found: list[Film] = []
    for line in (SET / "lectures.txt").read_text().splitlines():
        kind, text = line[:1], line[2:]
        if kind == "@":
            found.append(Film(text, "tune" if text in TUNED else "report"))
        elif kind == "=":
            shown, shapes = text.rsplit(" | ", 1)
            part = Part(
                len(found[-1].parts) + 1, lines=tuple(shown.split(" / ")), shapes=tuple(shapes.split(", "))
            )
            found[-1].parts.append(part)
        elif kind == ">":
            found[-1].parts[-1].said = text
        elif kind == "~":
            found[-1].parts[-1].script = text
    return found


def _joined(clips: dict[str, Path], vript: Path) -> list[Film]:
    found: list[Film] = []
    for line in (SET / "films.txt").read_text().splitlines():
        kind, text = line[:1], line[2:]
        if kind == "@":
            name, half, source = text.split()
            parts = _published(vript, source.removeprefix("vript:")) if source.startswith("vript:") else []
            found.append(Film(name, half, parts))
        elif kind == "=":
            clip, first, last = text.split()
            if clip not in clips:
                raise NotHere(f"{clip} is not here")
            part = Part(len(found[-1].parts) + 1, clip=clips[clip], first_s=float(first), last_s=float(last))
            found[-1].parts.append(part)
        elif kind == "~":
            found[-1].parts[-1].script = text
    return found


def _published(vript: Path, video: str) -> list[Part]:
    """Scenes of a film that Vript publishes, with its script."""
    scripts = {
        named[1]: str(entry["caption"].get("content", ""))
        for path in vript.rglob(f"{video}_caption.json")
        for entry in json.loads(path.read_text())["data"].values()
        if (named := split_clip_id(entry["clip_id"]))
    }
    paths = {
        named[1]: path for path in vript.rglob(f"{video}-Scene-*.mp4") if (named := split_clip_id(path.stem))
    }
    if not paths:
        raise NotHere(f"no clip of {video} in {vript}")
    return [Part(number, scripts.get(number, ""), clip=path) for number, path in sorted(paths.items())]


def _lay_out(film: Film, pieces: list[Path]) -> None:
    at = Fraction(0)
    for part, piece in zip(film.parts, pieces, strict=True):
        with av.open(str(piece)) as source:  # its sound may be longer than its pictures
            length = Fraction(source.duration or 0, av.time_base)
        part.start_s, part.end_s = float(at), float(at + length)
        at += length


def _piece(cache: Path, film: str, part: Part) -> Path:
    """The part as a file of its own: one size, one rate, one kind of sound."""
    out = cache / f"{film}-{part.number:02}.mp4"
    if not out.exists():
        inputs = _from_clip(part) if part.clip else _from_slide(cache, film, part)
        wide, high = SIZE
        inside = f"scale={wide}:{high}:force_original_aspect_ratio=decrease"
        fit = f"{inside},pad={wide}:{high}:-1:-1,fps={RATE},setsar=1"
        coded = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "25", "-pix_fmt", "yuv420p", "-c:a", "aac")
        heard = ("-ar", "16000", "-ac", "1", "-af", "apad", "-shortest")
        _call("ffmpeg", *inputs, "-vf", fit, *coded, *heard, str(out))
    return out


def _from_clip(part: Part) -> tuple[str, ...]:
    with av.open(str(part.clip)) as source:
        heard = bool(source.streams.audio)
    cut = ("-ss", str(part.first_s), "-t", str(part.last_s - part.first_s), "-i", str(part.clip))
    silence = () if heard else ("-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono")
    return (*cut, *silence, "-map", "0:v:0", "-map", "0:a:0" if heard else "1:a:0")


def _from_slide(cache: Path, film: str, part: Part) -> tuple[str, ...]:
    stem = cache / f"{film}-{part.number:02}"
    _slide(part).save(stem.with_suffix(".png"))
    _call_plain("espeak-ng", "-v", "en-us", "-s", "150", "-w", str(stem.with_suffix(".wav")), part.said)
    with av.open(str(stem.with_suffix(".wav"))) as source:
        length = max(SLIDE_S, float(source.duration or 0) / 1e6 + 0.7)
    still = (
        "-loop",
        "1",
        "-framerate",
        str(RATE),
        "-t",
        f"{length:.2f}",
        "-i",
        str(stem.with_suffix(".png")),
    )
    return (*still, "-i", str(stem.with_suffix(".wav")), "-map", "0:v:0", "-map", "1:a:0")


def _slide(part: Part) -> Image.Image:
    picture = Image.new("RGB", SIZE, "#f4f1ea")
    pen = ImageDraw.Draw(picture)
    for row, line in enumerate(part.lines):
        pen.text(
            (36, 28 + row * 46 + (row > 0) * 12), line, "#222", ImageFont.load_default(34 if row == 0 else 26)
        )
    for column, shape in enumerate(part.shapes):
        colour, kind = shape.split()
        _draw(pen, kind, colour, 50 + column * 120, 250)
    return picture


def _draw(pen: ImageDraw.ImageDraw, kind: str, colour: str, x: int, y: int) -> None:
    if kind == "circle":
        pen.ellipse((x, y, x + 80, y + 80), colour, "#222")
    elif kind == "bars":
        for bar, height in enumerate((30, 55, 80, 60)):
            pen.rectangle((x + bar * 26, y + 80 - height, x + bar * 26 + 20, y + 80), colour, "#222")
    else:
        outlines = {
            "square": [(0, 0), (80, 0), (80, 80), (0, 80)],
            "triangle": [(40, 0), (80, 80), (0, 80)],
            "arrow": [(0, 30), (50, 30), (50, 8), (90, 40), (50, 72), (50, 50), (0, 50)],
            "star": [
                (40, 0),
                (50, 30),
                (80, 30),
                (56, 48),
                (66, 80),
                (40, 60),
                (14, 80),
                (24, 48),
                (0, 30),
                (30, 30),
            ],
        }
        pen.polygon([(x + right, y + down) for right, down in outlines[kind]], colour, "#222")


def _call(program: str, *arguments: str) -> None:
    _call_plain(program, "-y", "-loglevel", "error", *arguments)


def _call_plain(program: str, *arguments: str) -> None:
    try:
        subprocess.run([program, *arguments], check=True, capture_output=True, timeout=300, text=True)
    except FileNotFoundError as error:
        raise NotHere(f"{program} is not installed (apt install {program})") from error
    except subprocess.CalledProcessError as error:
        raise NotHere(f"{program}: {error.stderr.strip().splitlines()[-1:]}") from error
