"""`score --help` names the benchmarks that there are."""

from __future__ import annotations

from exports.catalogue.report_registry import SYSTEMS
from ui.commands.scores import NAMES


def test_the_help_names_every_system() -> None:
    assert NAMES.split(", ") == list(SYSTEMS)
