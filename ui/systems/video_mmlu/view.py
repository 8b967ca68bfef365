"""Video-MMLU on the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from annotation.systems.video_mmlu.kinds import NOTES, REASONING
from annotation.systems.video_mmlu.published import published_mmlu
from annotation.systems.video_mmlu.system import CHAIN
from ui.lib.question_system import QuestionSystem
from ui.lib.score_wire_types import PublishedTable
from ui.lib.system_view import SystemView


def published_panel(_runs: Mapping[str, Mapping[str, Any]], judges: Sequence[str]) -> PublishedTable:
    """The figures of the benchmark's page, which has accuracies only."""
    return {
        "about": "Video-MMLU's page: share of yes, Qwen2.5-72B as judge. Yours: judge "
        f"{', '.join(judges) or 'unknown'}, readable only, over videos. Judge, prompts and speech differ: a "
        "gap between rows is not only a gap between models.",
        "frames": "–",
        "columns": [
            {"title": title, "group": {"task": task}}
            for task, title in {"final": "final", "caption": "caption", "qa": "QA"}.items()
        ],
        "measures": {"accuracy": "accuracy", "exact": "accuracy"},
        "rows": [
            {
                "model": row.model,
                "frames": str(row.frames or "none"),
                "figures": {"accuracy": [row.final / 100, row.caption / 100, row.qa / 100]},
            }
            for row in published_mmlu()
        ],
    }


SYSTEM = SystemView(
    name="video_mmlu",
    questions=QuestionSystem(
        title="Video-MMLU",
        chain=CHAIN,
        from_video=(REASONING,),
        groups=(CHAIN.group,),
        task_kinds={"caption": NOTES, "qa": REASONING},
        prompts={
            "mmlu_verdict_notes": "the judge of notes",
            "mmlu_verdict_quiz": "the judge of reasoning",
        },
        policy_labels={"video-mmlu": "Video-MMLU code"},
        published=published_panel,
    ),
)
