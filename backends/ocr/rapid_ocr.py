"""Text in pictures with RapidOCR: PP-OCRv6 (small) by onnxruntime. The weights are inside its package.

They know Latin letters with their accents, plain Greek letters, signs of formulas, Chinese and Japanese; no
Hangul and no Cyrillic.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from backends.errors import BackendUnavailable
from backends.protocols import Picture, ScreenLine

INSTALL = "pip install 'rapidocr>=3.10,<4'"
MODEL = "PP-OCRv6-small"
WEIGHTS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")
"""For finding lines, and for reading them."""
MIN_SCORE = 0.8
MIN_CHARACTERS = 2
"""Twigs and wheels are taken for single letters, with scores around 0.6."""
SAME_SHAPE = str.maketrans({"\u2206": "\u0394", "\u2126": "\u03a9", "\u00b5": "\u03bc"})
"""Signs for increment, ohm and micro, as the Greek letters that people type and models write."""
THREADS = 2
"""More than two are hardly quicker on one picture, and the machine has other work."""


class RapidOcrReader:
    """Thread-safe: the weights are loaded once, and one picture is read at a time."""

    name = f"rapidocr:{MODEL}"

    def __init__(self) -> None:
        self._engine: Any = None
        self._lock = Lock()

    @property
    def params(self) -> Mapping[str, Any]:
        return {"min_score": MIN_SCORE, "min_characters": MIN_CHARACTERS}

    def check(self) -> str:
        try:
            number = version("rapidocr")
        except PackageNotFoundError:
            raise BackendUnavailable(f"RapidOCR is not installed: {INSTALL}, or pass --ocr none") from None
        _weights()
        return f"rapidocr {number}, {MODEL} from its package"

    def read(self, picture: Picture) -> tuple[ScreenLine, ...]:
        with self._lock:
            if self._engine is None:
                self._engine = _load()
            found = self._engine(np.ascontiguousarray(picture[:, :, ::-1]))
        if not found.txts:
            return ()
        height, width = picture.shape[:2]
        lines = zip(found.txts, found.scores, found.boxes, strict=True)
        return tuple(
            ScreenLine(text.strip().translate(SAME_SHAPE), float(score), _box(corners, width, height))
            for text, score, corners in lines
            if score >= MIN_SCORE and len("".join(text.split())) >= MIN_CHARACTERS
        )


def _load() -> Any:
    """Raises BackendUnavailable without the package or its weights."""
    try:
        from rapidocr import RapidOCR
    except ImportError as error:
        raise BackendUnavailable(
            f"RapidOCR cannot be loaded ({error}): {INSTALL}, or pass --ocr none"
        ) from error
    finder, recogniser = _weights()
    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,  # turns lines that it takes for upside down, short ones wrongly
            # Named, so that nothing is looked for elsewhere or fetched.
            "Det.model_path": str(finder),
            "Rec.model_path": str(recogniser),
            "EngineConfig.onnxruntime.intra_op_num_threads": min(THREADS, os.cpu_count() or 1),
        }
    )


def _weights() -> tuple[Path, Path]:
    """Raises BackendUnavailable where the package does not have them."""
    import rapidocr

    folder = Path(rapidocr.__file__).parent / "models"
    for name in WEIGHTS:
        if not (folder / name).is_file():
            raise BackendUnavailable(f"{folder / name} is missing: {INSTALL} --force-reinstall")
    return folder / WEIGHTS[0], folder / WEIGHTS[1]


def _box(corners: npt.NDArray[np.float32], width: int, height: int) -> tuple[float, float, float, float]:
    """The upright rectangle around four corners in pixels, in shares of the picture."""
    left, top = corners.min(axis=0) / (width, height)
    right, bottom = corners.max(axis=0) / (width, height)
    inside = [round(min(1.0, max(0.0, float(edge))), 4) for edge in (left, top, right, bottom)]
    return inside[0], inside[1], inside[2], inside[3]
