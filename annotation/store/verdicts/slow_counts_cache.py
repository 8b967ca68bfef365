"""Cache of counts per video that are slow to compute. Counts of changed videos are computed again.

A list of ten thousand videos does not wait for all counts: counts that are not computed within the time limit
are left out, and the next request continues with them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from annotation.store.cache_parts import Renewed
from annotation.store.store import Store

TOGETHER = 20
"""Number of videos per call of `count`."""
WAIT_S = 0.5


class KeptCounts(Renewed):
    """Counts of one kind. Thread-safe."""

    def __init__(self, store: Store, count: Callable[[Store, Sequence[str]], Mapping[str, int]]) -> None:
        super().__init__(store)
        self._count = count
        self._known: dict[str, int] = {}

    def of(self, video_ids: Sequence[str], wait_s: float = WAIT_S) -> dict[str, int]:
        """Return the cached counts, and as many others as can be computed in `wait_s` seconds."""
        with self.changes() as changes:
            changes.drop(self._known)
            missing = [video_id for video_id in video_ids if video_id not in self._known]
            end = time.monotonic() + wait_s
            for at in range(0, len(missing), TOGETHER):
                group = missing[at : at + TOGETHER]
                self._known |= dict.fromkeys(group, 0) | dict(self._count(self.store, group))
                if time.monotonic() > end:
                    break
            return {video_id: self._known[video_id] for video_id in video_ids if video_id in self._known}
