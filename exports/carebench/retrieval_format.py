"""`retrieval`: ranks of each query's best match, stored for the Scores page.

Read from an npz of similarities or embeddings, or a JSON of published recalls (`retrieval_files.py`); written
as recalls. Ranks are stored instead of an npz file's vectors, because all figures follow from them.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from annotation.records.ids import Json, record_id
from annotation.records.runs import Evaluation, EvaluationRun, Run
from annotation.store.benchmark_of_evaluation import evaluations_of, find_of
from annotation.store.store import Store
from annotation.systems.carebench.recall_at_k import Ranked, ranked, recalls
from backends.errors import UsageError
from exports.carebench.retrieval_files import (
    SETTINGS,
    Recalls,
    RecallSheet,
    is_recalls,
    model_of,
    read_recalls,
    read_settings,
    recalls_json,
)
from exports.carebench.retrieval_ranks import (
    NAMED,
    SYSTEM,
    free_name,
    held,
    ranked_json,
    runs_held,
    sheet_json,
)
from exports.files.format_types import Batch, Output, Source, Wanted
from exports.files.import_intake import Intake
from exports.files.read_text_and_json import ZIP, Head, content_hash

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
    """Read one evaluation per model of a JSON file, or one of an npz file. Raises FormatError."""
    intake = Intake(source, NAME, system="carebench")
    key = content_hash(source.path)[:20]
    if is_recalls(source.path):
        for number, sheet in enumerate(read_recalls(source.path)):
            _add(intake, source, f"{key}-{number}", sheet.model, {"recalls": sheet_json(sheet)})
    else:
        found = {setting.name: ranked_json(ranked(setting)) for setting in read_settings(source.path)}
        model = model_of(source.path) if len(found) == 1 else source.path.stem
        _add(intake, source, key, model, {"ranks": found})
    return intake.batch()


def _add(intake: Intake, source: Source, key: str, model: str, params: Mapping[str, Json]) -> None:
    run = Run(
        id=record_id("run", "retrieval", key),
        stage="retrieval",
        backend=f"import:{source.path.name}",
        model=model,
        created_at=intake.now,
        params={"system": SYSTEM, **params},
    )
    evaluation = _evaluation(intake, source, key, run)
    intake.add(run)
    intake.add(evaluation)
    intake.add(
        EvaluationRun(
            id=record_id("evr", evaluation.id, run.id),
            evaluation_id=evaluation.id,
            role="verdicts",
            run_id=run.id,
        )
    )


def _evaluation(intake: Intake, source: Source, key: str, run: Run) -> Evaluation:
    """Return the run's evaluation, else the evaluation of this model with other settings, else a new one."""
    own = record_id("evl", "retrieval", key)
    name = f"{NAMED}{run.model}"
    if source.store:
        links = source.store.find(EvaluationRun, run_id=run.id)
        found = source.store.find(Evaluation, id=[link.evaluation_id for link in links]) if links else []
        # With several runs of the model the file cannot be assigned to one, so it gets its own evaluation.
        if found or len(found := _other_half(source.store, run)) == 1:
            return found[0]
        name = free_name(source.store, own, name, key[:4])
    return Evaluation(id=own, name=name, created_at=intake.now, note=f"from {source.path.name}")


def _other_half(store: Store, run: Run) -> list[Evaluation]:
    """Return evaluations of the model from files of other settings, such as `CaRe_temporal.npz`."""
    ranks = run.params.get("ranks")
    return [
        evaluation
        for evaluation in evaluations_of(store, SYSTEM)
        if ranks
        and (runs := runs_held(store, evaluation.id))
        and all(_joins(other, run.model, ranks) for other in runs)
    ]


def _joins(other: Run, model: str, ranks: Mapping[str, Json]) -> bool:
    there: Mapping[str, Json] = other.params.get("ranks") or {}
    imported = other.backend.startswith("import:")
    return imported and other.model == model and bool(there) and not there.keys() & ranks.keys()


# --- writing --------------------------------------------------------------------------------


def write(wanted: Wanted) -> Iterator[Output]:
    """Write the recalls of an evaluation, with ties in random order. Raises NotFound, UsageError."""
    evaluation = find_of(wanted.store, SYSTEM, wanted.evaluation_id or "")
    found = held(wanted.store, evaluation)
    sheet = found if isinstance(found, RecallSheet) else _measured(evaluation.name, found)
    yield "", [recalls_json(sheet), "\n"]


def _measured(name: str, found: Mapping[str, Ranked]) -> RecallSheet:
    if not found:
        raise UsageError(f"{name} has neither ranks nor recalls; import its file again")
    settings = {key: _recalls(recalls(found[key])) for key in SETTINGS if key in found}
    return RecallSheet(name.removeprefix(NAMED), settings)


def _recalls(each: Mapping[Any, float]) -> Recalls:
    values: Sequence[float] = [value for value in each.values() if value == value]
    return Recalls(sum(values) / len(values) if values else 0.0, {k: v for k, v in each.items() if v == v})
