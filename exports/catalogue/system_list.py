"""The systems whose files and reports Dailies knows. A new system is a line in `SYSTEMS`."""

from __future__ import annotations

from exports.carebench import system as carebench
from exports.files.system_files import SystemFiles
from exports.loveu import system as loveu
from exports.peers import system as peers
from exports.progress_captioner import system as progress_captioner
from exports.vdc import system as vdc
from exports.video_mmlu import system as video_mmlu
from exports.vript import system as vript

SYSTEMS: tuple[SystemFiles, ...] = (
    loveu.SYSTEM,  # before Video-MMLU: a log of Video-MMLU has the fields of a part of LOVEU's log
    peers.SYSTEM,
    vdc.SYSTEM,
    video_mmlu.SYSTEM,
    carebench.SYSTEM,
    vript.SYSTEM,
    progress_captioner.SYSTEM,
)
"""In the order in which files are recognised, and in which formats and reports are listed."""
