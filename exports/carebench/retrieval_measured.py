"""Measures retrieval and ReBias of the workspace's videos with an embedding engine.

The captions are those of the current `metadata.json` export (`metadata.py`). Results are stored like an
imported file, and can be written as an npz for `score retrieval FILE`.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from annotation.intake.names_of_videos import VideoNames
from annotation.records.ids import record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.records.videos import Video
from annotation.stages.stage_context import Context, make_run
from annotation.stages.stage_spec import Plan
from annotation.store.store import Store
from annotation.systems.carebench.recall_at_k import ranked
from annotation.systems.carebench.retrieval_vectors import (
    FRAMES,
    Gathered,
    Subject,
    plan_embeddings,
    run_params,
)
from annotation.texts.which_text_counts import CountingText, dataset_of
from backends.digest import digest
from backends.errors import UsageError
from exports.carebench.metadata import KINDS, texts_to_write
from exports.carebench.retrieval_files import SETTINGS
from exports.carebench.retrieval_ranks import NAMED, SYSTEM, free_name, ranked_json
from exports.files.format_types import Wanted

FIELDS = dict(zip(SETTINGS, KINDS, strict=True))
LeftOut = Mapping[str, str]
"""`{name of a video: reason}`."""


def plan_retrieval(store: Store, frames: int | None = None, npz: Path | None = None) -> Plan:
    """Plan a pass over the videos with a file and a CaReBench caption. Other videos are listed with reasons.

    `frames` is the number of frames of each video; None: 32. `npz` is a file for the vectors. Raises
    UsageError if there are no such videos.
    """
    if frames is not None and frames < 1:
        raise UsageError("at least one frame of each video is needed")
    if npz is not None and not npz.absolute().parent.is_dir():
        raise UsageError(f"{npz.parent} does not exist; create the folder first")
    subjects, left_out = find_subjects(store)
    if not subjects:
        raise UsageError(
            "no video has both a file and a CaReBench caption; run: python app.py import "
            "metadata.json --videos FOLDER"
        )
    keep = partial(_keep, subjects=subjects, left_out=left_out, npz=npz)
    return plan_embeddings(subjects, frames or FRAMES, keep, _notes(subjects, left_out))


def find_subjects(store: Store) -> tuple[list[Subject], LeftOut]:
    """Return subjects to measure, and videos that are left out. Together they are all videos."""
    chosen = texts_to_write(Wanted(store, None, "current"))
    names = VideoNames(store, "carebench")
    subjects, left_out = [], {}
    for video in store.find(Video, order_by=["created_at", "id"]):
        texts = _words(chosen.get(video.id, {}))
        name = names.file_name(video.id, dataset_of(chosen.get(video.id, {}).values()))
        if not texts:
            left_out[name] = "no CaReBench caption"
        elif not video.path or video.facts is None:
            left_out[name] = "no file"
        else:
            subjects.append(Subject(video, name, texts))
    return subjects, left_out


def _words(found: Mapping[str, CountingText]) -> dict[str, str]:
    """Return the texts by setting, without machine drafts."""
    words = {setting: found[field] for setting, field in FIELDS.items() if field in found}
    return {s: one.value for s, one in words.items() if one.writer.kind != "run" and one.value.strip()}


def _notes(subjects: Sequence[Subject], left_out: LeftOut) -> list[str]:
    notes = [f"{len(subjects)} of {len(subjects) + len(left_out)} videos have a file and a caption"]
    for setting in SETTINGS:
        lacking = [one.name for one in subjects if setting not in one.texts]
        if lacking:
            notes.append(
                f"{len(lacking)} without a {_caption(setting)}: {', '.join(lacking[:8])}"
                + (" ..." if len(lacking) > 8 else "")
            )
    return notes


def _caption(setting: str) -> str:
    return {"general": "full caption"}.get(setting, f"{setting} caption")


def _keep(
    context: Context, gathered: Gathered, *, subjects: Sequence[Subject], left_out: LeftOut, npz: Path | None
) -> Evaluation:
    """Store the ranks as an evaluation. The same captions and vectors give the same evaluation."""
    if npz is not None:
        write_npz(gathered, npz)
    store: Store = context.store
    lacking = {
        f"{one.name}: {_caption(name)}": "not written"
        for one in subjects
        for name in SETTINGS
        if name not in one.texts
    }
    words = digest({one.name: dict(one.texts) for one in subjects})
    run = _run(gathered, words, {**left_out, **gathered.lost, **lacking})
    evaluation_id = record_id("evl", "retrieval", run.id)
    link = EvaluationRun(
        id=record_id("evr", evaluation_id, run.id),
        evaluation_id=evaluation_id,
        role="verdicts",
        run_id=run.id,
    )
    with store.writing():
        evaluation = Evaluation(
            id=evaluation_id,
            name=free_name(store, evaluation_id, f"{NAMED}{run.model}", run.id[-4:]),
            created_at=time.time(),
            baseline=run.baseline,
            note=f"measured with {run.backend}, {gathered.frames} frames of each video",
        )
        store.add([run, evaluation, link])
        return store.get(Evaluation, evaluation_id)


def _run(gathered: Gathered, words: str, left_out: LeftOut) -> Run:
    """Return the run. `words` is the hash of the captions."""
    engine = gathered.engine
    ranks = {setting.name: ranked_json(ranked(setting)) for setting in gathered.settings()}
    vectors = [gathered.rows.tobytes().hex(), *(rows.tobytes().hex() for _, rows in gathered.texts.values())]
    params: dict[str, Any] = {
        "system": SYSTEM,
        **run_params(gathered),
        "captions": words,
        "vectors": digest(*vectors),
        "ranks": ranks,
        "cut": gathered.cut,
        "texts": sum(len(homes) for homes, _ in gathered.texts.values()),
        "left_out": dict(left_out),
    }
    return make_run(
        "retrieval",
        backend=engine.backend,
        model=engine.model,
        endpoint=engine.endpoint,
        prompt_hash=engine.prompt_hash,
        baseline=engine.baseline,
        params=params,
    )


def write_npz(gathered: Gathered, path: Path) -> None:
    """Write the vectors for `retrieval_files.py`, one prefix per setting. Raises UsageError."""
    arrays: dict[str, NDArray[Any]] = {
        "video_embeddings": gathered.rows,
        "video_ids": np.array(gathered.videos),
    }
    for setting, (homes, rows) in gathered.texts.items():
        arrays |= {f"{setting}_text_embeddings": rows, f"{setting}_text_ids": np.array(homes)}
    try:
        with path.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]  # numpy's stub declares other keywords
    except OSError as error:
        raise UsageError(f"cannot write {path} ({error.strerror}); choose another file") from error
