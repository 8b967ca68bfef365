"""Embedded engine: compares colour words in texts with colours in frames.

It needs no model and is deterministic, for trying retrieval pages and files. Its results are marked as a
baseline. A text without colour words is equally similar to every video, so its rank is left to chance. It
is also a plain case of the bias that ReBias measures: colours describe objects, not actions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from backends.embeddings.normalise_and_average import BASELINE
from backends.measurements.main_colours import main_colours
from backends.protocols import Embedded, Picture

COLOURS = (
    "black",
    "grey",
    "white",
    "red",
    "orange",
    "brown",
    "beige",
    "yellow",
    "olive",
    "green",
    "teal",
    "cyan",
    "blue",
    "purple",
    "magenta",
    "pink",
)
_SAME = {"gray": "grey", "golden": "yellow", "gold": "yellow", "silver": "grey", "violet": "purple"}
_WORD = re.compile(r"[a-z]+")
_FLOOR = 0.05
"""Value of an extra dimension, so that the vector of a text without colours is not zero."""


class ColourWords:
    """Shares of basic colours; "dark green" and "light green" count as green."""

    backend = model = BASELINE
    endpoint = prompt_hash = ""
    baseline = True
    how = "shares of named colours, the mean over the frames"
    key = "colour-words-1"
    concurrency = 1

    def check(self) -> str:
        return "the embedded engine: compares colour words with colours in frames"

    def texts(self, texts: Sequence[str]) -> Embedded:
        return Embedded(np.array([_of_text(text) for text in texts]).reshape(len(texts), -1))

    def videos(self, videos: Sequence[Sequence[Picture]]) -> Embedded:
        rows = [np.mean([_of_picture(picture) for picture in frames], axis=0) for frames in videos]
        return Embedded(np.array(rows).reshape(len(videos), -1))

    def close(self) -> None:
        return None


def _of_text(text: str) -> NDArray[np.float64]:
    found = [_SAME.get(word, word) for word in _WORD.findall(text.lower())]
    counts = np.array([found.count(colour) for colour in COLOURS], np.float64)
    return np.append(counts / max(1.0, counts.sum()), _FLOOR)


def _of_picture(picture: Picture) -> NDArray[np.float64]:
    shares = dict.fromkeys(COLOURS, 0.0)
    for colour in main_colours(picture):
        shares[colour.name.split()[-1]] += colour.share
    return np.append(list(shares.values()), _FLOOR)
