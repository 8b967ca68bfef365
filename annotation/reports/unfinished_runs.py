"""Marks figures of an evaluation with unfinished runs as partial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import func, select

from annotation.store import tables as t
from annotation.store.store import Store
from backends.text.plural import plural

UNFINISHED = ("queued", "running", "failed", "stopped")
"""States of a run and a video that another pass may change; unparsed and missing results are final."""


def unfinished_videos(store: Store, evaluation_id: str) -> int:
    """Return the number of videos with an unfinished stage in the evaluation's runs. Their figures may
    change.
    """
    run, link = t.run_video.c, t.evaluation_run.c
    query = (
        select(func.count(run.video_id.distinct()))
        .join(t.evaluation_run, link.run_id == run.run_id)
        .where(link.evaluation_id == evaluation_id, run.state.in_(UNFINISHED))
    )
    with store.reading() as conn:
        return int(conn.scalar(query) or 0)


def marked(store: Store, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the report with `unfinished`, and with `partial` in every row.

    `id` in the report is its evaluation's. A report without it is about files, which are finished.
    """
    unfinished = unfinished_videos(store, found["id"]) if "id" in found else 0
    rows = [{**row, "partial": unfinished > 0} for row in found["rows"]]
    return {**found, "rows": rows, "unfinished": unfinished}


def unfinished_lines(found: Mapping[str, Any]) -> list[str]:
    """Return the first lines of a printed report; empty if all runs are finished."""
    n: int = found.get("unfinished", 0)
    if not n:
        return []
    return [f"partial: a run of this evaluation is not finished for {plural(n, 'video')}; figures may change"]


def partial_word(estimate: Mapping[str, Any]) -> str:
    """Return the suffix of a value that may change."""
    return ", partial" if estimate.get("partial") else ""


def partial_of_two(a: int, b: int) -> Sequence[str]:
    """Return the first lines of a printed comparison."""
    return [
        f"partial: a run of {side} is not finished for {plural(n, 'video')}; figures may change"
        for side, n in (("A", a), ("B", b))
        if n
    ]
