"""The findings of checks in a split as the page shows it, with fixes and dismissals."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from annotation.people.hidden_texts import AspectSight
from annotation.records.videos import Video
from annotation.store.store import Store
from annotation.systems.carebench.findings_of_split import findings_of_split
from annotation.systems.carebench.split_checks.finding import Side, Texts
from annotation.systems.carebench.split_checks.fixes import fix_of
from annotation.systems.carebench.split_checks.length_and_script import seen_texts
from ui.lib.findings_as_json import findings_json
from ui.pages.split.wire_types import SplitFindings

KEPT_FIXES = 512
"""Number of cached fixes: those of some twenty captions."""
_fix = lru_cache(maxsize=KEPT_FIXES)(fix_of)


def split_findings(
    store: Store, video: Video, values: Mapping[Side, str], sight: AspectSight | None = None
) -> SplitFindings:
    """`findings` in the three texts and the video, and `seen`: quoted text in another script."""
    texts = Texts(values["full"], values["spatial"], values["temporal"])
    found = findings_of_split(store, video, texts, sight)
    rows = findings_json(store, [one.found for one in found])
    return {
        "findings": [
            {
                **row,
                "name": one.name,
                "side": one.side,
                "fix": _fix(one.made, texts) if one.made else None,
            }
            for row, one in zip(rows, found, strict=True)
        ],
        "seen": seen_texts(texts),
    }
