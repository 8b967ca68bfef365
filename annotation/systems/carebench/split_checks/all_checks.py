"""All checks of one split. Pure function: three texts in, findings out."""

from __future__ import annotations

from annotation.systems.carebench.split_checks.action_in_spatial import action_in_spatial
from annotation.systems.carebench.split_checks.finding import CHECKS, Finding, Texts
from annotation.systems.carebench.split_checks.length_and_script import length, meta_wording, script
from annotation.systems.carebench.split_checks.lost_details import lost, no_overview, overview_in_temporal
from annotation.systems.carebench.split_checks.not_in_caption import invented
from annotation.systems.carebench.split_checks.static_in_temporal import static_in_temporal
from annotation.systems.carebench.split_checks.tagging import read_together

_ORDER = {side: n for n, side in enumerate(("full", "spatial", "temporal"))}


def check_split(texts: Texts) -> list[Finding]:
    """All findings, sorted by side, then by place, then in the order of `CHECKS`."""
    read_together((texts.full, texts.spatial, texts.temporal))
    found = [
        *action_in_spatial(texts.spatial),
        *static_in_temporal(texts.temporal, overview_in_temporal(texts)),
        *lost(texts),
        *invented(texts),
        *no_overview(texts),
        *length(texts),
        *script(texts),
        *meta_wording(texts),
    ]
    return sorted(found, key=lambda f: (_ORDER[f.side], f.start, f.end, CHECKS.index(f.check)))
