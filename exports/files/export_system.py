"""Declares what a system adds to the files: its formats and its reports."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.reports.report_type import System
from exports.files.format_types import Format


@dataclass(frozen=True, slots=True)
class ExportSystem:
    """One system, or a family of files of other programs. `exports/catalogue/system_list.py` lists them."""

    formats: tuple[Format, ...]
    """Those with more specific features come first: the first one that recognises a file reads it."""
    reports: tuple[System, ...] = ()
    """For `score` and the Scores page."""
