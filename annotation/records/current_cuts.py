"""Which version of a video's cuts is the current one."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.records.videos import SceneList

CANDIDATE = "candidate"
"""Note of a detector's scene list for comparison. It becomes current when a person adopts it."""


def counting(lists: Sequence[SceneList]) -> SceneList | None:
    """Return the current version: the newest by a person, else by a dataset, else by a detector.

    `lists`: oldest first. Candidates are ignored.
    """
    found = [one for one in lists if one.note != CANDIDATE]
    found = [o for o in found if o.person_id] or [o for o in found if not o.run_id] or found
    return found[-1] if found else None
