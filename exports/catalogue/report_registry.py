"""Every benchmark that `score` and the page Scores know."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.reports.report_type import System
from exports.catalogue.system_list import SYSTEMS

REPORTS: Mapping[str, System] = {report.name: report for system in SYSTEMS for report in system.reports}
"""By the name that is typed."""
