"""All checks of one split. Pure: three texts in, findings out."""

from __future__ import annotations

from annotation.split_checks.actions import action_in_spatial
from annotation.split_checks.coverage import lost, no_overview
from annotation.split_checks.finding import CHECKS, Finding, Texts
from annotation.split_checks.invention import invented
from annotation.split_checks.statics import static_in_temporal
from annotation.split_checks.surface import length, meta_wording, script
from annotation.split_checks.tagging import read_together

_ORDER = {side: n for n, side in enumerate(("full", "spatial", "temporal"))}


def check_split(texts: Texts) -> list[Finding]:
    """Every finding: by side, then by place, then in the order of `CHECKS`."""
    read_together((texts.full, texts.spatial, texts.temporal))
    found = [
        *action_in_spatial(texts.spatial), *static_in_temporal(texts.temporal), *lost(texts),
        *invented(texts), *no_overview(texts), *length(texts), *script(texts), *meta_wording(texts),
    ]  # fmt: skip
    return sorted(found, key=lambda f: (_ORDER[f.side], f.start, f.end, CHECKS.index(f.check)))
