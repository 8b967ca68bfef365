"""ProgressCaptioner and FrameCapEval: files and the report for `score`."""

from __future__ import annotations

from annotation.reports.report_type import System
from exports.files.system_files import SystemFiles
from exports.progress_captioner import framecap_report
from exports.progress_captioner.formats import FORMATS

SYSTEM = SystemFiles(
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
