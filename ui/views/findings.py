"""Findings as a page lists them: what the checks say, and who found what in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.records import Waiver
from annotation.store.store import Store
from annotation.waivers import Found, waivers
from ui.views.common import people_by_id


def waiver_json(row: Waiver, store: Store) -> dict[str, Any]:
    """Who waived, why and when."""
    person = people_by_id(store).get(row.person_id)
    return {"by": person.name if person else row.person_id, "person_id": row.person_id,
            "reason": row.reason, "at": row.created_at}  # fmt: skip


def findings_json(store: Store, found: Sequence[Found]) -> list[dict[str, Any]]:
    """Findings of any check with their ids and waivers, in their order; one route waives them all.

    `finding` is what POST /api/waive takes.
    """
    held = waivers(store, [one.id for one in found])
    return [
        {
            "id": one.id, "check": one.check, "why": one.why, "text": one.text, "start": one.start,
            "end": one.end, "waiver": waiver_json(held[one.id], store) if one.id in held else None,
            "finding": {"video_id": one.video_id, "check": one.check, "subject_type": one.subject_type,
                        "subject_id": one.subject_id, "text": one.text, "key": one.key,
                        "start": one.start, "end": one.end, "why": one.why},
        }
        for one in found
    ]  # fmt: skip
