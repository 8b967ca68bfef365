"""Findings as pages list them: the results of checks, and who dismissed them."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.editing.dismissed_findings import Found, dismissals
from annotation.records.decisions import Dismissal
from annotation.store.store import Store
from ui.lib.shared_wire_types import DismissalFacts, Finding
from ui.lib.view_parts import people_by_id


def dismissal_json(row: Dismissal, store: Store) -> DismissalFacts:
    """Who dismissed a finding, why and when."""
    person = people_by_id(store).get(row.person_id)
    return {
        "by": person.name if person else row.person_id,
        "person_id": row.person_id,
        "reason": row.reason,
        "at": row.created_at,
    }


def findings_json(store: Store, found: Sequence[Found]) -> list[Finding]:
    """Findings of any check with their ids and dismissals, in their order.

    One route dismisses them all; `finding` is the value that POST /api/dismiss takes.
    """
    held = dismissals(store, [one.id for one in found])
    return [
        {
            "id": one.id,
            "check": one.check,
            "why": one.why,
            "text": one.text,
            "start": one.start,
            "end": one.end,
            "dismissal": dismissal_json(held[one.id], store) if one.id in held else None,
            "finding": one,
        }
        for one in found
    ]
