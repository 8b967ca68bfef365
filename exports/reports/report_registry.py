"""Every benchmark that `score` and the page Scores know."""

from __future__ import annotations

from collections.abc import Mapping

from exports.reports import capst_report as capst_score
from exports.reports import framecap_report as framecap_score
from exports.reports import retrieval_report as retrieval_score
from exports.reports import vdc_and_video_mmlu_report as vdc_score
from exports.reports import vript_report as vript_hard_score
from exports.reports.report_type import System

SYSTEMS: Mapping[str, System] = {
    system.name: system
    for system in (
        System(
            "vdc", "VDCscore: five captions by their questions", vdc_score.vdc_reports, vdc_score.vdc_lines
        ),
        System(
            "video-mmlu",
            "Video-MMLU: notes and reasoning by discipline",
            vdc_score.mmlu_reports,
            vdc_score.mmlu_lines,
        ),
        System(
            "capst",
            "CapST: events and objects of captions, by entailment (CaReBench)",
            capst_score.capst_reports,
            capst_score.lines,
        ),
        System(
            "retrieval",
            "retrieval: R@1, 5, 10 in both directions, and the unified score (CaReBench)",
            retrieval_score.retrieval_reports,
            retrieval_score.lines,
            imports=False,
        ),
        System(
            "rebias",
            "ReBias: how far temporal retrieval falls behind spatial (CaReBench)",
            retrieval_score.rebias_reports,
            retrieval_score.lines,
            imports=False,
        ),
        System(
            "vript-hal",
            "Vript-HAL: words of captions against two references",
            vript_hard_score.hal_reports,
            vript_hard_score.hal_lines,
        ),
        System(
            "vript-rr",
            "Vript-RR: questions about one scene of a long video",
            vript_hard_score.rr_reports,
            vript_hard_score.rr_lines,
        ),
        System(
            "vript-ero",
            "Vript-ERO: the order of three scenes",
            vript_hard_score.ero_reports,
            vript_hard_score.ero_lines,
        ),
        System(
            "framecap",
            "FrameCapEval: progression and matching of frame captions, and blind studies",
            framecap_score.reports,
            framecap_score.lines,
        ),
    )
}
"""By the name that is typed."""
