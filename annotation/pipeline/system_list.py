"""The systems whose stages, replies and chains the pipeline knows. A new system is a line in `SYSTEMS`."""

from __future__ import annotations

from annotation.stages.system_spec import SystemSpec
from annotation.systems.carebench import system as carebench
from annotation.systems.progress_captioner import system as progress_captioner
from annotation.systems.vdc import system as vdc
from annotation.systems.video_mmlu import system as video_mmlu
from annotation.systems.vript import system as vript

SYSTEMS: tuple[SystemSpec, ...] = (
    vript.SYSTEM,
    vdc.SYSTEM,
    video_mmlu.SYSTEM,
    carebench.SYSTEM,
    progress_captioner.SYSTEM,
)
"""In the order in which their stages run."""
