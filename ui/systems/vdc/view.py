"""VDC on the pages."""

from __future__ import annotations

from annotation.systems.vdc.system import CHAIN
from ui.lib.question_system import QuestionSystem
from ui.lib.system_view import SystemView
from ui.systems.vdc.published_panel import published_panel

SYSTEM = SystemView(
    name="vdc",
    questions=QuestionSystem(
        title="VDC",
        chain=CHAIN,
        prompts={"vdc_verdict": "the judge", "vdc_answer": "the extractor"},
        policy_labels={"aurora": "AuroraCap"},
        published=published_panel,
    ),
)
