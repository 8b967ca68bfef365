"""LOVEU track 1: the log of its three stages."""

from __future__ import annotations

from exports.files.system_files import SystemFiles
from exports.loveu.formats import FORMATS

SYSTEM = SystemFiles(FORMATS)
