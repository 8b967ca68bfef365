"""`score vdc`: the report on an evaluation of VDCscore."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from annotation.reports.evaluation_report import lines
from annotation.reports.points_by_cause import BY, cause_lines, cause_report
from annotation.reports.report_on_questions import chosen_evaluations, reports_on_questions
from annotation.reports.report_type import Options
from annotation.store.store import Store

SYSTEM = "vdc"


def vdc_reports(store: Store, options: Options) -> list[dict[str, Any]]:
    """Raises NotFound, UsageError."""
    if BY in options.by:
        chosen = chosen_evaluations(store, SYSTEM, options)
        return [{"system": SYSTEM} | cause_report(store, each, options.by) for each in chosen]
    return reports_on_questions(store, options, SYSTEM, "aspect")


def vdc_lines(found: Mapping[str, Any]) -> list[str]:
    return cause_lines(found) if found.get("by") == BY else lines(found)
