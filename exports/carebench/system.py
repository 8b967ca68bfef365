"""CaReBench, CapST and retrieval: formats and reports."""

from __future__ import annotations

from annotation.reports.report_type import System
from exports.carebench import capst_report, retrieval_report
from exports.carebench.formats import FORMATS
from exports.carebench.retrieval_measured import plan_retrieval
from exports.files.export_system import ExportSystem

_MEASURED = ("frames", "npz")

SYSTEM = ExportSystem(
    FORMATS,
    reports=(
        System(
            "capst",
            "CapST: events and objects of captions, by entailment (CaReBench)",
            capst_report.capst_reports,
            capst_report.lines,
        ),
        System(
            "retrieval",
            "retrieval: R@1, 5, 10 in both directions, and the unified score (CaReBench)",
            retrieval_report.retrieval_reports,
            retrieval_report.lines,
            imports=False,
            options=_MEASURED,
            measure=plan_retrieval,
        ),
        System(
            "rebias",
            "ReBias: how far temporal retrieval falls behind spatial (CaReBench)",
            retrieval_report.rebias_reports,
            retrieval_report.lines,
            imports=False,
            options=_MEASURED,
            measure=plan_retrieval,
        ),
    ),
)
