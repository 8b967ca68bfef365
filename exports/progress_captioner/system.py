"""ProgressCaptioner and FrameCapEval: formats and reports."""

from __future__ import annotations

from annotation.reports.report_type import System
from exports.files.export_system import ExportSystem
from exports.progress_captioner import framecap_report
from exports.progress_captioner.formats import FORMATS

SYSTEM = ExportSystem(
    FORMATS,
    reports=(
        System(
            "framecap",
            "FrameCapEval: progression and matching of frame captions, and blind studies",
            framecap_report.reports,
            framecap_report.lines,
        ),
    ),
)
