"""VDC and VDCscore: files and the report for `score`."""

from __future__ import annotations

from annotation.reports.report_type import System
from exports.files.system_files import SystemFiles
from exports.vdc.formats import FORMATS
from exports.vdc.vdc_report import vdc_lines, vdc_reports

SYSTEM = SystemFiles(
    FORMATS,
    reports=(System("vdc", "VDCscore: five captions by their questions", vdc_reports, vdc_lines),),
)
