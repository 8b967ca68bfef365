"""Every benchmark that `score` and the Scores page know."""

from __future__ import annotations

from collections.abc import Mapping

from annotation.reports.report_type import System
from exports.catalogue.system_list import SYSTEMS

REPORTS: Mapping[str, System] = {one.name: one for system in SYSTEMS for one in system.reports}
"""By the name that is typed."""
