"""How often people chose the captions of each model in a study."""

from __future__ import annotations

from annotation.records.decisions import Study
from annotation.store.store import Store
from exports.progress_captioner.framecap_report import study_rows
from ui.lib.score_wire_types import FigureRow


class SelectionRate(FigureRow):
    runs: dict[str, str]
    """Ids of what the group names, by its keys."""


def selection_rates(store: Store, study: Study) -> list[SelectionRate]:
    return [
        {
            "group": row["group"],
            "runs": row["runs"],
            "policy": row["policy"],
            "metric": row["metric"],
            "value": row["value"],
            "n": row["n"],
            "of": row["of"],
            "low": row["low"],
            "high": row["high"],
        }
        for row in study_rows(store, study)
    ]
