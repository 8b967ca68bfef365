"""CapST on the Scores page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from annotation.records.runs import Evaluation
from annotation.store.store import Store
from annotation.systems.carebench.capst_requests import SYSTEM
from annotation.systems.carebench.capst_scores import LETTER
from exports.carebench.capst_report import METRICS, capst_report
from ui.lib.score_system import ScoreSystem, Table, linked
from ui.lib.score_wire_types import ListedThing, Metric, ThingsList

TITLES = {
    "f1": "F1",
    "recall": "recall",
    "precision": "precision",
    f"recall{LETTER}": "R, letter of the paper",
    f"precision{LETTER}": "P, letter of the paper",
}
WORST = 30
ABOUT = (
    "Recall: of the reference's events and objects, those that the predicted caption entails. Precision: of "
    "the prediction's, those that the reference entails. Means over videos, then F1. The paper's formulas "
    "swap the two letters; its code and leaderboard use them as here."
)


def capst_page(store: Store, evaluation: Evaluation, chosen: Mapping[str, str]) -> Table:
    """Rows with links to the elements behind them, and the videos whose captions cover the least."""
    report = capst_report(store, evaluation, by_category=chosen.get("by") == "category")
    rows = [linked(row, _link(evaluation, row["group"])) for row in report["rows"]]
    metrics = {name: Metric(TITLES[name], what) for name, what in METRICS.items()}
    who = f"Elements extracted by {', '.join(report['extractors'])}. " if report["extractors"] else ""
    return Table(
        rows, report["policies"], metrics, report["judges"], who + ABOUT, [_worst(evaluation, report)]
    )


def _link(evaluation: Evaluation, group: Mapping[str, str]) -> str:
    """Link to the elements of the row on the Verdicts page."""
    facets = [f"elements:{group['elements']}"] if group["elements"] in ("events", "objects") else []
    facets += [f"category:{group['category']}"] if group.get("category") else []
    return _items(evaluation, *([("facet", "|".join(facets))] if facets else []))


def _items(evaluation: Evaluation, *more: tuple[str, str]) -> str:
    return f"/verdicts?{urlencode([('of', SYSTEM), ('evaluation', evaluation.id), *more])}"


def _worst(evaluation: Evaluation, report: Mapping[str, Any]) -> ThingsList:
    """The videos whose prediction covers the least of the reference."""
    shares = [(video, _share(video)) for video in report["videos"]]
    ranked = sorted(((v, share) for v, share in shares if share is not None), key=lambda pair: pair[1])
    items: list[ListedThing] = [
        {
            "text": video["title"],
            "facts": _facts(video),
            "href": _items(evaluation, ("video", video["video"])),
        }
        for video, _ in ranked[:WORST]
    ]
    return {
        "title": "lowest coverage of the reference",
        "items": items,
        "empty": "no verdicts yet",
        "about": "Elements of the reference that the prediction entails, lowest share first.",
    }


def _share(video: Mapping[str, Any]) -> float | None:
    found = [video[f"{kind}_recall"] for kind in ("events", "objects") if f"{kind}_recall" in video]
    of = sum(n for _, n in found)
    return sum(hits for hits, _ in found) / of if of else None


def _facts(video: Mapping[str, Any]) -> str:
    parts = [
        (kind, metric, video.get(f"{kind}_{metric}"))
        for kind in ("events", "objects")
        for metric in ("recall", "precision")
    ]
    return " · ".join(f"{kind} {metric} {each[0]} / {each[1]}" for kind, metric, each in parts if each)


CAPST = ScoreSystem(
    name="capst",
    title="CapST",
    systems=(SYSTEM,),
    table=capst_page,
    start="Import metadata.json of CaReBench, then run the stages elements and capst on its videos; or "
    "import DREAM_eval_infos.jsonl.",
    choices={"by": {"": "all videos", "category": "category"}},
)
