"""The embedded engine: colours that a text names, and colours that frames have. It knows nothing else.

It needs no model and always gives the same, so that the page and the files of retrieval can be tried. Its
results are marked as a baseline. A text that names no colour is equally near to every video, which counts
by chance; and since what is seen has colours while what happens has none, it is a plain case of the bias that
ReBias measures.
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
"""In a further place of every vector, so that a text without colours has a direction, the same for all."""


class ColourWords:
    """Shares of basic colours; "dark green" and "light green" are green."""

    backend = model = BASELINE
    endpoint = prompt_hash = ""
    baseline = True
    how = "shares of named colours, the mean over the frames"
    key = "colour-words-1"
    concurrency = 1

    def check(self) -> str:
        return "the embedded engine: colour words and colours, nothing else"

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
