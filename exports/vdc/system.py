"""VDC and VDCscore: formats and reports."""

from __future__ import annotations

from annotation.reports.report_type import System
from exports.files.export_system import ExportSystem
from exports.vdc.formats import FORMATS
from exports.vdc.vdc_report import vdc_lines, vdc_reports

SYSTEM = ExportSystem(
    FORMATS,
    reports=(System("vdc", "VDCscore: five captions by their questions", vdc_reports, vdc_lines),),
)
