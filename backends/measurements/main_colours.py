"""Find the main colours of pictures, with plain names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

_NAMED = (
    ("black", ("#000000", "#161616")),
    ("dark grey", ("#3c3c3c", "#505050")),
    ("grey", ("#6e6e6e", "#808080", "#969696")),
    ("light grey", ("#b4b4b4", "#d2d2d2")),
    ("white", ("#f0f0f0", "#ffffff")),
    ("red", ("#ff0000", "#dc2828", "#c81e1e", "#b01818")),
    ("dark red", ("#8b0000", "#5a1010")),
    ("orange", ("#ff8c00", "#ffa53c", "#e07820")),
    ("brown", ("#8b4513", "#6b4423", "#a0683c", "#4a3020", "#856a55")),
    ("beige", ("#f0e0c0", "#d8c8a0", "#c8b090")),
    ("yellow", ("#ffff00", "#f0d830", "#e8c828")),
    ("olive", ("#808000", "#6b7030")),
    ("green", ("#00ff00", "#00a000", "#40b040", "#50c850", "#5a8050")),
    ("dark green", ("#006000", "#204820", "#305030")),
    ("light green", ("#90ee90", "#b0e0a0")),
    ("teal", ("#008080", "#20a0a0", "#307070")),
    ("cyan", ("#00ffff", "#40e0e0")),
    ("light blue", ("#add8e6", "#87ceeb", "#90b8e8")),
    ("blue", ("#0000ff", "#2050c8", "#4080e0", "#1e6ec8", "#2070b0")),
    ("dark blue", ("#000080", "#101848", "#203060")),
    ("purple", ("#800080", "#7040a8", "#9060c0", "#502870")),
    ("magenta", ("#ff00ff", "#d020b0")),
    ("pink", ("#ffc0cb", "#ff90b0", "#e878a0", "#f0b8c8")),
)
"""Names with example colours; a colour gets the name of the nearest example in CIE Lab."""

_CLUSTERS = 6
_MOST_PIXELS = 12_000
_LEAST_SHARE = 0.03


@dataclass(frozen=True, slots=True)
class Colour:
    name: str
    rgb: tuple[int, int, int]
    share: float
    """Share of the pixels, 0 to 1."""

    @property
    def hex(self) -> str:
        return "#{:02x}{:02x}{:02x}".format(*self.rgb)

    def value(self) -> dict[str, Any]:
        return {"name": self.name, "hex": self.hex, "share": round(self.share, 3)}


def _lab(rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Convert (n, 3) RGB to (n, 3) CIE Lab (L 0 to 100)."""
    scaled = rgb.reshape(1, -1, 3).astype(np.float32) / 255
    return np.asarray(cv2.cvtColor(scaled, cv2.COLOR_RGB2Lab), np.float32).reshape(-1, 3)


def _rgb(lab: npt.NDArray[np.float32]) -> npt.NDArray[np.uint8]:
    back = cv2.cvtColor(lab.reshape(1, -1, 3), cv2.COLOR_Lab2RGB).reshape(-1, 3)
    return np.asarray(np.clip(np.rint(back * 255), 0, 255), np.uint8)


_TABLE_NAMES = [name for name, codes in _NAMED for _ in codes]
_TABLE = _lab(np.array([[*bytes.fromhex(code[1:])] for _, codes in _NAMED for code in codes], np.uint8))


def colour_name(rgb: tuple[int, int, int]) -> str:
    """Return the plain name of a colour, 0 to 255 each."""
    distance = np.linalg.norm(_TABLE - _lab(np.array([rgb], np.uint8)), axis=1)
    return _TABLE_NAMES[int(np.argmin(distance))]


def main_colours(rgb: npt.NDArray[np.uint8], clusters: int = _CLUSTERS) -> list[Colour]:
    """Return the colours of (..., 3) RGB pixels by k-means in Lab, largest first; one entry per name.

    Colours below 3 % of the pixels are dropped, except the largest. The result is deterministic.
    """
    pixels = rgb.reshape(-1, 3)
    step = max(1, len(pixels) // _MOST_PIXELS)
    lab = _lab(pixels[::step])
    clusters = min(clusters, len(np.unique(np.round(lab), axis=0)))
    if clusters <= 1:
        labels, centres = np.zeros(len(lab), np.int64), lab.mean(axis=0, keepdims=True)
    else:
        cv2.setRNGSeed(0)
        stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_MAX_ITER, 20, 0.5)
        start = np.zeros((len(lab), 1), np.int32)
        _, found, centres = cv2.kmeans(lab, clusters, start, stop, 2, cv2.KMEANS_PP_CENTERS)
        labels = np.asarray(found, np.int64).ravel()
    shares = np.bincount(labels, minlength=len(centres)) / len(labels)
    return _by_name(_rgb(np.asarray(centres, np.float32)), shares)


def _by_name(centres: npt.NDArray[np.uint8], shares: npt.NDArray[np.float64]) -> list[Colour]:
    """Merge clusters by name: the largest cluster determines the value, all of them the share."""
    merged: dict[str, Colour] = {}
    for number in np.argsort(-shares, kind="stable"):
        red, green, blue = (int(v) for v in centres[number])
        name, share = colour_name((red, green, blue)), float(shares[number])
        if name in merged:
            first = merged[name]
            merged[name] = Colour(name, first.rgb, first.share + share)
        else:
            merged[name] = Colour(name, (red, green, blue), share)
    ordered = sorted(merged.values(), key=lambda colour: -colour.share)
    return [colour for i, colour in enumerate(ordered) if i == 0 or colour.share >= _LEAST_SHARE]


def main_colour(rgb: npt.NDArray[np.uint8]) -> Colour:
    """Return the largest colour of (..., 3) RGB pixels."""
    return main_colours(rgb, clusters=3)[0]
