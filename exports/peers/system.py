"""The peers' scorers: formats."""

from __future__ import annotations

from exports.files.export_system import ExportSystem
from exports.peers.formats import FORMATS

SYSTEM = ExportSystem(
    FORMATS,
)
