"""Vript, Vriptor and Vript-Hard: formats and reports."""

from __future__ import annotations

from annotation.reports.report_type import System
from exports.files.export_system import ExportSystem
from exports.vript import hard_report
from exports.vript.formats import FORMATS

SYSTEM = ExportSystem(
    FORMATS,
    reports=(
        System(
            "vript-hal",
            "Vript-HAL: words of captions against two references",
            hard_report.hal_reports,
            hard_report.hal_lines,
            options=("embeddings", "tagger"),
        ),
        System(
            "vript-rr",
            "Vript-RR: questions about one scene of a long video",
            hard_report.rr_reports,
            hard_report.rr_lines,
        ),
        System(
            "vript-ero",
            "Vript-ERO: the order of three scenes",
            hard_report.ero_reports,
            hard_report.ero_lines,
        ),
    ),
)
