"""The toy benchmark on the pages."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.systems.toy.events import SYSTEM as NAME
from exports.toy.report import toy_report
from ui.systems.toy.items import EVENTS

from annotation.records.runs import Evaluation
from annotation.store.store import Store
from ui.lib.score_system import ScoreSystem, Table
from ui.lib.score_wire_types import Metric
from ui.lib.system_view import SystemView


def table(store: Store, evaluation: Evaluation, _chosen: Mapping[str, str]) -> Table:
    found = toy_report(store, evaluation)
    metrics = {"stated": Metric("stated", "share of the reference's events that the caption states")}
    return Table(found["rows"], found["policies"], metrics)


SCORES = ScoreSystem(
    name="toy",
    title="Toy",
    systems=(NAME,),
    table=table,
    start="Import a toy file, then run the stages toy_captions and toy_verdicts.",
)
SYSTEM = SystemView(name="toy", scores=(SCORES,), items=(EVENTS,))
