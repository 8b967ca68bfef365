"""Findings in the scene scripts of a workspace, for `lint`, in addition to those in questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import select

from annotation.editing.dismissed_findings import dismissals
from annotation.intake.names_of_videos import VideoNames
from annotation.store import tables as t
from annotation.store.store import Store
from annotation.systems.vript.current_scripts import KINDS, script_findings
from annotation.systems.vript.script_checks import SCRIPT_CHECKS

TOGETHER = 50
"""Number of videos read at once."""


def videos_with_scripts(store: Store) -> list[str]:
    """Return the ids of videos with texts on their scenes, in order."""
    query = select(t.text.c.video_id).where(t.text.c.kind.in_(KINDS)).distinct().order_by(t.text.c.video_id)
    with store.reading() as conn:
        return list(conn.scalars(query))


def script_rows(store: Store) -> list[dict[str, Any]]:
    """Return a row per finding that is not dismissed: `check`, `aspect`, `video`, `scene`, `why`, `text`."""
    names = VideoNames(store, "vript")
    ids = videos_with_scripts(store)
    groups = (ids[at : at + TOGETHER] for at in range(0, len(ids), TOGETHER))
    return [row for group in groups for row in _rows(store, names, group)]


def _rows(store: Store, names: VideoNames, video_ids: Sequence[str]) -> Iterator[dict[str, Any]]:
    found = script_findings(store, video_ids)
    held = dismissals(store, [one.found.id for every in found.values() for one in every])
    for video_id, every in found.items():
        for one in every:
            if one.found.id not in held:
                yield {
                    "check": one.found.check,
                    "aspect": one.aspect,
                    "video": names.name(video_id),
                    "question": "",
                    "why": one.found.why,
                    "scene": one.number,
                    "text": one.found.text,
                    "id": one.found.subject_id,
                }


def add_scripts(report: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add the findings in scripts to the report on questions. Checks without findings are included."""
    checks = dict.fromkeys([*SCRIPT_CHECKS, *(row["check"] for row in rows)])
    counts = {check: Counter[str](report["counts"].get(check, {})) for check in checks}
    for row in rows:
        counts[row["check"]][row["aspect"]] += 1
    more = {check: dict(sorted(each.items())) for check, each in counts.items()}
    return {**report, "counts": report["counts"] | more, "findings": [*report["findings"], *rows]}
