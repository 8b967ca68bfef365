"""Other evaluation tools: their logs and tables."""

from __future__ import annotations

from exports.files.system_files import SystemFiles
from exports.peers.formats import FORMATS

SYSTEM = SystemFiles(FORMATS)
