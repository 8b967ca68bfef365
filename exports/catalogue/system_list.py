"""The systems whose files are read and written. A new system is a line in `SYSTEMS`."""

from __future__ import annotations

from exports.carebench import system as carebench
from exports.files.export_system import ExportSystem
from exports.loveu import system as loveu
from exports.peers import system as peers
from exports.progress_captioner import system as progress_captioner
from exports.vdc import system as vdc
from exports.video_mmlu import system as video_mmlu
from exports.vript import system as vript

SYSTEMS: tuple[ExportSystem, ...] = (
    loveu.SYSTEM,  # before video_mmlu, whose logs have fields of the files of LOVEU
    peers.SYSTEM,
    vdc.SYSTEM,
    video_mmlu.SYSTEM,
    carebench.SYSTEM,
    vript.SYSTEM,
    progress_captioner.SYSTEM,
)
"""Those with more specific features come first, as in `ExportSystem.formats`."""
