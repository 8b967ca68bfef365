"""What an evaluation of retrieval holds: the rank of each query's best match, or published recalls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from annotation.records import Evaluation, Json, Run
from annotation.scores.retrieval import DIRECTIONS, Ranked, Ranks
from annotation.store.capst_sides import runs_of_evaluation
from annotation.store.store import Store
from exports.retrieval_files import Recalls, RecallSheet

SYSTEM = "rebias"
"""What its runs carry in `params["system"]`."""


def held(store: Store, evaluation: Evaluation) -> dict[str, Ranked] | RecallSheet:
    """The ranks by setting, or the recalls, of an evaluation of retrieval."""
    runs = store.find(Run, id=runs_of_evaluation(store, evaluation.id).get("verdicts", []))
    params: dict[str, Any] = dict(runs[-1].params) if runs else {}
    if "recalls" in params:
        return _sheet(params["recalls"])
    return {name: _ranked(name, each) for name, each in params.get("ranks", {}).items()}


def ranked_json(found: Ranked) -> Json:
    return {
        "videos": list(found.videos), "home": found.home.tolist(),
        **{d: [array.tolist() for array in (found.of(d).above, found.of(d).tied, found.of(d).positives)]
           for d in DIRECTIONS},
    }  # fmt: skip


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
