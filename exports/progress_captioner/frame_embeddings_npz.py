"""`frame-embeddings`: embeddings of frames from any model, as a NumPy `.npz` file.

Each video has an array `NAME` of (frames, dimensions); NAME is the video's id, title, or id in a dataset. An
array `NAME/frames` (frame indices) or `NAME/seconds` (times) gives the positions; without it there is one
embedding per second, from 0. Nothing is unpickled.
"""

from __future__ import annotations

import time
import zipfile
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.editing.display_names import videos_named
from annotation.records.errors import FormatError
from annotation.records.ids import record_id
from annotation.records.record_union import Record
from annotation.records.runs import Run
from annotation.records.videos import Measurement
from annotation.store.import_spool import Spool
from annotation.store.store import Store
from annotation.systems.progress_captioner.imported_frame_embeddings import KIND, pack
from backends.digest import digest
from backends.errors import UsageError
from exports.files.format_types import Batch, Problem, Source
from exports.files.read_text_and_json import ZIP, Head

NAME = "frame-embeddings"
RETRIEVAL = ("similarity.npy", "_embeddings.npy")
"""Arrays of the format `retrieval`, which concerns whole videos."""
MOST_NUMBERS = 50_000_000
"""Largest number of values in one file; a page cannot group more frames."""


def recognise(head: Head) -> bool:
    return head.text == ZIP and bool(_arrays_in(head))


def _arrays_in(head: Head) -> list[str]:
    if not zipfile.is_zipfile(head.path):
        return []
    with zipfile.ZipFile(head.path) as archive:
        names = archive.namelist()
    return names if all(name.endswith(".npy") and not name.endswith(RETRIEVAL) for name in names) else []


def read(source: Source) -> Batch:
    """Read one measurement per video. Raises FormatError."""
    path = source.path
    arrays = _load(source)
    run = Run(
        id=record_id("run", NAME, digest(path.stem, {k: _print(v) for k, v in sorted(arrays.items())})),
        stage="import",
        backend=f"import:{path.name}",
        model=path.stem,
        created_at=time.time(),
    )
    records: list[Record] = []
    problems = []
    for name in [key for key in arrays if not key.endswith(("/frames", "/seconds"))]:
        try:
            records.append(_measurement(source.store, run, name, arrays))
        except (UsageError, ValueError) as error:
            problems.append(Problem(f"{path.name}: {name}", str(error)))
    if not records:
        raise FormatError(
            f"{path.name}: {problems[0].what if problems else 'no arrays'}; add the videos first"
        )
    return Batch(NAME, "1", Spool.of((run, *records)), problems=tuple(problems))


def _load(source: Source) -> dict[str, npt.NDArray[Any]]:
    try:
        with np.load(source.path, allow_pickle=False) as kept:
            arrays = {key: np.asarray(kept[key]) for key in kept.files}
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise FormatError(f"{source.path.name}: not a NumPy archive of plain numbers ({error})") from error
    if sum(array.size for array in arrays.values()) > MOST_NUMBERS:
        raise FormatError(
            f"{source.path.name}: more than {MOST_NUMBERS:,} numbers; keep only the candidate frames"
        )
    return arrays


def _print(array: npt.NDArray[Any]) -> str:
    return digest(str(array.dtype), list(array.shape), array.tobytes().hex())


def _measurement(
    store: Store | None, run: Run, name: str, arrays: dict[str, npt.NDArray[Any]]
) -> Measurement:
    """Return the measurement. Raises UsageError for an unknown video, ValueError for mismatched arrays."""
    if store is None:
        raise UsageError("embeddings need the videos of a workspace; import them there")
    (video,) = videos_named(store, [name])[:1]
    vectors = arrays[name]
    frames, seconds = arrays.get(f"{name}/frames"), arrays.get(f"{name}/seconds")
    for about in (frames, seconds):
        if about is not None and about.shape != vectors.shape[:1]:
            raise ValueError(f"{len(about)} frames or times for {len(vectors)} embeddings")
    if frames is None and seconds is None:
        seconds = np.arange(len(vectors))
    value = pack(
        run.model,
        vectors,
        frames=[] if frames is None else frames.tolist(),
        seconds=[] if frames is not None or seconds is None else seconds.tolist(),
    )
    return Measurement(
        id=record_id("mea", run.id, video.id, KIND),
        video_id=video.id,
        run_id=run.id,
        subject_type="video",
        subject_id=video.id,
        kind=KIND,
        value=value,
    )
