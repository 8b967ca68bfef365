"""LOVEU: formats."""

from __future__ import annotations

from exports.files.export_system import ExportSystem
from exports.loveu.formats import FORMATS

SYSTEM = ExportSystem(
    FORMATS,
)
