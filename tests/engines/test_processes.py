"""Three processes of the app on one PostgreSQL database, with many people at work."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.annotators import measure
from benchmarks.kills import sample_workspace

pytestmark = pytest.mark.engines


def test_no_edit_of_24_people_is_lost_or_doubled(postgres_database: str, tmp_path: Path) -> None:
    """Each request of each person goes to another process than the one before, perhaps."""
    report = measure(sample_workspace(tmp_path / "w"), 24, 20.0, processes=3, database=postgres_database)
    assert (report.lost, report.doubled, report.false, report.errors) == ((), (), (), ())
    assert report.edits > 100 and report.conflicts > 0
