"""Imported frame embeddings, made by other programs: one set per video and name."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.records.errors import NotFound
from annotation.records.ids import Json
from annotation.records.videos import Measurement
from annotation.store.store import Store
from annotation.systems.progress_captioner.keyframe_rows_by_method import Vectors

KIND = "frame_embeddings"
"""Kind of the measurement that holds embeddings; its subject is the video."""


def pack(
    name: str, vectors: npt.NDArray[Any], *, frames: Sequence[int] = (), seconds: Sequence[float] = ()
) -> Json:
    """Pack (n, d) vectors as a measurement's value, normalised to length 1 and stored as float16.

    `frames` are frame indices. `seconds` are times, for frames whose indices are unknown.
    Raises ValueError if the vectors are invalid.
    """
    rows = np.asarray(vectors, np.float32)
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise ValueError("embeddings must be finite numbers in an array of (frames, dimensions)")
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    data = base64.b64encode(rows.astype("<f2").tobytes()).decode()
    return {
        "name": name,
        "shape": list(rows.shape),
        "data": data,
        "frames": [int(i) for i in frames],
        "seconds": [float(s) for s in seconds],
    }


def unpack(value: Json) -> Vectors:
    """Return (n, d) vectors of length 1."""
    rows = np.frombuffer(base64.b64decode(value["data"]), "<f2").reshape(value["shape"]).astype(np.float32)
    return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), np.float32)


def embedding_names(store: Store, video_id: str) -> list[str]:
    return sorted({str(found.value["name"]) for found in _find(store, video_id)})


def embeddings_at(
    store: Store, video_id: str, name: str, frames: Sequence[tuple[int, float | None]]
) -> Vectors:
    """(n, d) vectors for frames given as index and seconds: exact embeddings, or the nearest in time.

    Raises NotFound if a frame has no embedding.
    """
    value = next((m.value for m in reversed(_find(store, video_id)) if m.value["name"] == name), None)
    if value is None:
        raise NotFound(f"embeddings {name!r} of this video not found")
    vectors = unpack(value)
    if value["frames"]:
        place = {int(index): n for n, index in enumerate(value["frames"])}
        return vectors[[_known(place.get(index), index, name) for index, _ in frames]]
    times = np.asarray(value["seconds"])
    reach = float(np.median(np.diff(times))) / 2 + 0.05 if len(times) > 1 else 0.5
    return vectors[[_nearest(times, reach, seconds, index, name) for index, seconds in frames]]


def _nearest(times: npt.NDArray[Any], reach: float, seconds: float | None, index: int, name: str) -> int:
    if seconds is None:
        return _known(None, index, name)
    place = int(np.abs(times - seconds).argmin())
    return _known(place if abs(times[place] - seconds) <= reach else None, index, name)


def _known(place: int | None, index: int, name: str) -> int:
    if place is None:
        raise NotFound(
            f"the embeddings {name!r} do not include frame {index}; import those of the frames shown here"
        )
    return place


def _find(store: Store, video_id: str) -> list[Measurement]:
    return store.find(Measurement, video_id=video_id, kind=KIND, order_by=["id"])
