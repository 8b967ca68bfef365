"""The toy benchmark: formats and reports."""

from __future__ import annotations

from exports.toy.formats import FORMATS
from exports.toy.report import toy_lines, toy_reports

from annotation.reports.report_type import System
from exports.files.export_system import ExportSystem

SYSTEM = ExportSystem(
    FORMATS, reports=(System("toy", "Toy: events that the caption states", toy_reports, toy_lines),)
)
