"""`retrieval`: where each query's best match stands, kept so that the page Scores can show it.

Read from an npz of similarities or embeddings, or a JSON of published recalls (`exports.retrieval_files`);
written as recalls. Of an npz the ranks are kept and not the vectors: every figure follows from them.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.errors import UsageError
from annotation.records import Evaluation, EvaluationRun, Json, Run, record_id
from annotation.scores.retrieval import Ranked, ranked, recalls
from annotation.store.systems import find_of
from exports.batch import Batch, Output, Source, Wanted
from exports.intake import Intake
from exports.reading import ZIP, Head
from exports.retrieval_files import (
    SETTINGS,
    Recalls,
    RecallSheet,
    is_recalls,
    read_recalls,
    read_settings,
    recalls_json,
)
from exports.retrieval_kept import SYSTEM, held, ranked_json, sheet_json

NAME = "retrieval"


def recognise(head: Head) -> bool:
    if head.text == ZIP:
        return _is_npz(head)
    first = head.first
    if not isinstance(first, dict):
        return False
    inner = first.get("recalls")
    settings: dict[str, Json] = inner if isinstance(inner, dict) else first
    return {"spatial", "temporal"} <= settings.keys() and not isinstance(settings["spatial"], str)


def _is_npz(head: Head) -> bool:
    try:
        with zipfile.ZipFile(head.path) as file:
            names = file.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
    ends = ("similarity.npy", "text_embeddings.npy")
    return any(name.endswith(ends) for name in names)


def read(source: Source) -> Batch:
    """One evaluation per model of a JSON, one of an npz. Raises FormatError."""
    intake = Intake(source, NAME, system="carebench")
    key = hashlib.sha256(source.path.read_bytes()).hexdigest()[:20]
    if is_recalls(source.path):
        for number, sheet in enumerate(read_recalls(source.path)):
            _add(intake, source, f"{key}-{number}", sheet.model, {"recalls": sheet_json(sheet)})
    else:
        found = {setting.name: ranked_json(ranked(setting)) for setting in read_settings(source.path)}
        _add(intake, source, key, source.path.stem, {"ranks": found})
    return intake.batch()


def _add(intake: Intake, source: Source, key: str, model: str, params: Mapping[str, Json]) -> None:
    run = Run(id=record_id("run", "retrieval", key), stage="retrieval", backend=f"import:{source.path.name}",
              model=model, created_at=intake.now, params={"system": SYSTEM, **params})  # fmt: skip
    evaluation_id = record_id("evl", "retrieval", key)
    name = f"retrieval: {model}"
    if source.store and any(e.id != evaluation_id for e in source.store.find(Evaluation, name=name)):
        name = f"{name} ({key[:4]})"
    intake.add(run)
    intake.add(
        Evaluation(id=evaluation_id, name=name, created_at=intake.now, note=f"from {source.path.name}")
    )
    intake.add(EvaluationRun(id=record_id("evr", evaluation_id, run.id), evaluation_id=evaluation_id,
                             role="verdicts", run_id=run.id))  # fmt: skip


# --- writing --------------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """The recalls of an evaluation, ties counted by chance. Raises NotFound, UsageError."""
    evaluation = find_of(wanted.store, SYSTEM, wanted.evaluation_id or "")
    found = held(wanted.store, evaluation)
    sheet = found if isinstance(found, RecallSheet) else _measured(evaluation.name, found)
    yield "", [recalls_json(sheet), "\n"]


def _measured(name: str, found: Mapping[str, Ranked]) -> RecallSheet:
    if not found:
        raise UsageError(f"{name} holds no ranks and no recalls; import its file again")
    settings = {key: _recalls(recalls(found[key])) for key in SETTINGS if key in found}
    return RecallSheet(name.removeprefix("retrieval: "), settings)


def _recalls(each: Mapping[Any, float]) -> Recalls:
    values: Sequence[float] = [value for value in each.values() if value == value]
    return Recalls(sum(values) / len(values) if values else 0.0, {k: v for k, v in each.items() if v == v})
