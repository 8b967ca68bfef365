"""Read text in pictures with RapidOCR: PP-OCRv6 (small) on onnxruntime, with the weights of its package.

The weights cover accented Latin letters, unaccented Greek letters, mathematical symbols, Chinese and
Japanese, but not Hangul or Cyrillic.
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
"""Weights of the detection and the recognition model."""
MIN_SCORE = 0.8
MIN_CHARACTERS = 2
"""Minimum length of a line: twigs and wheels are read as single letters, with scores around 0.6."""
SAME_SHAPE = str.maketrans({"\u2206": "\u0394", "\u2126": "\u03a9", "\u00b5": "\u03bc"})
"""Replaces the symbols for increment, ohm and micro by the Greek letters that people and models write."""
THREADS = 2
"""More threads are hardly faster for one picture, and would slow down other work."""


class RapidOcrReader:
    """Reads one picture at a time; the weights are loaded once. Thread-safe."""

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
    """Load the engine. Raises BackendUnavailable if the package or its weights are missing."""
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
            "Global.use_cls": False,  # it wrongly rotates short lines that look upside down
            # Explicit paths prevent a search and a download.
            "Det.model_path": str(finder),
            "Rec.model_path": str(recogniser),
            "EngineConfig.onnxruntime.intra_op_num_threads": min(THREADS, os.cpu_count() or 1),
        }
    )


def _weights() -> tuple[Path, Path]:
    """Return the paths of both weights. Raises BackendUnavailable if the package lacks them."""
    import rapidocr

    folder = Path(rapidocr.__file__).parent / "models"
    for name in WEIGHTS:
        if not (folder / name).is_file():
            raise BackendUnavailable(f"{folder / name} is missing: {INSTALL} --force-reinstall")
    return folder / WEIGHTS[0], folder / WEIGHTS[1]


def _box(corners: npt.NDArray[np.float32], width: int, height: int) -> tuple[float, float, float, float]:
    """Return the upright rectangle around four corners in pixels, as shares of the picture."""
    left, top = corners.min(axis=0) / (width, height)
    right, bottom = corners.max(axis=0) / (width, height)
    inside = [round(min(1.0, max(0.0, float(edge))), 4) for edge in (left, top, right, bottom)]
    return inside[0], inside[1], inside[2], inside[3]
