"""`score toy`: the share of events that the caption states."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.systems.toy.events import SYSTEM, judged_events

from annotation.records.runs import Evaluation
from annotation.reports.report_type import Options, Report
from annotation.store.benchmark_of_evaluation import find_of
from annotation.store.store import Store

POLICIES = {"parsed": "events with a verdict that can be read"}


def toy_reports(store: Store, options: Options) -> list[Report]:
    """Raises NotFound, UsageError."""
    return [toy_report(store, find_of(store, SYSTEM, options.evaluation or ""))]


def toy_report(store: Store, evaluation: Evaluation) -> dict[str, Any]:
    """Return one row for each video, and one for all."""
    found = judged_events(store, evaluation.id)
    videos = sorted({one.element.video_id for one in found})
    groups = [({}, found), *(({"video": v}, [o for o in found if o.element.video_id == v]) for v in videos)]
    rows = []
    for group, events in groups:
        hits = sum(one.now.value["label"] == "entailment" for one in events)
        rows.append(
            {
                "group": group,
                "policy": "parsed",
                "metric": "stated",
                "value": hits / len(events) if events else None,
                "n": len(events),
                "of": len(events),
                "low": None,
                "high": None,
                "videos": len(videos) if not group else 1,
                "note": "",
                "dropped": {},
            }
        )
    return {
        "system": SYSTEM,
        "evaluation": evaluation.name,
        "id": evaluation.id,
        "policies": POLICIES,
        "rows": rows,
    }


def toy_lines(found: Mapping[str, Any]) -> list[str]:
    whole = found["rows"][0]
    return [found["evaluation"], f"  stated {whole['value']:.3f} of {whole['of']} events"]
