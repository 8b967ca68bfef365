"""Stored results of retrieval: the rank of each query's best match, or published recalls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from annotation.records.ids import Json
from annotation.records.runs import Evaluation, Run
from annotation.store.store import Store
from annotation.systems.carebench.judged_elements import runs_of_evaluation
from annotation.systems.carebench.recall_at_k import DIRECTIONS, Ranked, Ranks
from exports.carebench.retrieval_files import SETTINGS, Recalls, RecallSheet

SYSTEM = "rebias"
"""Value of `params["system"]` of its runs."""


NAMED = "retrieval: "
"""Beginning of its evaluations' names, before the model."""


def runs_held(store: Store, evaluation_id: str) -> list[Run]:
    """Return the evaluation's runs, one per file of one model, oldest first."""
    ids = runs_of_evaluation(store, evaluation_id).get("verdicts", [])
    return store.find(Run, id=ids, order_by=["created_at", "id"]) if ids else []


def held(store: Store, evaluation: Evaluation) -> dict[str, Ranked] | RecallSheet:
    """Return an evaluation's ranks by setting, or its recalls."""
    found: dict[str, Any] = {}
    for run in runs_held(store, evaluation.id):
        if "recalls" in run.params:
            return _sheet(run.params["recalls"])
        found |= run.params.get("ranks", {})
    return {name: _ranked(name, found[name]) for name in SETTINGS if name in found}


def free_name(store: Store, evaluation_id: str, name: str, mark: str) -> str:
    """Return the name, with a suffix if another evaluation has it."""
    taken = any(one.id != evaluation_id for one in store.find(Evaluation, name=name))
    return f"{name} ({mark})" if taken else name


def facts_of(store: Store, evaluation: Evaluation) -> list[str]:
    """Return lines on the origin of an evaluation; empty for a single file."""
    runs = runs_held(store, evaluation.id)
    found = [
        f"{', '.join(run.params['ranks'])} from {run.backend.removeprefix('import:')}"
        for run in runs
        if len(runs) > 1
    ]
    for run in runs:
        params = run.params
        if "frames" in params:
            found.append(
                f"embedder {run.backend}: up to {params['frames']} frames of each video, {params['how']}"
            )
            if params["cut"]:
                found.append(
                    f"{params['cut']} of {params['texts']} texts exceed the model's limit and are cut"
                )
    return found


def left_out_of(store: Store, evaluation: Evaluation) -> dict[str, str]:
    """Return `{video or caption: reason}` for those left out of a measured evaluation."""
    runs = runs_held(store, evaluation.id)
    return {name: str(why) for run in runs for name, why in run.params.get("left_out", {}).items()}


def ranked_json(found: Ranked) -> Json:
    return {
        "videos": list(found.videos),
        "home": found.home.tolist(),
        **{
            d: [array.tolist() for array in (found.of(d).above, found.of(d).tied, found.of(d).positives)]
            for d in DIRECTIONS
        },
    }


def _ranked(name: str, value: Mapping[str, Any]) -> Ranked:
    each = {d: Ranks(*(np.array(column, dtype=np.int64) for column in value[d])) for d in DIRECTIONS}
    home = np.array(value["home"], dtype=np.int64)
    return Ranked(name, tuple(value["videos"]), each["t2v"], each["v2t"], home)


def sheet_json(sheet: RecallSheet) -> Json:
    settings = {
        name: {"mean": found.mean, "each": [[d, k, value] for (d, k), value in found.each.items()]}
        for name, found in sheet.settings.items()
    }
    return {"model": sheet.model, "settings": settings, "captioning_f1": sheet.captioning_f1}


def _sheet(value: Mapping[str, Any]) -> RecallSheet:
    settings = {
        name: Recalls(each["mean"], {(d, k): number for d, k, number in each["each"]})
        for name, each in value["settings"].items()
    }
    return RecallSheet(value["model"], settings, value.get("captioning_f1"))
