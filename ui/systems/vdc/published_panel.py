"""The figures of VDC's leaderboard beside those of an evaluation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from annotation.records.allowed_values import VDC_ASPECTS
from annotation.systems.vdc.published import published
from ui.lib.score_wire_types import PublishedColumn, PublishedTable

_JUDGE = re.compile(r"llama-?3\.1-?8b", re.IGNORECASE)
_UNKNOWN = "not recorded"
HASH = 8
MEAN = "average"


def published_panel(runs: Mapping[str, Mapping[str, Any]], _judges: Sequence[str]) -> PublishedTable:
    columns: list[PublishedColumn] = [
        {"title": aspect.replace("_", " "), "group": {"aspect": aspect}} for aspect in VDC_ASPECTS
    ]
    return {
        "about": "VDCscore leaderboard of 3 July 2025: Llama-3.1-8B as judge, AuroraCap’s rule. Compared "
        f"with your runs: {'; '.join(_differences(runs))}. While these differ, a gap between rows is not "
        "only a gap between captions.",
        "frames": str(runs.get("captions", {}).get("frames") or "–"),
        "columns": [{"title": "mean", "group": None}, *columns],
        "measures": {"accuracy": "accuracy", "score": "score"},
        "rows": [
            {
                "model": row.model,
                "frames": row.frames or "–",
                "figures": {
                    "accuracy": [_share(row.accuracy.get(name)) for name in (MEAN, *VDC_ASPECTS)],
                    "score": [row.score.get(name) for name in (MEAN, *VDC_ASPECTS)],
                },
            }
            for row in published()
        ],
    }


def _share(percent: float | None) -> float | None:
    return None if percent is None else percent / 100


def _differences(runs: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What is known of one's own runs; what a log does not contain is listed as unknown."""
    judge, extractor = (_known(runs, role, "model") for role in ("verdicts", "answers"))
    prompts = [_known(runs, role, "prompt") for role in ("verdicts", "answers")]
    judge_prompt, extractor_prompt = (known if known == _UNKNOWN else known[:HASH] for known in prompts)
    frames = runs.get("captions", {}).get("frames")
    return [
        f"the judge is the same model ({judge})" if _JUDGE.search(judge) else f"the judge (yours: {judge})",
        "the extractor is the same model"
        if _JUDGE.search(extractor)
        else f"the extractor (yours: {extractor})",
        f"the prompts (yours: judge {judge_prompt}, extractor {extractor_prompt})",
        f"the frames per video (yours: {_UNKNOWN if frames is None else frames})",
        "the rule (yours: readable only, over videos)",
    ]


def _known(runs: Mapping[str, Mapping[str, Any]], role: str, fact: str) -> str:
    return str(runs.get(role, {}).get(fact) or _UNKNOWN)
