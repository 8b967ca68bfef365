"""Declares the files of a system: its formats, and its reports for `score`."""

from __future__ import annotations

from dataclasses import dataclass

from annotation.reports.report_type import System
from exports.files.format_types import Format


@dataclass(frozen=True, slots=True)
class SystemFiles:
    """One system. `exports/catalogue/system_list.py` lists them."""

    formats: tuple[Format, ...] = ()
    """Formats with more specific features come first."""
    reports: tuple[System, ...] = ()
    """Benchmarks that `score` and the Scores page know."""
