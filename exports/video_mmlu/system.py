"""Video-MMLU: formats and reports."""

from __future__ import annotations

from annotation.reports.report_type import System
from exports.files.export_system import ExportSystem
from exports.video_mmlu.formats import FORMATS
from exports.video_mmlu.video_mmlu_report import mmlu_lines, mmlu_reports

SYSTEM = ExportSystem(
    FORMATS,
    reports=(
        System(
            "video-mmlu",
            "Video-MMLU: notes and reasoning by discipline",
            mmlu_reports,
            mmlu_lines,
        ),
    ),
)
