"""The other benchmarks on the Scores page: a table in long form each, drawn by one shared module.

A system is one entry of `SCORE_SYSTEMS`. It provides only data: rows as printed by `python app.py score`,
descriptions of its metrics and policies, and lists of things to look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation
from annotation.reports.unfinished_runs import marked
from annotation.store.benchmark_of_evaluation import evaluations_of
from annotation.store.store import Store
from ui.pages.scores.benchmark_type import ScoreSystem, Table
from ui.pages.scores.capst_view import CAPST
from ui.pages.scores.framecap_view import FRAMECAP
from ui.pages.scores.retrieval_view import RETRIEVAL
from ui.pages.scores.view import rounded
from ui.pages.scores.vript_hard_view import HARD
from ui.pages.scores.wire_types import Metric, SystemChoice, SystemName, SystemTable

__all__ = ["SCORE_SYSTEMS", "Metric", "ScoreSystem", "Table", "system_json", "systems_json"]

SCORE_SYSTEMS: dict[str, ScoreSystem] = {"capst": CAPST, "retrieval": RETRIEVAL, **HARD, **FRAMECAP}
"""By the name in the address: `?system=capst`. In the order of the switch, after VDC."""


def systems_json(store: Store) -> list[SystemName]:
    """The switch: every system, and its number of evaluations."""
    return [
        {"name": name, "title": system.title, "evaluations": len(_evaluations(store, system))}
        for name, system in SCORE_SYSTEMS.items()
    ]


def system_json(
    store: Store, name: str, evaluation_id: str = "", chosen: Mapping[str, str] | None = None
) -> SystemTable:
    """One system's table for an evaluation; the newest by default. Raises NotFound."""
    if name not in SCORE_SYSTEMS:
        raise NotFound(f"no system {name!r}; there are {', '.join(SCORE_SYSTEMS) or 'none'}")
    system = SCORE_SYSTEMS[name]
    found = _evaluations(store, system)
    page: SystemTable = {
        "system": name,
        "title": system.title,
        "evaluations": [{"id": e.id, "name": e.name, "baseline": e.baseline} for e in found],
        "start": system.start,
        "measures": system.measures,
        "choices": _choices(system, chosen or {}),
        "rows": [],
        "id": "",
    }
    if not found:
        return page
    shown = next((e for e in found if e.id == evaluation_id), found[0])
    table = system.table(store, shown, {name: each["chosen"] for name, each in page["choices"].items()})
    return {
        **page,
        "rows": rounded(marked(store, {"id": shown.id, "rows": table.rows})["rows"]),
        "id": shown.id,
        "evaluation": shown.name,
        "baseline": shown.baseline,
        "judges": list(table.judges),
        "policies": dict(table.policies),
        "about": table.about,
        "metrics": table.metrics,
        "lists": list(table.lists),
    }


def _evaluations(store: Store, system: ScoreSystem) -> Sequence[Evaluation]:
    return system.evaluations(store) if system.evaluations else evaluations_of(store, *system.systems)


def _choices(system: ScoreSystem, chosen: Mapping[str, str]) -> dict[str, SystemChoice]:
    """The options of each choice and the selected one: the first unless the address names another."""
    return {
        name: {
            "options": dict(options),
            "chosen": chosen[name] if chosen.get(name) in options else next(iter(options)),
        }
        for name, options in (system.choices or {}).items()
    }
