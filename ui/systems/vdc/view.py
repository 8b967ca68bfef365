"""VDC on the pages."""

from __future__ import annotations

from annotation.records.allowed_values import VDC_ASPECTS
from ui.lib.question_system import QuestionSystem
from ui.lib.system_view import SystemView
from ui.systems.vdc.published_panel import published_panel

SYSTEM = SystemView(
    name="vdc",
    questions=QuestionSystem(
        name="vdc",
        title="VDC",
        metric="VDCscore",
        kinds=tuple(f"vdc:{aspect}" for aspect in VDC_ASPECTS),
        prompts={"vdc_verdict": "the judge", "vdc_answer": "the extractor"},
        policy_labels={"aurora": "AuroraCap"},
        published=published_panel,
    ),
)
