"""Every benchmark that `score` and the page Scores know."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.reports.report_type import System
from exports.carebench import capst_report, retrieval_report
from exports.progress_captioner import framecap_report
from exports.vdc.vdc_report import vdc_lines, vdc_reports
from exports.video_mmlu.video_mmlu_report import mmlu_lines, mmlu_reports
from exports.vript import hard_report

SYSTEMS: Mapping[str, System] = {
    system.name: system
    for system in (
        System("vdc", "VDCscore: five captions by their questions", vdc_reports, vdc_lines),
        System(
            "video-mmlu",
            "Video-MMLU: notes and reasoning by discipline",
            mmlu_reports,
            mmlu_lines,
        ),
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
        ),
        System(
            "rebias",
            "ReBias: how far temporal retrieval falls behind spatial (CaReBench)",
            retrieval_report.rebias_reports,
            retrieval_report.lines,
            imports=False,
        ),
        System(
            "vript-hal",
            "Vript-HAL: words of captions against two references",
            hard_report.hal_reports,
            hard_report.hal_lines,
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
        System(
            "framecap",
            "FrameCapEval: progression and matching of frame captions, and blind studies",
            framecap_report.reports,
            framecap_report.lines,
        ),
    )
}
"""By the name that is typed."""
