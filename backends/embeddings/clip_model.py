"""sentence-transformers models that embed texts and pictures in one space, such as CLIP."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from backends.digest import digest
from backends.embeddings.normalise_and_average import MEAN, mean_of_frames
from backends.errors import BackendUnavailable
from backends.protocols import Embedded, Picture

BATCH = 32


class ClipModel:
    """A model given by name or folder; it must be on this machine, nothing is downloaded.

    The vector of a video is the mean of its frames' vectors, each normalised to length 1. The model truncates
    longer texts; `Embedded.cut` reports them.
    """

    endpoint = prompt_hash = ""
    baseline = False
    how = MEAN
    concurrency = 1

    def __init__(self, spec: str) -> None:
        """Load the model. Raises BackendUnavailable with the command to type."""
        self.backend = spec
        self.model = spec.rstrip("/").rsplit("/", 1)[-1]
        self._library = _library(spec)
        self._engine: Any = _loaded(self._library, spec)
        self._require_pictures()
        self._lock = Lock()
        self.key = digest("sentence-transformers", version("sentence-transformers"), _files(spec))

    def _require_pictures(self) -> None:
        modalities = getattr(self._engine, "modalities", None)
        if modalities is not None and "image" not in modalities:
            raise BackendUnavailable(
                f"{self.backend} does not accept pictures; choose a model for text and pictures, "
                "such as clip-ViT-B-32"
            )

    def check(self) -> str:
        return f"{self.model}, texts of up to {self._engine.max_seq_length} tokens"

    def texts(self, texts: Sequence[str]) -> Embedded:
        with self._lock:
            rows = self._encode(list(texts))
            return Embedded(rows, tuple(self._too_long(text) for text in texts))

    def _too_long(self, text: str) -> bool:
        most = self._engine.max_seq_length
        return most is not None and len(self._engine.tokenizer(text, verbose=False)["input_ids"]) > most

    def videos(self, videos: Sequence[Sequence[Picture]]) -> Embedded:
        pictures = importlib.import_module("PIL.Image")
        flat = [pictures.fromarray(picture) for frames in videos for picture in frames]
        with self._lock:
            rows = self._encode(flat)
        ends = np.cumsum([len(frames) for frames in videos])
        return Embedded(np.array([mean_of_frames(part, self.model) for part in np.split(rows, ends[:-1])]))

    def _encode(self, things: list[Any]) -> Any:
        found = self._engine.encode(things, batch_size=BATCH, show_progress_bar=False)
        return np.asarray(found, np.float64)

    def close(self) -> None:
        self._engine = None


def _library(spec: str) -> Any:
    if not find_spec("sentence_transformers"):
        raise BackendUnavailable(
            f"embeddings with {spec} need sentence-transformers; type: pip install sentence-transformers "
            "(or name a server: http://host:port/v1#model)"
        )
    return importlib.import_module("sentence_transformers")


def _loaded(library: Any, spec: str) -> Any:
    try:
        return library.SentenceTransformer(spec, local_files_only=True)
    except (OSError, ValueError) as error:
        owner = spec if "/" in spec else f"sentence-transformers/{spec}"
        raise BackendUnavailable(
            f"{spec} is not on this machine; name a folder that contains it, or download it with: "
            f"hf download {owner}"
        ) from error


def _files(spec: str) -> list[list[object]]:
    """Identify the state of a folder by its files' names, sizes and times; a model name by itself."""
    folder = Path(spec)
    if not folder.is_dir():
        return [[spec]]
    found = [
        (file.relative_to(folder).as_posix(), file.stat())
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    ]
    return [[name, stat.st_size, stat.st_mtime_ns] for name, stat in found]
