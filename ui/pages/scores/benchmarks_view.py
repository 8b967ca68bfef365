"""The other benchmarks on the Scores page: a table in long form each, drawn by one shared module.

A system provides only data (`ScoreSystem`): rows as printed by `python app.py score`, descriptions of its
metrics and policies, and lists of things to look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from annotation.records.errors import NotFound
from annotation.records.runs import Evaluation
from annotation.reports.unfinished_runs import marked
from annotation.store.benchmark_of_evaluation import evaluations_of, plain_evaluations
from annotation.store.store import Store
from ui.lib.score_system import ScoreSystem
from ui.pages.scores.view import rounded
from ui.pages.scores.wire_types import SystemChoice, SystemName, SystemTable
from ui.systems.system_list import QUESTION_SYSTEMS, SYSTEMS

SCORE_SYSTEMS = {table.name: table for system in SYSTEMS for table in system.scores}
"""By the name in the address, in the order of the switch."""


def systems_json(store: Store) -> list[SystemName]:
    """The switch: the systems of questions as one, then every other table, and its number of evaluations."""
    title = ", ".join(system.title for system in QUESTION_SYSTEMS)
    others: list[SystemName] = [
        {"name": name, "title": system.title, "evaluations": len(_evaluations(store, system))}
        for name, system in SCORE_SYSTEMS.items()
    ]
    return [{"name": "", "title": title, "evaluations": len(plain_evaluations(store))}, *others]


def system_json(
    store: Store, name: str, evaluation_id: str = "", chosen: Mapping[str, str] | None = None
) -> SystemTable:
    """One system's table for an evaluation; the newest by default. Raises NotFound."""
    if name not in SCORE_SYSTEMS:
        raise NotFound(f"system {name!r} not found; choose from {', '.join(SCORE_SYSTEMS) or 'none'}")
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
