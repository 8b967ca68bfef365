"""The systems on the pages. A system is a folder with `view.py`, and an entry here."""

from __future__ import annotations

from annotation.pipeline.question_chains import kinds_of
from ui.lib.system_view import SystemView
from ui.systems.carebench import view as carebench
from ui.systems.progress_captioner import view as progress_captioner
from ui.systems.vdc import view as vdc
from ui.systems.video_mmlu import view as video_mmlu
from ui.systems.vript import view as vript

SYSTEMS: tuple[SystemView, ...] = (
    vdc.SYSTEM,
    video_mmlu.SYSTEM,
    carebench.SYSTEM,
    vript.SYSTEM,
    progress_captioner.SYSTEM,
)
"""In the order of the switches on Scores and Verdicts."""

QUESTION_SYSTEMS = tuple(system.questions for system in SYSTEMS if system.questions)

QUESTION_KINDS = tuple(kind for system in QUESTION_SYSTEMS for kind in kinds_of(system.chain))
"""The kinds of questions of all systems, such as `vdc:camera`."""
